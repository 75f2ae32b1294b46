import Http
import Kernel

/// One payment's way from its creation to its end, in steps that a backend may repeat.
struct CrashFlow: Sendable, CustomStringConvertible {
    typealias Step = @Sendable (CrashRun) async throws -> Void

    let name: String
    let provider: String
    /// The payment's status at the end.
    let ending: String
    /// The entries of the simulator's ledger at the end.
    let ledger: [String]
    let steps: [Step]

    var description: String { "\(provider)/\(name)" }

    static let all: [CrashFlow] = ecommpay + portmone

    // MARK: ecommpay

    private static let ecommpay = [
        CrashFlow(
            name: "refunded",
            provider: "ecommpay",
            ending: "partiallyRefunded",
            ledger: ["charge 7700", "refund 3850"],
            steps: [
                create(7700, "EUR", "sale"), openPage, reach("captured"),
                perform("refund", ["amount": Stage.euros(3850)]), reach("partiallyRefunded"),
            ]
        ),
        CrashFlow(
            name: "captured",
            provider: "ecommpay",
            ending: "captured",
            ledger: ["hold 7700", "capture 7700"],
            steps: [
                create(7700, "EUR", "authorize"), openPage, reach("authorized"), perform("capture", [:]),
                reach("captured"),
            ]
        ),
        CrashFlow(
            name: "voided",
            provider: "ecommpay",
            ending: "voided",
            ledger: ["hold 7700", "release 7700"],
            steps: [
                create(7700, "EUR", "authorize"), openPage, reach("authorized"), perform("void", [:]), reach("voided"),
            ]
        ),
        CrashFlow(
            name: "lost",
            provider: "ecommpay",
            ending: "refunded",
            ledger: ["charge 7771", "refund 7771"],
            steps: [
                create(7771, "EUR", "sale"), openPage, reach("captured"), perform("refund", [:]), reach("refunded"),
            ]
        ),
        CrashFlow(
            name: "declined",
            provider: "ecommpay",
            ending: "failed",
            ledger: [],
            steps: [create(7701, "EUR", "sale"), openPage, reach("failed")]
        ),
    ]

    // MARK: Portmone

    private static let portmone = [
        CrashFlow(
            name: "refunded",
            provider: "portmone",
            ending: "refunded",
            ledger: ["charge 900", "refund 900"],
            steps: [
                create(900, "UAH", "sale"), press("approve"), reach("captured"), perform("refund", [:]),
                reach("refunded"),
            ]
        ),
        CrashFlow(
            name: "captured",
            provider: "portmone",
            ending: "captured",
            ledger: ["hold 2000", "capture 1500", "release 500"],
            steps: [
                create(2000, "UAH", "authorize"), press("approve"), reach("authorized"),
                perform("capture", ["amount": Stage.hryvnias(1500)]), reach("captured"),
            ]
        ),
    ]

    // MARK: Steps

    private static func create(_ minor: Int64, _ currency: String, _ mode: String) -> Step {
        { run in
            let body: Json = [
                "amount": ["currency": .string(currency), "value": .integer(minor)], "customer": "cust-1",
                "description": .string(run.name), "details": ["payer": ["email": "payer@example.org"]],
                "mode": .string(mode), "provider": .string(run.flow.provider), "reference": .string(run.name),
            ]
            let made = try await run.stage.call(run.daemon, .post, "/v1/payments", body, key: "\(run.name)-create")
            run.id = made["id"]?.text ?? ""
        }
    }

    private static func perform(_ verb: String, _ body: Json) -> Step {
        { run in
            let path = "/v1/payments/\(run.id)/\(verb)"
            try await run.stage.call(run.daemon, .post, path, body, key: "\(run.name)-\(verb)")
        }
    }

    private static func reach(_ status: String) -> Step {
        { run in try await run.stage.wait(run.daemon, run.id, for: status) }
    }

    /// The payer opens the page, on which the magic amount plays by itself.
    private static let openPage: Step = { run in
        guard let url = try await page(run) else { return }
        _ = try await run.stage.send(.get, url, HttpHeaders([("Accept", "text/html")]), [])
    }

    /// The payer opens the page and presses a button; pressed already, the page says so.
    private static func press(_ button: String) -> Step {
        { run in
            guard let url = try await page(run) else { return }
            let headers = HttpHeaders([("Content-Type", "application/x-www-form-urlencoded")])
            let answer = try await run.stage.send(.post, url, headers, Array("action=\(button)".utf8))
            guard answer.status < 400 else { throw Stage.Failure(description: "\(url): \(answer.status)") }
        }
    }

    /// The address that the payer is sent to; `nil` where they were there already and the payment went on.
    private static func page(_ run: CrashRun) async throws -> String? {
        try await run.stage.until("\(run.name) has a page") { () -> Stage.Look<String?> in
            let status = try await run.stage.payment(run.daemon, run.id)["status"]?.text ?? ""
            // What is being found out after a crash may still want the payer.
            guard ["created", "requiresAction", "processing", "indeterminate"].contains(status) else {
                return .done(nil)
            }
            let path = "/v1/payments/\(run.id)/next-action"
            let answer = try await run.stage.exchange(run.daemon, .get, path)
            guard let url = (try? Json(answer.body))?["url"]?.text else { return .notYet(status) }
            return .done(url)
        }
    }
}
