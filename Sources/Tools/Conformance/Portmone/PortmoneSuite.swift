package import Conformance
import Kernel
import Portmone
import ProviderKit

/// Holds vector files of this provider against the adapter's own code.
package struct PortmoneSuite: ConformanceSuite {
    package init() {}

    package var cases: [CaseKind] {
        [
            CaseKind("browser_return", given: "fields", expected: "expected") { item, _ in ReturnCase.violations(item)
            },
            CaseKind(
                "create_link_payment",
                given: "request signingKey response parts billAmount",
                expected: "expected attribute5 valid expected_valid"
            ) { item, _ in LinkCase(item).violations },
            CaseKind(
                "lifecycle",
                given: "authorizedAmount history rows accountMode environment flow mode",
                expected: "expected order_number"
            ) { item, _ in LifecycleCase(item).violations },
            CaseKind("merchant_bills_calls", given: "request requested response", expected: "expected") { item, _ in
                BillCallCase(item).violations
            },
            CaseKind(
                "notifications",
                given: "request account knownOrders known_orders repeat",
                expected: "expected reply replyCode",
                within: ["account": "payeeId"]
            ) { item, _ in NoticeCase(item).violations },
            CaseKind(
                "preauth",
                given: "request response prior",
                expected: "expected order_number",
                within: ["prior": "amount state"]
            ) { item, _ in CallCase(item, .preauth).violations },
            CaseKind(
                "refund",
                given: "request response prior",
                expected: "expected order_number",
                within: ["prior": "amount state"]
            ) { item, _ in CallCase(item, .refund).violations },
            CaseKind(
                "signature",
                given: "input",
                expected: "message signature",
                within: ["input": "billAmount dt key login payeeId shopOrderNumber"]
            ) { item, _ in SignatureCase.violations(item) },
            CaseKind(
                "status_result",
                given: "request response prior",
                expected: "expected order_number",
                within: ["prior": "amount state"]
            ) { item, _ in CallCase(item, .status).violations },
            CaseKind("ubill_results", given: "requested ubills", expected: "expected") { item, _ in
                BillResultCase.violations(item)
            },
            CaseKind(
                "wallet_pay",
                given: "request response prior",
                expected: "expected order_number",
                within: ["prior": "amount state"]
            ) { item, _ in CallCase(item, .wallet).violations },
        ]
    }
}

/// Compares what a case expects with what the adapter concluded.
enum Comparison {
    /// Compares each expected member; `null` and absence are equal, remarks are no expectation.
    static func violations(expected: Json?, actual: [String: Json], place: String = "") -> [String] {
        guard let members = expected?.members else { return ["the case expects nothing"] }
        var found: [String] = []
        for member in members.members where member.name != "note" {
            let value = actual[member.name] ?? .null
            found += differences(member.value, value, "\(place)\(member.name)")
        }
        return found
    }

    /// Objects are compared by the members that are expected, lists as sets unless they hold objects.
    static func differences(_ expected: Json, _ actual: Json, _ place: String) -> [String] {
        if let wanted = expected.members, actual.members != nil {
            return wanted.members.flatMap { member in
                differences(member.value, actual[member.name] ?? .null, "\(place).\(member.name)")
            }
        }
        if let one = expected.items, let two = actual.items {
            guard one.count == two.count else { return ["\(place): expected \(one.count) items, got \(two.count)"] }
            if one.contains(where: { $0.members != nil }) {
                return zip(one, two).enumerated().flatMap { differences($1.0, $1.1, "\(place).\($0)") }
            }
            let isSame = Set(one.map(\.canonicalText)) == Set(two.map(\.canonicalText))
            return isSame ? [] : ["\(place): expected \(expected.canonicalText), got \(actual.canonicalText)"]
        }
        return expected.canonical == actual.canonical
            ? [] : ["\(place): expected \(expected.canonicalText), got \(actual.canonicalText)"]
    }

    static func text(_ name: String, expected: Json?, actual: String) -> [String] {
        guard let expected = expected?.text else { return [] }
        return Array(expected.utf8) == Array(actual.utf8) ? [] : ["\(name): expected \(expected), got \(actual)"]
    }

    /// Decoded pairs of two forms: amounts as exact decimals, the encoding's name without regard to case.
    ///
    /// A member named in `optional` may be there or not; a zero amount beside a rejection says nothing.
    static func pairs(_ expected: String, _ actual: [(name: String, value: String)], optional: Set<String>) -> [String]
    {
        guard let wanted = FormEncoding.decode(expected) else { return ["the case's form can't be decoded"] }
        let left = normalized(wanted)
        let right = normalized(actual)
        var found: [String] = []
        for (name, value) in left where right[name] != value {
            found.append("request.\(name): expected \(value), got \(right[name] ?? "nothing")")
        }
        for name in right.keys where left[name] == nil && !optional.contains(name) {
            found.append("request.\(name): not expected")
        }
        return found.sorted()
    }

    private static func normalized(_ pairs: [(name: String, value: String)]) -> [String: String] {
        var found: [String: String] = [:]
        for pair in pairs {
            if pair.name.hasSuffix("amount") {
                guard let amount = Amounts.read(pair.value, Amounts.hryvnia) else {
                    found[pair.name] = pair.value
                    continue
                }
                if amount.minor != 0 { found[pair.name] = amount.decimal }
            } else {
                found[pair.name] = pair.name == "encoding" ? pair.value.lowercased() : pair.value
            }
        }
        return found
    }
}
