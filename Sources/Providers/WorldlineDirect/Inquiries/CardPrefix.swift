package import Kernel
package import ProviderKit

/// The first digits of a card number, at most eight: they are sent once, and neither printed nor stored.
package struct CardPrefix: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name under which the sender's memory keeps the digits.
    package static let hole = Inquiry.digits
    private static let fewest = 6
    private static let most = 8

    /// For the sender's memory alone.
    package let digits: Secret

    package enum Reading: Sendable {
        case usable(CardPrefix)
        /// The provider would not know yet; nothing is sent.
        case notEnoughDigits
    }

    /// Reads digits as the payer typed them; more than eight are refused, so that no card number passes.
    package static func read(_ text: String) throws(PlanFailure) -> Reading {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }) else {
            throw PlanFailure(code: "details_invalid", path: "digits", detail: "digits alone")
        }
        guard text.utf8.count <= most else {
            throw PlanFailure(code: "too_many_digits", path: "digits", detail: "8 digits at most")
        }
        return text.utf8.count < fewest ? .notEnoughDigits : .usable(CardPrefix(digits: Secret(text)))
    }

    package var description: String { "‹card prefix›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The provider's knowledge of a card by its first digits.
package struct IinAnswer: Hashable, Sendable {
    package enum Status: String, Hashable, Sendable, CaseIterable {
        case notEnoughDigits = "NOT_ENOUGH_DIGITS"
        case unknown = "UNKNOWN"
        case existingButNotAllowed = "EXISTING_BUT_NOT_ALLOWED"
        case supported = "SUPPORTED"
    }

    /// One brand that the card carries.
    package struct Brand: Hashable, Sendable {
        package let productId: Int64
        package let isAllowed: Bool
    }

    package let status: Status
    package let productId: Int64?
    package let country: String?
    package let cardType: String?
    /// Where there are several the payer chooses, and the payment carries the choice.
    package let brands: [Brand]

    package var mustChooseBrand: Bool { brands.filter(\.isAllowed).count > 1 }

    package static let notEnoughDigits = IinAnswer(.notEnoughDigits, [:])
    package static let unknown = IinAnswer(.unknown, [:])

    private init(_ status: Status, _ body: Json) {
        self.status = status
        productId = body["paymentProductId"]?.integer
        country = body["countryCode"]?.text.flatMap { $0 == "99" ? nil : $0 }
        cardType = body["cardType"]?.text
        brands = (body["coBrands"]?.items ?? []).prefix(8).compactMap { brand in
            guard let id = brand["paymentProductId"]?.integer else { return nil }
            return Brand(productId: id, isAllowed: brand["isAllowedInContext"]?.flag ?? false)
        }
    }

    /// Reads an answer to a call that carried its context; `nil` where it says nothing.
    package init?(status: Int, body: Json?) {
        if status == 404 {
            self = .unknown
            return
        }
        guard status == 200, let body, body.members != nil else { return nil }
        guard body["paymentProductId"]?.integer != nil else {
            self = .unknown
            return
        }
        self.init(body["isAllowedInContext"]?.flag == true ? .supported : .existingButNotAllowed, body)
    }
}
