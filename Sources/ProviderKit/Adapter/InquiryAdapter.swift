package import Http
package import Kernel

/// An adapter whose provider answers inquiries; like the rest of it, pure.
package protocol InquiryAdapter: Adapter {
    /// Makes the unsigned request, for `finish`.
    func plan(_ inquiry: Inquiry, _ settings: AccountSettings) throws(PlanFailure) -> RequestTemplate

    /// Reads an answer; `nil` where it says nothing.
    func read(_ answer: HttpResponse, to inquiry: Inquiry) -> InquiryReply?

    /// Whether a card's first digits are worth a question; refuses more than a card's issuer takes to be named.
    func isEnough(digits: String) throws(PlanFailure) -> Bool

    /// Runs the rules of a product's fields, card data excepted.
    func report(_ values: [String: String], product: Json) -> FieldReport

    /// Checks what is passed to the app and not interpreted.
    func checkPresentation(_ presentation: Json) throws(PlanFailure)

    func cacheTimes(_ settings: AccountSettings) -> ProductCacheTimes

    /// The list with the accounts on file of these tokens alone: a provider lists what it keeps, whoever asks.
    func narrowed(_ list: PaymentProducts, to tokens: Set<String>) -> PaymentProducts
}

extension InquiryAdapter {
    package var inquiries: (any InquiryAdapter)? { self }
}

/// Something that a provider is asked about an account, outside of any payment, while somebody waits for the answer.
package enum Inquiry: Hashable, Sendable {
    /// Whether the account's credentials work.
    case connection
    /// A session for one payer's app; the tokens are that payer's saved credentials, sealed.
    case session(tokens: [Json])
    case products(PaymentSetting)
    case product(Int64, PaymentSetting)
    /// The card behind its first digits, which stand in no template: `OnceHole.hole(Inquiry.digits)` is filled when it
    /// is sent.
    case cardPrefix(PaymentSetting)

    /// The name under which the sender's memory keeps a card's first digits.
    package static let digits = "bin"
}

/// A payment as it would be, for questions that depend on it; a changed context makes lists stale.
package struct PaymentSetting: Hashable, Sendable {
    package let amount: Money
    /// ISO 3166-1 alpha-2.
    package let country: String
    package let isRecurring: Bool
    /// A BCP 47 tag.
    package let language: String?
    package let operationType: String?

    package init(
        amount: Money,
        country: String,
        isRecurring: Bool = false,
        language: String? = nil,
        operationType: String? = nil
    ) {
        self.amount = amount
        self.country = country
        self.isRecurring = isRecurring
        self.language = language
        self.operationType = operationType
    }
}

/// A provider's answer to an inquiry.
package enum InquiryReply: Hashable, Sendable {
    case connected
    case session(AppSession)
    case products(PaymentProducts)
    case cardPrefix(CardPrefixReply)
    /// It knows nothing of the name.
    case unknown
    /// It does not let us ask, or does not take the question.
    case refused(status: Int, code: String?)
}

/// The configuration of an app's kit: bearer material for one payer, never stored.
package struct AppSession: Hashable, Sendable {
    /// For the app as it is.
    package let object: Json
    package let lifetime: Duration
    /// Tokens of the question that the provider does not know any more, in the plain.
    package let invalidTokens: [String]

    package init(object: Json, lifetime: Duration, invalidTokens: [String]) {
        self.object = object
        self.lifetime = lifetime
        self.invalidTokens = invalidTokens
    }
}

/// Ways to pay, in the order in which they are shown.
package struct PaymentProducts: Hashable, Sendable {
    package let items: [Json]
    /// Whether saved credentials are among them, so that the list is one payer's own.
    package let isOnePayers: Bool

    package init(items: [Json], isOnePayers: Bool) {
        self.items = items
        self.isOnePayers = isOnePayers
    }
}

/// A payer as the merchant calls them, and the tokens of what they saved, sealed.
package struct PayerTokens: Hashable, Sendable {
    package let customer: String
    package let tokens: [Json]

    package init(customer: String, tokens: [Json]) {
        self.customer = customer
        self.tokens = tokens
    }
}

/// A provider's knowledge of a card by its first digits.
package struct CardPrefixReply: Hashable, Sendable {
    package enum Status: String, Hashable, Sendable, CaseIterable {
        case notEnoughDigits, unknown, existingButNotAllowed, supported
    }

    /// One brand that the card carries.
    package struct Brand: Hashable, Sendable {
        package let product: Int64
        package let isAllowed: Bool

        package init(product: Int64, isAllowed: Bool) {
            self.product = product
            self.isAllowed = isAllowed
        }
    }

    package let status: Status
    package let product: Int64?
    package let country: String?
    package let cardType: String?
    /// Where several are allowed the payer chooses, and the payment carries the choice.
    package let brands: [Brand]

    package init(
        status: Status,
        product: Int64? = nil,
        country: String? = nil,
        cardType: String? = nil,
        brands: [Brand] = []
    ) {
        self.status = status
        self.product = product
        self.country = country
        self.cardType = cardType
        self.brands = brands
    }

    package var mustChooseBrand: Bool { brands.filter(\.isAllowed).count > 1 }
}

/// The errors in values that a payer entered, by the rules of a product's fields.
package struct FieldReport: Hashable, Sendable {
    /// Each with `field`, `rule`, `parameters` and `labelKey`; never the value.
    package let errors: [Json]
    /// Rules that only the payer's device runs, by field.
    package let described: [String: [String]]

    package init(errors: [Json], described: [String: [String]]) {
        self.errors = errors
        self.described = described
    }
}

/// How long lists of products may be used.
package struct ProductCacheTimes: Hashable, Sendable {
    /// So long nobody is asked.
    package let fresh: Duration
    /// So long a list may stand in for an answer that does not come; older ones are thrown away.
    package let kept: Duration

    package init(fresh: Duration, kept: Duration) {
        self.fresh = fresh
        self.kept = kept
    }
}

/// Why an inquiry was not answered.
package struct InquiryFailure: Error, Hashable, Sendable {
    package enum Code: String, Hashable, Sendable, CaseIterable {
        case accountUnknown
        /// The account's provider answers nothing of the kind.
        case notOffered
        /// The question can't be asked; the plan's own code says why.
        case invalid
        /// A saved credential's owner was erased.
        case erased
        /// The provider let us ask and said no.
        case refused
        /// The provider did not answer, or said that it can't.
        case unreachable
        /// It answered something else.
        case unreadable
        /// We could not ask now.
        case unavailable
    }

    package let code: Code
    package let detail: String
    package let plan: PlanFailure?

    package init(_ code: Code, _ detail: String, plan: PlanFailure? = nil) {
        self.code = code
        self.detail = detail
        self.plan = plan
    }
}

/// Under what a list of products may be kept.
///
/// Account, its configuration, payment and language make the list; one that holds saved credentials also belongs to its
/// customer.
package struct ProductCacheKey: Hashable, Sendable {
    package let account: Uuid
    package let accountVersion: Int32
    package let setting: PaymentSetting
    package let product: Int64?
    package let customer: String?

    package init(
        account: Uuid,
        accountVersion: Int32,
        setting: PaymentSetting,
        product: Int64?,
        customer: String?
    ) {
        self.account = account
        self.accountVersion = accountVersion
        self.setting = setting
        self.product = product
        self.customer = customer
    }

    /// The key for a list; `nil` where it may not be kept: saved credentials, and nobody named whose they are.
    package func keeping(_ list: PaymentProducts) -> ProductCacheKey? {
        if list.isOnePayers, customer == nil { return nil }
        return list.isOnePayers ? self : shared
    }

    /// The key of a list that is everybody's.
    package var shared: ProductCacheKey {
        ProductCacheKey(
            account: account,
            accountVersion: accountVersion,
            setting: setting,
            product: product,
            customer: nil
        )
    }
}
