import Crypto
import EventSourcing
package import Kernel

/// Names the payment-link kind of identifier.
package enum PaymentLinkKind: IdentifierKind { package static let prefix = "plink" }

package typealias PaymentLinkId = Identifier<PaymentLinkKind>

/// A page of ours on which payers pay a fixed amount: the fold of its stream.
///
/// It holds what its merchant said. What became of it is told by its payments, which name it.
package struct PaymentLink: Aggregate, Hashable {
    package let id: PaymentLinkId
    package private(set) var version: Int32 = 0
    package private(set) var terms: PaymentLinkTerms?
    package private(set) var createdAt: Timestamp?
    /// Nothing begins by it any more; what has begun goes on.
    package private(set) var deactivatedAt: Timestamp?

    /// Payments that a link of one use begins one after the other, until one is paid.
    package static let triesAtMost = 20
    /// How long a payment that a payer begins may be paid.
    package static let tryLifetime = Duration.seconds(1800)

    package init(id: PaymentLinkId) { self.id = id }

    /// Applies one event; never fails and never decides.
    package mutating func evolve(_ event: PaymentLinkEvent) {
        version += 1
        switch event {
        case .created(let terms, _, let at):
            self.terms = terms
            createdAt = at
        case .deactivated(_, let at): deactivatedAt = at
        }
    }

    /// Decides a command.
    package func decide(_ command: PaymentLinkCommand, _ context: CommandContext) throws(Rejection)
        -> [PaymentLinkEvent]
    {
        let (actor, now) = (context.actor.id, context.now)
        switch command {
        case .create(let wanted):
            guard terms == nil else { throw Rejection(.paymentLinkExists, "There is such a payment link already.") }
            try wanted.mode.check(wanted.amount)
            guard wanted.expiresAt.map({ $0 > now }) ?? true else {
                throw Rejection(.alreadyExpired, "The link's expiry lies in the past.", path: "expiresAt")
            }
            return [.created(wanted, by: actor, at: now)]
        case .deactivate:
            guard terms != nil else { throw Rejection(.paymentLinkUnknown, "There is no such payment link.") }
            return deactivatedAt == nil ? [.deactivated(by: actor, at: now)] : []
        }
    }

    // MARK: Its payments

    /// The payment of a link of one use by its number: 1, 2, 3 and so on.
    ///
    /// Whoever begins the same try meets the same payment, and the second one is refused.
    package func payment(_ number: Int) -> PaymentId {
        PaymentId(.version5(namespace: id.uuid, name: "payment:\(number)"))
    }

    /// The payment of a link of many uses by the name that its page gave to the form.
    package func payment(of form: Uuid) -> PaymentId {
        PaymentId(.version5(namespace: id.uuid, name: "payment:\(form)"))
    }
}

/// What a merchant says of a payment link, for its life.
package struct PaymentLinkTerms: Hashable, Sendable {
    /// How often it is paid.
    package enum Uses: String, Hashable, Sendable, CaseIterable {
        /// By one payment at most.
        case once
        /// By as many as there are payers.
        case many
    }

    package let amount: Money
    package let mode: PaymentMode
    package let uses: Uses
    /// Who is paid, as payers read it.
    package let payee: String
    package let description: String?
    package let reference: String?
    package let customer: String?
    /// The payer's country, for the rules of routing.
    package let country: String?
    /// The kind of money; `nil` takes live money where any live account is routed.
    package let accountMode: AccountFacts.Mode?
    /// None stands for all that an account serves.
    package let methods: [PayerMethod]
    /// Where the page leads once it is done.
    package let returnUrl: String?
    /// The language of the page where the payer's browser names none that it speaks.
    package let language: PageLanguage?
    package let expiresAt: Timestamp?
    /// The labels of its payments, text to text.
    package let metadata: Json

    /// Modes that a page of ours begins.
    package static let modes: [PaymentMode] = [.sale, .authorize]
    package static let payeeCharacters = 100
    package static let addressBytes = 1024

    package init(
        amount: Money,
        mode: PaymentMode,
        uses: Uses,
        payee: String,
        description: String? = nil,
        reference: String? = nil,
        customer: String? = nil,
        country: String? = nil,
        accountMode: AccountFacts.Mode? = nil,
        methods: [PayerMethod] = [],
        returnUrl: String? = nil,
        language: PageLanguage? = nil,
        expiresAt: Timestamp? = nil,
        metadata: Json = [:]
    ) {
        self.amount = amount
        self.mode = mode
        self.uses = uses
        self.payee = payee
        self.description = description
        self.reference = reference
        self.customer = customer
        self.country = country
        self.accountMode = accountMode
        self.methods = methods
        self.returnUrl = returnUrl
        self.language = language
        self.expiresAt = expiresAt
        self.metadata = metadata
    }
}

/// A language of pages for payers.
package enum PageLanguage: String, Hashable, Sendable, CaseIterable {
    case en, uk, ru, fr
}

/// A way to pay as payers know it; which account takes it is the routing's matter.
package enum PayerMethod: String, Hashable, Sendable, CaseIterable {
    /// A bank card, and whatever the provider's page has beside it.
    case card
    case sberpay
    /// In parts, by an agreement with the provider.
    case instalments
}
