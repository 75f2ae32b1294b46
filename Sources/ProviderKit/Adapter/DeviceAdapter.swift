package import Kernel
package import Payments

/// An adapter that hands payments to payers' devices: an address for the browser, or an object for the app.
package protocol DeviceAdapter: Adapter {
    /// What payers call the way to pay by this provider's page; a card unless the adapter says otherwise.
    var payerMethod: PayerMethod { get }

    /// The details of a payment that its payer begins on a page of ours, where nobody else gives any.
    func details(of order: PageOrder) -> Json

    /// Where an app's claim carries what the provider or we have made, and never a card's number.
    var claimIdentifiers: Set<JsonPath> { get }

    /// Where an app's claim carries what passes through memory once and is stored nowhere.
    var onceClaimPaths: [JsonPath] { get }

    /// Fills and signs a handover template: the address or the object for the payer's device.
    func render(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> RenderedHandover

    /// Signs a string that the SDK on the payer's device made, after rebuilding it from what we issued; refuses unless the
    /// adapter says otherwise.
    func sign(_ deviceString: String, _ template: RequestTemplate, _ materials: Materials) throws(SignatureRefusal)
        -> String

    /// Reads an app's claim by the closed schema of this provider's SDK call, held against the payment that the app was
    /// given where that is known.
    func appResult(_ body: Json, of issued: IssuedPayment?) throws(ClaimFailure) -> AppClaim

    /// The claim that a form makes which the payer's bank sends to our return address; `nil` where it says nothing.
    func returnedClaim(_ fields: [(name: String, value: String)], of issued: IssuedPayment) -> Json?
}

extension DeviceAdapter {
    package var device: (any DeviceAdapter)? { self }

    package var payerMethod: PayerMethod { .card }

    package func details(of order: PageOrder) -> Json {
        ["language": .string(order.language), "payer": ["email": .string(order.email)]]
    }

    package var claimIdentifiers: Set<JsonPath> { [] }

    package var onceClaimPaths: [JsonPath] { [] }

    package func sign(_ deviceString: String, _ template: RequestTemplate, _ materials: Materials)
        throws(SignatureRefusal) -> String
    {
        throw SignatureRefusal(members: [], reason: "nothing_to_sign")
    }

    package func appResult(_ body: Json) throws(ClaimFailure) -> AppClaim { try appResult(body, of: nil) }

    package func returnedClaim(_ fields: [(name: String, value: String)], of issued: IssuedPayment) -> Json? { nil }
}

/// What a page of ours knows of what is paid and of who pays.
package struct PageOrder: Hashable, Sendable {
    package let amount: Money
    /// What is paid for, in the merchant's words.
    package let title: String
    package let email: String
    /// A BCP 47 tag.
    package let language: String

    package init(amount: Money, title: String, email: String, language: String) {
        self.amount = amount
        self.title = title
        self.email = email
        self.language = language
    }
}

/// The payer's device's side of a payment, rendered at request time and never stored.
package enum RenderedHandover: Sendable {
    /// An address for the browser.
    case redirect(url: String)
    /// The object for the SDK.
    case parameters(Json)
}

/// A payment as an app was given it.
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

/// An app's word for what its SDK said; it decides nothing.
package struct AppClaim: Hashable, Sendable {
    package enum Meaning: String, Hashable, Sendable, CaseIterable {
        case success, declined, cancelled, error, unknown
    }

    package let meaning: Meaning
    /// The SDK's word, for the record.
    package let code: String
    /// Whom it concerns beside the payment; `nil` for nobody.
    package let concern: ClaimConcern?
    /// The receipt that the app was told for the payer.
    package let receipt: Receipt?
    /// The answer of the payer's bank, as it stands in memory: it completes the operation that waits for it.
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
