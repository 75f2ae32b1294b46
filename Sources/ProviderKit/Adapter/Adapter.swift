package import Http
package import Kernel
package import Payments

/// One provider as a value: a declaration and pure functions, without I/O, clock, randomness or globals.
///
/// Every adapter gives this much. More a provider offers by a protocol of its own, which refines this one and hands the
/// adapter out under its name: `device`, `recurring`, `series`, `credentials`, `bills`, `inquiries`. Where that is `nil`
/// there is no such thing, and nothing in a declaration can say otherwise.
package protocol Adapter: Sendable {
    var declaration: Declaration { get }

    /// The provider-side states and moves, for the generated diagram.
    var states: StateDiagram { get }

    /// The provider's machine before the first message: production asks it whether a move is legal.
    var view: ProviderView { get }

    /// The type that reads an account's settings.
    var settings: any AccountReading.Type { get }

    /// Checks an account's settings and gives what this account can do.
    func capabilities(_ settings: AccountSettings) throws(SettingsFailure) -> Capabilities

    /// How many requests the provider takes of an account with these settings; no limit unless the adapter says so.
    func requestRate(_ settings: AccountSettings) -> RequestRate?

    /// Checks what a payment asks for before any state moves: methods, currencies, limits, required payer fields.
    func check(_ terms: PaymentTerms, _ settings: AccountSettings, at now: Timestamp) throws(PlanFailure)

    /// Checks a new payment's details while personal values are plain, before they are sealed for good.
    func checkPlain(_ details: Json, for method: PaymentMethod) throws(PlanFailure)

    /// The members of a command's details that its message carries; the others are refused before they are taken.
    func carried(_ details: Json, for use: DetailsUse, _ settings: AccountSettings) -> CarriedDetails

    /// Whether payments by this method take a saved instrument to the provider or to the payer's device; one that would stay here
    /// is refused.
    func carriesInstrument(_ method: PaymentMethod) -> Bool

    /// Tells how a payment of these terms begins; `handover` unless the adapter says otherwise.
    func opening(_ terms: PaymentTerms, _ settings: AccountSettings) -> Opening

    /// Makes the unsigned request for one dispatch; the same arguments give the same bytes.
    func plan(_ dispatch: PlannedDispatch, _ context: PlanContext) throws(PlanFailure) -> RequestTemplate

    /// Fills the holes of a template and signs it.
    func finish(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> OutgoingRequest

    /// Reads facts out of an observation that was stored.
    func interpret(_ observation: Observation, _ context: InterpretContext) -> [Fact]

    /// Decides on the original bytes, in memory, whether a notification is the provider's own.
    func authenticate(_ request: HttpRequest, _ settings: AccountSettings, _ secrets: AccountSecrets) -> Authentication

    /// Makes the answer that the provider expects to its notification; 200, 400 and 503 unless the adapter says otherwise.
    func reply(_ verdict: NotificationVerdict, to request: HttpRequest) -> HttpResponse

    /// Answers a check of the notification address that brings no notification; `nil` for everything else.
    func probe(_ request: HttpRequest) -> HttpResponse?

    /// The part that hands payments to payers' devices.
    var device: (any DeviceAdapter)? { get }

    /// The part that payments by schedule need.
    var recurring: (any RecurringAdapter)? { get }

    /// The part for series that the provider keeps.
    var series: (any SeriesAdapter)? { get }

    /// The part for saved credentials that the provider keeps.
    var credentials: (any CredentialAdapter)? { get }

    /// The part that pays many bills at once.
    var bills: (any BillAdapter)? { get }

    /// The part that answers questions outside of payments.
    var inquiries: (any InquiryAdapter)? { get }
}

extension Adapter {
    package func requestRate(_ settings: AccountSettings) -> RequestRate? { nil }

    package func carriesInstrument(_ method: PaymentMethod) -> Bool { method == .instrument }

    package func opening(_ terms: PaymentTerms, _ settings: AccountSettings) -> Opening { .handover }

    package func reply(_ verdict: NotificationVerdict, to request: HttpRequest) -> HttpResponse {
        switch verdict {
        case .stored: .text(200, "OK")
        case .rejected: .text(400, "Rejected")
        case .unavailable: .text(503, "Unavailable")
        }
    }

    package func probe(_ request: HttpRequest) -> HttpResponse? { nil }

    package var device: (any DeviceAdapter)? { nil }
    package var recurring: (any RecurringAdapter)? { nil }
    package var series: (any SeriesAdapter)? { nil }
    package var credentials: (any CredentialAdapter)? { nil }
    package var bills: (any BillAdapter)? { nil }
    package var inquiries: (any InquiryAdapter)? { nil }
}
