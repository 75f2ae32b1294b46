package import Payments

extension WebhookConfiguration {
    /// The names of types that the endpoint is sent; empty for all.
    package var typeNames: [String] {
        let isAll = types.contains("*")
        return isAll ? [] : Array(Set(types.flatMap { PublicEventType.names(meantBy: $0) })).sorted()
    }
}

extension PublicEventType {
    /// The names that a word stands for, as `payment.*` or `refund.succeeded`; empty for an unknown one.
    package static func names(meantBy word: String) -> [String] {
        all.filter { word == "*" || (word.hasSuffix(".*") ? $0.family == word.dropLast(2) : $0.name == word) }.map(
            \.name
        )
    }
}
