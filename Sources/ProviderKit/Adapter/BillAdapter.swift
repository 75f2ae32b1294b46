package import Http
package import Kernel
package import Payments

/// The part of an adapter whose provider takes many bills in one message; pure functions, like the adapter's own.
package protocol BillAdapter: Sendable {
    /// Where a bill carries what the provider or we have made, and never a card's number.
    var identifiers: Set<JsonPath> { get }

    /// How an account pays bills.
    func terms(_ settings: AccountSettings) throws(SettingsFailure) -> BillTerms

    /// Makes the message that pays bills, or the object that an app pays them with.
    func plan(_ bills: PlannedBills, _ settings: AccountSettings) throws(PlanFailure) -> RequestTemplate

    /// Reads what became of a message that pays bills.
    func read(_ observation: Observation, _ lines: [BillLine], _ settings: AccountSettings)
        -> (outcome: DispatchOutcome, reading: BillReading)

    /// Reads what became of a question about prices.
    func price(_ observation: Observation, _ lines: [BillLine], _ settings: AccountSettings)
        -> (outcome: DispatchOutcome, reading: PriceReading)

    /// Reads an app's report about bills that it was given.
    func claim(_ body: Json, _ lines: [BillLine]) throws(ClaimFailure) -> BillReading

    /// The object that an app's SDK saves a card for bills with, for this moment.
    func cardSaving(_ user: BillUser, language: String?, _ settings: AccountSettings) throws(PlanFailure) -> Json

    /// Makes a question that moves no money and is never written down: its values are open.
    func ask(_ question: BillQuestion, _ settings: AccountSettings) -> OutgoingRequest

    func answer(to question: BillQuestion, _ response: HttpResponse) -> BillQuestionAnswer
}

/// How an account pays bills.
package struct BillTerms: Hashable, Sendable {
    package let mode: BillMode
    package let currency: Currency
    package let isPriced: Bool
    package let limits: BillLimits

    package init(mode: BillMode, currency: Currency, isPriced: Bool, limits: BillLimits) {
        self.mode = mode
        self.currency = currency
        self.isPriced = isPriced
        self.limits = limits
    }
}

/// A message about bills that is to be made.
package struct PlannedBills: Hashable, Sendable {
    package enum Purpose: String, Hashable, Sendable {
        case price, payment, handover
    }

    package let purpose: Purpose
    package let lines: [BillLine]
    /// The saved card's token, sealed.
    package let cardToken: Json?
    package let cardMask: String?
    /// The stand-in for the user's password, sealed.
    package let credentials: Json?
    /// The user's own login, sealed.
    package let login: Json?
    package let isByWallet: Bool

    package init(
        purpose: Purpose,
        lines: [BillLine],
        cardToken: Json?,
        cardMask: String?,
        credentials: Json?,
        login: Json? = nil,
        isByWallet: Bool
    ) {
        self.purpose = purpose
        self.lines = lines
        self.cardToken = cardToken
        self.cardMask = cardMask
        self.credentials = credentials
        self.login = login
        self.isByWallet = isByWallet
    }
}

/// A question beside payments; it holds secrets and stays in memory.
package enum BillQuestion: Sendable {
    /// The user's own login and password, once.
    case credentials(login: String, password: Secret)
    /// Whether a saved card can be used with these credentials.
    case card(token: Secret, user: BillUser)
}

/// The user whose bills are paid, opened for the moment of sending.
package struct BillUser: Sendable {
    package let login: Secret
    /// The stand-in for the password.
    package let credentials: Secret

    package init(login: Secret, credentials: Secret) {
        self.login = login
        self.credentials = credentials
    }
}

/// A provider's answer to a question beside payments.
package enum BillQuestionAnswer: Sendable {
    case credentials(Secret)
    case card(mask: String?)
    case refused(code: String?)
    case unreadable
}
