import Conformance
import Kernel
import ProviderKit
import SberPay

/// Cases about single fields, whole objects and action codes.
enum FieldCases {
    static func actionCode(_ item: Json) -> [String] {
        guard let code = item["code"]?.integer else { return ["no code"] }
        let word = CodeTable.entry(code)?.kind.rawValue
        return Comparison.violations(
            expected: .compact([("class", item["class"])]),
            actual: ["class": .optional(word)]
        )
    }

    /// A case names a field, or gives an object whose members must fit each other, too.
    static func field(_ item: Json) -> [String] {
        guard let scope = item["scope"]?.text.flatMap(FieldRules.Scope.init), let given = item["value"] else {
            return ["no scope or value"]
        }
        let value = expanded(given)
        guard let field = item["field"]?.text else {
            return Comparison.verdict(
                "valid",
                expected: item["valid"],
                actual: FieldRules.violations(value, scope).isEmpty
            )
        }
        guard let isValid = FieldRules.isValid(field, value, scope) else { return ["unknown field \(field)"] }
        return Comparison.verdict("valid", expected: item["valid"], actual: isValid)
    }

    /// Long values are given as `{"repeat": c, "count": n}`.
    private static func expanded(_ value: Json) -> Json {
        guard let text = value["repeat"]?.text, let count = value["count"]?.integer, (0...1_000_000).contains(count)
        else { return value }
        return .string(String(repeating: text, count: Int(count)))
    }
}
