import Conformance
import Dolyame
import Http
import Kernel
import Payments
import ProviderKit

/// Credentials and correlation ids.
enum HeaderCases {
    static func violations(_ item: Json) -> [String] {
        let input = item["input"] ?? [:]
        let expected = item["expect"]
        if let login = input["login"]?.text, let password = input["password"]?.text {
            let account = BenchAccount(login: login, password: password)
            let request = account.request(.info, id: BenchAccount.order, nil)
            return Comparison.violations(
                expected,
                ["Authorization": .string(request?.headers["Authorization"] ?? "")]
            )
        }
        if let methods = input["methods"]?.items { return everywhere(methods.compactMap(\.text), expected) }
        if let id = input["correlation_id"]?.text {
            return Comparison.violations(expected, ["valid": .bool(Correlation.isValid(id))])
        }
        if let tries = input.items { return repetitions(tries.compactMap(\.text), expected) }
        return ["a case of no known form"]
    }

    /// Each method carries the header in the expected form.
    private static func everywhere(_ names: [String], _ expected: Json?) -> [String] {
        guard let header = expected?["header"]?.text, expected?["format"]?.text == "uuid-v4" else {
            return ["the case names no header"]
        }
        return names.compactMap { name in
            guard let method = Call.Method(rawValue: name) else { return "\(name): no such method" }
            let request = BenchAccount().request(method, id: BenchAccount.order, method == .info ? nil : [:])
            return Correlation.isValid(request?.headers[header] ?? "") ? nil : "\(name): no \(header)"
        }
    }

    /// Tries of one operation share an id, written as `commit#1 attempt2`; operations never do.
    private static func repetitions(_ tries: [String], _ expected: Json?) -> [String] {
        let ids = tries.map { text in
            let operation = text.prefix { $0 != " " }
            return Correlation.id(account: Uuid(high: 0, low: 1), String(operation))
        }
        var found: [String] = []
        func indices(_ json: Json?) -> [Int] {
            (json?.items ?? []).compactMap { item in
                let place = item.integer.flatMap { Int(exactly: $0) }
                if let place, ids.indices.contains(place) { return place }
                found.append("\(item.canonicalText): there is no such try")
                return nil
            }
        }
        if Set(indices(expected?["same"]).map { ids[$0] }).count > 1 { found.append("same: ids differ") }
        for pair in expected?["different"]?.items ?? [] {
            let chosen = indices(pair)
            if Set(chosen.map { ids[$0] }).count != chosen.count { found.append("different: ids are the same") }
        }
        return found
    }
}
