package import Http
package import Kernel
package import Payments
package import Schedules

/// One provider as a value: a declaration and pure functions, without I/O, clock, randomness or globals.
package protocol Adapter: Sendable {
    var declaration: Declaration { get }

    /// Reads an account's settings into what this adapter works with; kept for all messages of the account's version.
    func open(_ settings: AccountSettings) throws(SettingsFailure) -> any Sendable

    /// Checks an account's settings and gives what this account can do.
    func capabilities(_ settings: AccountSettings) throws(SettingsFailure) -> Capabilities

    /// How many requests the provider takes of an account with these settings; no limit unless the adapter says so.
    func requestRate(_ settings: Json) -> RequestRate?

    /// Checks what a payment asks for before any state moves: methods, currencies, limits, required payer fields.
    func check(_ terms: PaymentTerms, _ settings: AccountSettings, at now: Timestamp) throws(PlanFailure)

    /// Checks a new payment's details while personal values are plain, before they are sealed for good.
    func checkPlain(_ details: Json, for method: PaymentMethod) throws(PlanFailure)

    /// Which members of a command's details its message carries; the others are refused before they are taken.
    func carried(_ details: Json, for use: DetailsUse, _ settings: AccountSettings) -> CarriedDetails

    /// Whether payments by this method take a saved instrument to the provider or to the payer's device; one that would stay here
    /// is refused.
    func carriesInstrument(_ method: PaymentMethod) -> Bool

    /// Tells how a payment of these terms begins; `handover` unless the adapter says otherwise.
    func opening(_ terms: PaymentTerms, _ settings: AccountSettings) -> Opening

    /// What an account can do with recurring payments; nothing unless the adapter says otherwise.
    func recurrence(_ settings: AccountSettings) -> RecurrenceLimits

    /// Makes the unsigned request for one dispatch; the same arguments give the same bytes.
    func plan(_ dispatch: PlannedDispatch, _ context: PlanContext) throws(PlanFailure) -> RequestTemplate

    /// Makes the unsigned request about a series of debits; refuses unless the adapter says otherwise.
    func plan(_ request: SeriesRequest, _ context: SeriesContext) throws(PlanFailure) -> RequestTemplate

    /// The series that a schedule becomes where the provider runs it; refuses what the provider has no words for, and
    /// everything unless the adapter says otherwise.
    func registration(of schedule: ScheduleTerms, _ settings: AccountSettings) throws(PlanFailure) -> RecurringTerms

    /// Reads what came of a message that changes or cancels a series.
    func readSeries(_ answer: MessageAnswer, _ ask: SeriesAsk, _ settings: AccountSettings) -> SeriesOutcome

    /// Fills the holes of a template and signs it.
    func finish(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> OutgoingRequest

    /// Fills and signs a handover template: the address or the object for the payer's device.
    func render(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> RenderedHandover

    /// Reads facts out of an observation that was stored.
    func interpret(_ observation: Observation, _ context: InterpretContext) -> [Fact]

    /// Decides on the original bytes, in memory, whether a notification is the provider's own.
    func authenticate(_ request: HttpRequest, _ settings: AccountSettings, _ secrets: AccountSecrets) -> Authentication

    /// Makes the answer that the provider expects; 200, 400 and 503 unless the adapter says otherwise.
    func reply(_ verdict: NotificationVerdict) -> HttpResponse

    /// The same where the answer's form depends on the notification; `reply(_:)` unless the adapter says otherwise.
    func reply(_ verdict: NotificationVerdict, to request: HttpRequest) -> HttpResponse

    /// Answers a check of the notification address that brings no notification; `nil` for everything else.
    func probe(_ request: HttpRequest) -> HttpResponse?

    /// Signs a string that the SDK on the payer's device made, after rebuilding it from what we issued; refuses unless the
    /// adapter says otherwise.
    func sign(_ deviceString: String, _ template: RequestTemplate, _ materials: Materials) throws(SignatureRefusal)
        -> String

    /// Reads an app's claim by the closed schema of this provider's SDK call.
    func appResult(_ body: Json) throws(ClaimFailure) -> AppClaim

    /// The same held against the payment that the app was given; `appResult(_:)` unless the adapter says otherwise.
    func appResult(_ body: Json, of issued: IssuedPayment) throws(ClaimFailure) -> AppClaim

    /// Makes the request that asks the provider to forget a saved credential; `nil` where it takes none.
    func planRemoval(_ removal: CredentialRemoval, _ settings: AccountSettings) throws(PlanFailure) -> RequestTemplate?

    /// Reads what came of such a request; forgetting what is not known is a success.
    func readRemoval(_ answer: MessageAnswer, _ settings: AccountSettings) -> RemovalOutcome

    /// Makes the request that asks the provider whether it still keeps a credential; `nil` where it takes none.
    func planCheck(_ credential: CredentialRemoval, _ settings: AccountSettings) throws(PlanFailure) -> RequestTemplate?

    /// Reads what came of such a request; `fingerprint` is the credential's own.
    func readCheck(_ answer: MessageAnswer, of fingerprint: String, _ settings: AccountSettings) -> CredentialListing

    /// Puts into a payment's terms what registers the series that it activates; as they are unless the adapter says
    /// otherwise.
    func enrol(_ payment: PaymentTerms, in schedule: ScheduleTerms, _ settings: AccountSettings) throws(PlanFailure)
        -> PaymentTerms

    /// The claim that a form makes which the payer's bank sends to our return address; `nil` where it says nothing.
    func returnedClaim(_ fields: [(name: String, value: String)], of issued: IssuedPayment) -> Json?

    /// The provider-side states and moves, for the generated diagram.
    var states: StateDiagram { get }

    /// The provider's machine before the first message: production asks it whether a move is legal.
    var view: ProviderView { get }
}

extension Adapter {
    package func open(_ settings: AccountSettings) throws(SettingsFailure) -> any Sendable { settings.values }

    package func carriesInstrument(_ method: PaymentMethod) -> Bool { method == .instrument }

    package func sign(_ deviceString: String, _ template: RequestTemplate, _ materials: Materials)
        throws(SignatureRefusal) -> String
    {
        throw SignatureRefusal(members: [], reason: "nothing_to_sign")
    }

    package func plan(_ request: SeriesRequest, _ context: SeriesContext) throws(PlanFailure) -> RequestTemplate {
        throw PlanFailure(code: "recurring_not_supported", detail: "the provider keeps no series")
    }

    package func registration(of schedule: ScheduleTerms, _ settings: AccountSettings) throws(PlanFailure)
        -> RecurringTerms
    {
        throw PlanFailure(code: "runner_not_supported", path: "runner", detail: "the provider runs no series")
    }

    package func readSeries(_ answer: MessageAnswer, _ ask: SeriesAsk, _ settings: AccountSettings) -> SeriesOutcome {
        .unknown(reason: "not asked")
    }

    package func reply(_ verdict: NotificationVerdict) -> HttpResponse {
        switch verdict {
        case .stored: .text(200, "OK")
        case .rejected: .text(400, "Rejected")
        case .unavailable: .text(503, "Unavailable")
        }
    }

    package func opening(_ terms: PaymentTerms, _ settings: AccountSettings) -> Opening { .handover }

    package func probe(_ request: HttpRequest) -> HttpResponse? { nil }

    package func planRemoval(_ removal: CredentialRemoval, _ settings: AccountSettings) throws(PlanFailure)
        -> RequestTemplate?
    {
        nil
    }

    package func readRemoval(_ answer: MessageAnswer, _ settings: AccountSettings) -> RemovalOutcome {
        switch answer {
        case .answered(let status, _): .unknown(reason: "HTTP \(status)")
        case .notSent(let reason), .noAnswer(let reason): .unknown(reason: reason)
        }
    }

    package func planCheck(_ credential: CredentialRemoval, _ settings: AccountSettings) throws(PlanFailure)
        -> RequestTemplate?
    {
        nil
    }

    package func readCheck(_ answer: MessageAnswer, of fingerprint: String, _ settings: AccountSettings)
        -> CredentialListing
    {
        .unknown(reason: "not asked")
    }

    package func enrol(_ payment: PaymentTerms, in schedule: ScheduleTerms, _ settings: AccountSettings)
        throws(PlanFailure) -> PaymentTerms
    {
        payment
    }

    package func returnedClaim(_ fields: [(name: String, value: String)], of issued: IssuedPayment) -> Json? { nil }

    package func requestRate(_ settings: Json) -> RequestRate? { nil }

    package func recurrence(_ settings: AccountSettings) -> RecurrenceLimits { .none }

    package func reply(_ verdict: NotificationVerdict, to request: HttpRequest) -> HttpResponse { reply(verdict) }

    package func appResult(_ body: Json, of issued: IssuedPayment) throws(ClaimFailure) -> AppClaim {
        try appResult(body)
    }
}

/// What an app was given to pay.
package struct IssuedPayment: Hashable, Sendable {
    /// Our reference of the payment at the provider.
    package let reference: String
    package let terms: PaymentTerms
    /// The account's settings, by the adapter's schema.
    package let settings: Json

    package init(reference: String, terms: PaymentTerms, settings: Json) {
        self.reference = reference
        self.terms = terms
        self.settings = settings
    }
}

/// The settings of an account that are not secret.
package struct AccountSettings: Hashable, Sendable {
    package let account: AccountFacts
    /// Canonical JSON by the adapter's schema.
    package let values: Json
    /// Where this daemon takes the provider's notifications for the account, an absolute URL.
    package let notificationUrl: String
    /// Where the payer's browser is sent afterwards, an absolute URL of ours; `/` and our payment reference go behind it.
    package let returnUrl: String
    /// What the adapter read out of `values`, where somebody keeps it.
    package let opened: OpenedSettings?

    package init(
        account: AccountFacts,
        values: Json,
        notificationUrl: String,
        returnUrl: String,
        opened: OpenedSettings? = nil
    ) {
        self.account = account
        self.values = values
        self.notificationUrl = notificationUrl
        self.returnUrl = returnUrl
        self.opened = opened
    }
}

/// The secrets of an account by name, as in `secretKey`; opened by the shell for one call.
package struct AccountSecrets: Sendable {
    private let values: [String: Secret]

    package init(_ values: [String: Secret]) { self.values = values }

    package subscript(_ name: String) -> Secret? { values[name] }
}

/// What the shell lends for signing.
package struct Materials: Sendable {
    package let secrets: AccountSecrets
    /// Opens a sealed personal value as what it was, flag, number or text; `nil` where its subject was erased.
    package let open: @Sendable (Json) -> Json?
    package let now: Timestamp

    package init(secrets: AccountSecrets, open: @escaping @Sendable (Json) -> Json?, now: Timestamp) {
        self.secrets = secrets
        self.open = open
        self.now = now
    }
}

/// Settings that an account can't work with: which member, and why in a stable word.
package struct SettingsFailure: Error, Hashable, Sendable {
    package let path: String
    package let reason: String

    package init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }
}

/// A request that can't be made: the command is rejected before any state moved.
package struct PlanFailure: Error, Hashable, Sendable {
    /// A stable code of the API, as in `currency_not_supported`.
    package let code: String
    /// The member of the command that is at fault, where there is one.
    package let path: String?
    package let detail: String

    package init(code: String, path: String? = nil, detail: String) {
        self.code = code
        self.path = path
        self.detail = detail
    }
}

/// A template whose holes can't be filled now.
package enum FinishFailure: Error, Hashable, Sendable {
    case missingSecret(String)
    /// The subject of a personal field was erased.
    case erased(path: String)
    case malformedTemplate(String)
}

/// A device string that is not signed.
package struct SignatureRefusal: Error, Hashable, Sendable {
    /// The names of members that are unknown, missing or changed.
    package let members: [String]
    package let reason: String

    package init(members: [String], reason: String) {
        self.members = members
        self.reason = reason
    }
}

/// A claim that does not fit the closed schema.
package struct ClaimFailure: Error, Hashable, Sendable {
    package let path: String
    package let reason: String

    package init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }
}

/// What an app says its SDK said; it decides nothing.
package struct AppClaim: Hashable, Sendable {
    package enum Meaning: String, Hashable, Sendable, CaseIterable {
        case success, declined, cancelled, error, unknown
    }

    package let meaning: Meaning
    /// The SDK's word, for the record.
    package let code: String
    /// Whom it concerns beside the payment; `nil` for nobody.
    package let concern: ClaimConcern?
    /// What the app was told for the payer.
    package let receipt: Receipt?
    /// What the payer's bank gave, as it stands in memory: it completes the operation that waits for it.
    package let completion: Json?

    package init(
        meaning: Meaning,
        code: String,
        concern: ClaimConcern? = nil,
        receipt: Receipt? = nil,
        completion: Json? = nil
    ) {
        self.meaning = meaning
        self.code = code
        self.concern = concern
        self.receipt = receipt
        self.completion = completion
    }
}
