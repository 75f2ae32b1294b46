package import Daemon
import Http
package import Kernel

/// A demo payment: the state it was meant to reach, and the one it reached.
package struct DemoRow: Sendable {
    package let provider: String
    package let title: String
    package let id: String
    package let amount: String
    package let expected: String
    package let outcome: String

    package var isGood: Bool { expected == outcome }

    package func ending(_ other: String) -> DemoRow {
        DemoRow(provider: provider, title: title, id: id, amount: amount, expected: expected, outcome: other)
    }
}

/// The payments of one provider in the demo, one after the other.
package protocol DemoScenes: Sendable {
    init(_ stage: DemoStage)

    /// The name of the provider, as in an account.
    static var provider: String { get }

    func all() async throws -> [DemoRow]
}

/// The steps that every scene is made of: a backend's over the API, a payer's over the provider's pages.
package struct DemoStage: Sendable {
    /// Address of the sandbox.
    package let sandbox: String
    package let api: ApiClient
    /// Tells this run's keys from those of earlier runs.
    package let run: String
    package let provider: String

    /// How long a payment may take to get where it should.
    package static let patience = Duration.seconds(20)

    /// An idempotency key from what is done: the same step of the same run has the same key.
    package func key(_ title: String, _ step: String) -> String {
        let word = title.map { $0.isLetter || $0.isNumber ? $0 : "-" }
        return "\(run)-\(provider)-\(String(word))-\(step)"
    }

    /// Creates a payment at the provider's demo account; `more` is put over what every payment says.
    package func create(_ title: String, mode: String, amount: Json?, _ more: Json = [:]) async throws -> String {
        var body: [(String, Json?)] = [
            ("account", .string(DevAccount.name(of: provider))), ("amount", amount),
            ("customer", "demo-customer"), ("description", .string("Demo: \(title)")),
            ("details", ["payer": ["email": "payer@example.org"]]), ("mode", .string(mode)),
            ("reference", .string("\(run)-\(title)")),
        ]
        for member in more.members?.members ?? [] {
            body.removeAll { $0.0 == member.name }
            body.append((member.name, member.value))
        }
        let answer = try await api.call(.post, "/v1/payments", .compact(body), key: key(title, "create"))
        guard let id = answer["id"]?.text else { throw ApiClient.Failure(description: "\(title): no id in the answer") }
        return id
    }

    /// Asks for something that is done to a payment.
    package func perform(_ verb: String, _ id: String, _ title: String, _ body: Json = [:]) async throws {
        try await api.call(.post, "\(Self.path(id))/\(verb)", body, key: key(title, verb))
    }

    /// Where a payment or a transfer is.
    package static func path(_ id: String) -> String {
        id.hasPrefix("trf_") ? "/v1/transfers/\(id)" : "/v1/payments/\(id)"
    }

    /// The address that the payer is sent to, once there is one.
    package func page(of id: String) async throws -> String {
        let action = try await until(Self.patience) {
            let action = try await api.call(.get, "/v1/payments/\(id)/next-action")
            return (action, action["url"] != nil)
        }
        guard let url = action["url"]?.text else {
            throw ApiClient.Failure(description: "\(id): the next action is \(action.canonicalText)")
        }
        return url
    }

    /// Opens the payer's page, and gives the address of its form where it leads to one.
    @discardableResult
    package func open(_ id: String) async throws -> String? {
        let page = try await api.open(try await page(of: id))
        guard page.status == 200 || page.status == 303 else {
            throw ApiClient.Failure(description: "\(id): the page answers \(page.status)")
        }
        return page.headers["Location"]
    }

    /// Submits a form, as a person who presses a button does.
    package func submit(_ fields: [(name: String, value: String)], to url: String) async throws {
        let answer = try await api.submit(fields, to: url)
        guard answer.status == 200 || answer.status == 303 else {
            throw ApiClient.Failure(description: "the form answers \(answer.status)")
        }
    }

    /// Waits until a payment has a status, and gives it as it stands then or when patience ends.
    @discardableResult
    package func wait(_ id: String, for status: String) async throws -> Json {
        try await until(Self.patience) {
            let payment = try await api.call(.get, Self.path(id))
            return (payment, payment["status"]?.text == status)
        }
    }

    /// Looks again and again until it is good or the time is over; gives what was seen last.
    package func until<Seen>(_ patience: Duration, _ look: () async throws -> (Seen, isGood: Bool)) async throws -> Seen
    {
        let deadline = ContinuousClock.now + patience
        while true {
            let (seen, isGood) = try await look()
            if isGood || ContinuousClock.now > deadline { return seen }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Tells what became of a payment that should end as `expected`.
    package func row(_ title: String, _ id: String, _ expected: String) async throws -> DemoRow {
        let payment = try await wait(id, for: expected)
        let amount = payment["amount"].flatMap { amount -> String? in
            guard let code = amount["currency"]?.text, let currency = Currency(code),
                let minor = amount["value"]?.integer
            else { return nil }
            return Money(minor, currency).description
        }
        return DemoRow(
            provider: provider,
            title: title,
            id: id,
            amount: amount ?? "–",
            expected: expected,
            outcome: payment["status"]?.text ?? "?"
        )
    }
}
