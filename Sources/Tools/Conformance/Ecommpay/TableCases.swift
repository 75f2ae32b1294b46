import Conformance
import Ecommpay
import Kernel
import Payments
import ProviderKit

/// Cases about the status and code tables.
enum TableCases {
    static func status(_ item: Json, _ file: Json) -> [String] {
        guard let status = item["status"]?.text else { return ["no status"] }
        let byForm = item.at("context", "channel")?.text == "payment_page"
        let entry = StatusTable.lookUp(status, byForm: byForm) ?? StatusTable.unlisted
        let actual: [String: Json] = [
            "scope": .string(entry.scope.rawValue),
            "normalized": entry.state.map { .string(ProviderReading($0).rawValue) } ?? .null,
            "final": .bool(entry.isFinal),
            "action": entry.awaited.map { .string($0.rawValue) } ?? .null,
            "ambiguous": .bool(entry.isAmbiguous),
        ]
        let wanted = with(item, "ambiguous", default: false)
        return Comparison.violations(expected: only(wanted, actual), actual: actual, compared: file["compared"])
    }

    static func operationCode(_ item: Json, _ file: Json) -> [String] {
        guard let code = item["code"]?.scalarText else { return ["no code"] }
        let entry = CodeTable.entry(code)
        let actual: [String: Json] = [
            "class": .string(entry.next.rawValue),
            "domain_class": entry.reason.map { .string($0.rawValue) } ?? .null,
            "detail": entry.duplicate.map { .string($0.rawValue) } ?? .null,
        ]
        let wanted = with(item, "detail", default: .null)
        return Comparison.violations(expected: only(wanted, actual), actual: actual, compared: file["compared"])
    }

    private static func with(_ item: Json, _ name: String, default value: Json) -> Json {
        guard var members = item.members, members[name] == nil else { return item }
        members[name] = value
        return .object(members)
    }

    /// The members of a case that the adapter has an opinion on.
    private static func only(_ item: Json, _ actual: [String: Json]) -> Json {
        let members = item.members?.members.filter { actual[$0.name] != nil } ?? []
        return .object(JsonObject(members.map { ($0.name, $0.value) }))
    }
}
