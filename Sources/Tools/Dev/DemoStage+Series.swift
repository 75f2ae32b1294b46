import Daemon
import Http
package import Kernel

/// Series of payments in the demo.
extension DemoStage {
    /// Registers a schedule at the provider's demo account; `more` is put over what every schedule says.
    package func schedule(_ title: String, amount: Json, _ more: Json = [:]) async throws -> String {
        var body: [(String, Json?)] = [
            ("account", .string(DevAccount.name(of: provider))), ("amount", amount), ("customer", "demo-customer"),
            ("details", ["payer": ["email": "payer@example.org"]]), ("kind", "autopayment"),
            ("reference", .string("\(run)-\(title)")),
        ]
        for member in more.members?.members ?? [] {
            body.removeAll { $0.0 == member.name }
            body.append((member.name, member.value))
        }
        // A provider that debits by itself can't be told anything for its debits.
        if more["runner"] == "provider" { body.removeAll { $0.0 == "details" } }
        let answer = try await api.call(.post, "/v1/schedules", .compact(body), key: key(title, "schedule"))
        guard let id = answer["id"]?.text else { throw ApiClient.Failure(description: "\(title): no id in the answer") }
        return id
    }

    /// Waits until a schedule has a status.
    package func wait(schedule id: String, for status: String) async throws {
        _ = try await until(Self.patience) {
            let seen = try await api.call(.get, "/v1/schedules/\(id)")
            return ((), seen["status"]?.text == status)
        }
    }

    /// Charges a series now.
    package func run(schedule id: String, _ title: String, _ step: String = "run", _ body: Json = [:]) async throws {
        try await api.call(.post, "/v1/schedules/\(id)/run", body, key: key(title, step))
    }

    /// Tells what became of a series of which so many payments should be paid.
    package func row(_ title: String, schedule id: String, amount: String, paid: Int64, status: String = "active")
        async throws
        -> DemoRow
    {
        let expected = "\(status), \(paid) paid"
        let seen = try await until(Self.patience) {
            let schedule = try await api.call(.get, "/v1/schedules/\(id)")
            let seen = "\(schedule["status"]?.text ?? "?"), \(schedule["paid"]?.integer ?? 0) paid"
            return (seen, seen == expected)
        }
        return DemoRow(provider: provider, title: title, id: id, amount: amount, expected: expected, outcome: seen)
    }
}
