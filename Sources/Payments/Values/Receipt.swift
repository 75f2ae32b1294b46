package import EventSourcing
package import Kernel

/// A provider's word on one of its operations for people and their books; it decides nothing.
package struct Receipt: Hashable, Sendable {
    package enum Field: String, Hashable, Sendable, CaseIterable {
        /// Where the payer can read it.
        case url
        case payee
        /// The number under which the payee keeps it, or what it was for.
        case contract
        /// The provider's time of payment: an instant, or a civil time without a zone where the provider writes none.
        case paidAt
        case authorizationCode
        /// The card scheme's retrieval reference number.
        case retrievalReference
        /// The acquirer's reference number.
        case acquirerReference
    }

    /// The provider's id of the operation.
    package let providerId: String
    package private(set) var fields: [Field: String]

    package static let valueBytes = 512
    /// So many operations of one payment have their receipt kept.
    package static let kept = 64

    /// Leaves out what is empty or too long; `nil` where nothing is left.
    package init?(_ providerId: String, _ fields: [Field: String?]) {
        let told = fields.compactMapValues(\.self).filter {
            !$0.value.isEmpty && $0.value.utf8.count <= Self.valueBytes
        }
        guard !told.isEmpty else { return nil }
        self.providerId = providerId
        self.fields = told
    }

    /// Takes in what another message told of the same operation; of two values the greater stays, whatever came first.
    package func joined(_ other: Receipt?) -> Receipt {
        guard let other else { return self }
        var copy = self
        copy.fields.merge(other.fields) { max($0, $1) }
        return copy
    }

    package var json: Json {
        .compact(
            [("providerId", .string(providerId))] + Field.allCases.map { ($0.rawValue, fields[$0].map(Json.string)) }
        )
    }

    package init(_ stored: Fields) throws(CodecFailure) {
        providerId = try stored.text("providerId")
        fields = [:]
        for field in Field.allCases { fields[field] = try stored.optionalText(field.rawValue) }
    }
}
