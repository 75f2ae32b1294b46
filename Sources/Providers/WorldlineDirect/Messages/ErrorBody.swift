package import Kernel

/// The errors of an answer: `errorCode`, or the older `code` where that is all there is.
package struct ErrorBody {
    package struct Entry: Hashable {
        let code: String?
        /// The member of our request that is at fault.
        let property: String?
        package let retriable: Bool
    }

    package let entries: [Entry]

    package init(_ body: Json?) {
        entries = Self.entries(body?["errors"])
    }

    /// Errors as they stand in an answer or in a payment's `statusOutput`.
    static func entries(_ json: Json?) -> [Entry] {
        (json?.items ?? []).prefix(Limits.errors).map { item in
            Entry(
                code: (item["errorCode"] ?? item["code"])?.scalarText.map { String($0.prefix(Limits.characters)) },
                property: item["propertyName"]?.text.map { String($0.prefix(Limits.propertyCharacters)) },
                retriable: item["retriable"]?.flag ?? false
            )
        }
    }

    package var code: String? { entries.lazy.compactMap(\.code).first }

    /// Whether the provider works on the same request: one error alone, and its code says so.
    var isInProgress: Bool { entries.count == 1 && entries[0].code.map(CodeTable.inProgress.contains) == true }

    private enum Limits {
        static let errors = 16
        static let characters = 32
        static let propertyCharacters = 128
    }
}

/// The headers of an answer that concern an idempotence key.
package struct Idempotence: Hashable, Sendable {
    /// When the provider took the first request with this key; only a repetition has it.
    package let firstRequestMilliseconds: Int64?
    /// The provider's other word for it.
    package let answeredAt: Timestamp?

    /// The time at which the provider took the first request with the key: only the answer to a repetition has it.
    static let headers = ["x-gcs-idempotence-request-timestamp", "idempotencyresponsedatetime"]

    package var isReplay: Bool { firstRequestMilliseconds != nil || answeredAt != nil }

    package init(_ header: (String) -> String?) {
        firstRequestMilliseconds = header(Self.headers[0]).flatMap { Int64($0) }
        answeredAt = header(Self.headers[1]).flatMap { Timestamp($0) }
    }
}
