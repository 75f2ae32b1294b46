package import Kernel
import Payments

/// Everything that the page of a payment link shows to whoever opens it.
package struct PaymentLinkPage: Sendable {
    package enum State: Sendable {
        /// The payer chooses how to pay, by words of `PayerMethod`; an earlier payment may have ended without money.
        case open([String], hasFailed: Bool)
        /// A payment is under way; it goes on at an address of its provider, where there is one.
        case pending(PaymentId, address: String?)
        /// Nobody here knows what became of a payment.
        case unknown
        case paid
        /// Nothing begins by this link: `open` where no account takes it now.
        case closed(PaymentLinkStanding.Status)
    }

    package let payee: String
    package let amount: Money
    package let description: String?
    package let expiresAt: Timestamp?
    package let returnUrl: String?
    /// That of browsers that name none of ours.
    package let language: String?
    package let state: State
    /// Names what this page begins, however often its form is sent.
    package let form: Uuid
    /// Proves that the form was given out with the page.
    package let seal: String

    init(_ terms: PaymentLinkTerms, _ state: State, form: Uuid, seal: String) {
        payee = terms.payee
        amount = terms.amount
        description = terms.description
        expiresAt = terms.expiresAt
        returnUrl = terms.returnUrl
        language = terms.language?.rawValue
        self.state = state
        self.form = form
        self.seal = seal
    }
}

/// What a payer sends from the page of a payment link.
package struct PaymentLinkChoice: Sendable {
    package let method: String
    package let email: String
    package let form: String
    package let seal: String
    /// A word of the page's languages, where the payer or the browser names one.
    package let language: String?
    /// The one that the payer chose on the page.
    package let chosen: String?

    package init(
        method: String,
        email: String,
        form: String,
        seal: String,
        language: String?,
        chosen: String? = nil
    ) {
        self.method = method
        self.email = email
        self.form = form
        self.seal = seal
        self.language = language
        self.chosen = chosen
    }
}

/// How often people whom nobody knows may ask: a bound on what they cost, far above what payers do.
package enum PaymentLinkRates {
    /// Pages that one address opens.
    package static let pages = RateLimit(requestsPerSecond: 10, burst: 120)
    /// Payments that one address begins.
    package static let payers = RateLimit(requestsPerSecond: 1, burst: 12)
    /// Payments that are begun by one link.
    package static let links = RateLimit(requestsPerSecond: 5, burst: 60)
}

/// The payment that the page of a link begins.
struct LinkedPayment: Sendable {
    let payment: PaymentId
    let link: PaymentLinkId
    /// The language that the payer chose.
    let language: PageLanguage?
    /// No word of the command, so that the same form makes the same command a moment later.
    let expiresAt: Timestamp
}
