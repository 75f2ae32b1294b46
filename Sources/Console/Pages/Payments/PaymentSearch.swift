import Api
import Http
import Kernel

/// What a list of payments is narrowed to, by its address.
struct PaymentSearch {
    let isTransfers: Bool
    /// The query of the API.
    let query: [(name: String, value: String)]
    /// The query of the console, without page and notices.
    private let own: [(name: String, value: String)]

    private static let plain = [
        "status", "reference", "providerReference", "customer", "email", "card", "currency", "account", "needsOperator",
        "disputed", "provider", "method", "accountMode",
    ]
    private static let amounts = ["amountFrom", "amountTo"]
    private static let own = amounts + ["kind", "from", "before", "zone", "metadata"]

    init(_ visit: Visit) throws(Problem) {
        isTransfers = visit.parameter("kind") == "transfers"
        var query: [(name: String, value: String)] = []
        for name in Self.plain { if let value = visit.parameter(name) { query.append((name, value)) } }
        for (name, bound) in [("from", "createdFrom"), ("before", "createdBefore")] {
            guard let text = visit.parameter(name) else { continue }
            guard let date = CivilDate(text) else {
                throw Problem(.queryInvalid, "A day is written as 2026-11-21.", path: name)
            }
            query.append((bound, visit.reading.zone.start(of: date).description))
        }
        for name in Self.amounts {
            guard let text = visit.parameter(name) else { continue }
            query.append((name, "\(try Self.minorUnits(text, name, visit))"))
        }
        if let label = visit.parameter("metadata") {
            let halves = label.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2 else {
                throw Problem(.queryInvalid, "A label is written as name=value.", path: "metadata")
            }
            query.append(("metadata[\(halves[0])]", String(halves[1])))
        }
        if let cursor = visit.parameter("cursor") { query.append(("cursor", cursor)) }
        self.query = query + [("limit", "25")]
        own = (Self.plain + Self.own).compactMap { name in visit.parameter(name).map { (name, $0) } }
    }

    /// An amount as a person writes it, in the minor units of the currency that is asked for.
    private static func minorUnits(_ text: String, _ name: String, _ visit: Visit) throws(Problem) -> Int64 {
        guard let currency = visit.parameter("currency").flatMap({ Currency($0) }) else {
            throw Problem(.queryInvalid, "An amount is of a currency, as in EUR.", path: "currency")
        }
        do throws(MoneyFailure) { return try visit.formats.typed(text, currency).minor } catch {
            throw Problem(.queryInvalid, "An amount is written as in 19.99.", path: name)
        }
    }

    var path: String { isTransfers ? "/v1/transfers" : "/v1/payments" }

    /// Whether anything but the kind and the zone is said.
    var isNarrowed: Bool { own.contains { $0.name != "kind" && $0.name != "zone" } }

    var text: String { FormEncoding.encode(own) }

    func address(_ segments: String...) -> Address {
        own.reduce(segments.count == 1 ? Address(segments[0]) : Address(segments[0], segments[1])) {
            $0.with($1.name, $1.value)
        }
    }

    /// The same with pages of a download.
    func query(cursor: String?) -> [(name: String, value: String)] {
        query.filter { $0.name != "limit" && $0.name != "cursor" } + [("limit", "100")]
            + (cursor.map { [("cursor", $0)] } ?? [])
    }
}
