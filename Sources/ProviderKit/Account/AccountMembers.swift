import Http
import Kernel
package import Payments

/// Members that the settings of every provider's accounts have.
extension ClosedObject {
    /// Ten years.
    private static var longestSeconds: Int64 { 315_576_000 }

    /// Takes a length of time in whole seconds, at least one.
    package mutating func duration(_ name: String, default seconds: Int64) throws(SchemaFailure) -> Duration {
        .seconds(try integer(name, in: 1...Self.longestSeconds) ?? seconds)
    }

    /// Takes how often an account's payments are asked about, in whole seconds.
    package mutating func polling(first: Int64, cap: Int64) throws(SchemaFailure) -> PollSchedule {
        PollSchedule(
            first: try duration("pollFirstSeconds", default: first),
            cap: try duration("pollCapSeconds", default: cap),
            atLeast: try duration("pollAtLeastSeconds", default: 5)
        )
    }

    /// Takes an address without a query, with or without a slash at its end.
    package mutating func address(_ name: String, endsWithSlash: Bool = false) throws(SchemaFailure) -> String? {
        guard let text = try text(name, atMost: 512) else { return nil }
        guard WebAddress.isAbsolute(text), text.hasSuffix("/") == endsWithSlash, !text.utf8.contains(UInt8(ascii: "?"))
        else { throw failure(name, "not_an_address") }
        return text
    }

    /// Takes `currencies`: at least one of those that the provider knows.
    package mutating func currencies(
        default fallback: Set<String> = [],
        atMost count: Int = 200,
        where isKnown: (String) -> Bool
    ) throws(SchemaFailure) -> Set<String> {
        guard let items = try items("currencies", atMost: count) else {
            guard !fallback.isEmpty else { throw failure("currencies", "missing") }
            return fallback
        }
        var codes: Set<String> = []
        for item in items {
            guard let code = item.text, isKnown(code) else { throw failure("currencies", "unknown_currency") }
            codes.insert(code)
        }
        guard !codes.isEmpty else { throw failure("currencies", "missing") }
        return codes
    }

    /// Takes `methods`: at least one of those that the provider offers, which is also what an absent member means.
    package mutating func methods(
        among offered: Set<PaymentMethod> = Set(PaymentMethod.allCases)
    ) throws(SchemaFailure) -> Set<PaymentMethod> {
        guard let items = try items("methods", atMost: 16) else { return offered }
        var methods: Set<PaymentMethod> = []
        for item in items {
            guard let method = item.text.flatMap(PaymentMethod.init), offered.contains(method) else {
                throw failure("methods", "unknown_word")
            }
            methods.insert(method)
        }
        guard !methods.isEmpty else { throw failure("methods", "missing") }
        return methods
    }
}
