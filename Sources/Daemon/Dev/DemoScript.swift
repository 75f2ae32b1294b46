import Http
import Kernel

/// One payment of every kind, made over HTTP as a backend and a payer would.
struct DemoScript: Sendable {
    let environment: DevEnvironment
    let api: ApiClient
    /// Tells this run's keys from those of earlier runs.
    let run: String

    /// What a demo payment was meant to become, and what it became.
    struct Row: Sendable {
        let title: String
        let id: String
        let amount: String
        let expected: String
        let seen: String

        var isGood: Bool { expected == seen }

        func seen(_ other: String) -> Row {
            Row(title: title, id: id, amount: amount, expected: expected, seen: other)
        }
    }

    /// How long a payment may take to get where it should.
    private static let patience = Duration.seconds(20)

    func all() async throws -> [Row] {
        var rows: [Row] = []
        rows.append(try await sale("sale", cents: 7700, "captured"))
        rows.append(try await sale("sale with 3-D Secure", cents: 7711, "captured"))
        rows.append(try await sale("sale, second try in the form", cents: 7708, "captured"))
        rows.append(try await sale("sale with clarification", cents: 7721, "captured"))
        rows.append(try await sale("declined sale", cents: 7701, "failed"))
        rows.append(try await held("hold, captured", "capture", [:], "captured"))
        rows.append(try await held("hold, given back", "void", [:], "voided"))
        rows.append(try await refunded("sale, half refunded", cents: 7700, part: 3850, "partiallyRefunded"))
        rows.append(try await refunded("refund whose answer is lost", cents: 7771, part: 7771, "refunded"))
        rows.append(try await app())
        rows.append(try await checked("verify", "verified"))
        rows.append(contentsOf: try await saved())
        return rows
    }

    // MARK: Kinds

    private func sale(_ title: String, cents: Int64, _ expected: String) async throws -> Row {
        let id = try await create(title, mode: "sale", cents: cents)
        try await open(id)
        return try await row(title, id, expected)
    }

    private func held(_ title: String, _ verb: String, _ body: Json, _ expected: String) async throws -> Row {
        let id = try await create(title, mode: "authorize", cents: 7700)
        try await open(id)
        _ = try await wait(id, for: "authorized")
        try await api.call(.post, "/v1/payments/\(id)/\(verb)", body, key: key(title, verb))
        return try await row(title, id, expected)
    }

    private func refunded(_ title: String, cents: Int64, part: Int64, _ expected: String) async throws -> Row {
        let id = try await create(title, mode: "sale", cents: cents)
        try await open(id)
        _ = try await wait(id, for: "captured")
        let amount: Json = ["currency": "EUR", "value": .integer(part)]
        try await api.call(.post, "/v1/payments/\(id)/refund", ["amount": amount], key: key(title, "refund"))
        return try await row(title, id, expected)
    }

    /// The app's side: the SDK object goes to the sandbox's app, which pays.
    private func app() async throws -> Row {
        let title = "sale in an app (SDK)"
        let id = try await create(title, mode: "sale", cents: 7700, method: "sdk")
        let rendered = try await api.call(.post, "/v1/payments/\(id)/app-parameters", [:])
        let body: Json = ["sdk": "ios", "parameters": rendered["parameters"] ?? .null, "scenario": "approve"]
        let answer = try await api.open(environment.sandbox + "/sandbox/app/ecommpay", posting: body)
        guard answer.status == 200 else {
            throw ApiClient.Failure(
                description: "app: \(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
            )
        }
        let code = (try? Json(answer.body))?.at("result", "code")?.integer ?? 0
        let claim: Json = ["code": .integer(code), "sdk": "ios"]
        try await api.call(.post, "/v1/payments/\(id)/confirm", claim, key: key(title, "confirm"))
        let row = try await row(title, id, "captured")
        let isTold = try await callbackArrives(of: rendered.at("parameters", "paymentID")?.text)
        return isTold ? row : row.seen("\(row.seen) without a callback")
    }

    /// Whether the sandbox delivers a callback about a payment, by the provider's name for it.
    private func callbackArrives(of name: String?) async throws -> Bool {
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            let answer = try await api.open(environment.sandbox + "/sandbox/callbacks")
            let deliveries = (try? Json(answer.body))?["callbacks"]?.items ?? []
            if deliveries.contains(where: { $0["payment_id"]?.text == name && $0["state"]?.text == "delivered" }) {
                return true
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    private func checked(_ title: String, _ expected: String) async throws -> Row {
        let id = try await create(title, mode: "verify", cents: 0)
        try await pay(try await open(id))
        return try await row(title, id, expected)
    }

    /// A card is saved, then pays again by its token.
    private func saved() async throws -> [Row] {
        let tokenize = try await create("tokenize", mode: "tokenize", cents: nil)
        try await pay(try await open(tokenize))
        let first = try await row("tokenize", tokenize, "tokenized")
        let payment = try await api.call(.get, "/v1/payments/\(tokenize)")
        guard let instrument = payment["savedInstruments"]?.items?.first?.text else { return [first] }
        let id = try await create("sale with the saved card", mode: "sale", cents: 7700, instrument: instrument)
        try await open(id)
        return [first, try await row("sale with the saved card", id, "captured")]
    }

    // MARK: Steps

    /// An idempotency key from what is done: the same step of the same run has the same key.
    private func key(_ title: String, _ step: String) -> String {
        let word = title.map { $0.isLetter || $0.isNumber ? $0 : "-" }
        return "\(run)-\(String(word))-\(step)"
    }

    private func create(
        _ title: String,
        mode: String,
        cents: Int64?,
        method: String = "hosted",
        instrument: String? = nil
    ) async throws -> String {
        let amount: Json? = cents.map { ["currency": "EUR", "value": .integer($0)] }
        let body: Json = .compact([
            ("amount", amount), ("customer", "demo-customer"), ("description", .string("Demo: \(title)")),
            ("details", ["payer": ["email": "payer@example.org"]]), ("instrument", instrument.map(Json.string)),
            ("method", .string(instrument == nil ? method : "instrument")), ("mode", .string(mode)),
            ("reference", .string("\(run)-\(title)")),
        ])
        let answer = try await api.call(.post, "/v1/payments", body, key: key(title, "create"))
        guard let id = answer["id"]?.text else { throw ApiClient.Failure(description: "\(title): no id in the answer") }
        return id
    }

    /// Opens the page that the payer is sent to, and gives the address of its form.
    @discardableResult
    private func open(_ id: String) async throws -> String? {
        let action = try await api.call(.get, "/v1/payments/\(id)/next-action")
        guard let url = action["url"]?.text else {
            throw ApiClient.Failure(description: "\(id): the next action is \(action.canonicalText)")
        }
        let page = try await api.open(url)
        guard page.status == 200 || page.status == 303 else {
            throw ApiClient.Failure(description: "\(id): the page answers \(page.status)")
        }
        return page.headers["Location"]
    }

    /// Presses the form's main button, as a person does.
    private func pay(_ form: String?) async throws {
        guard let form else { throw ApiClient.Failure(description: "the page has no form") }
        let answer = try await api.submit(
            [("action", "pay"), ("card", "visa-approved")],
            to: environment.sandbox + form
        )
        guard answer.status == 200 || answer.status == 303 else {
            throw ApiClient.Failure(description: "the form answers \(answer.status)")
        }
    }

    private func wait(_ id: String, for status: String) async throws -> Json {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            let payment = try await api.call(.get, "/v1/payments/\(id)")
            if payment["status"]?.text == status || ContinuousClock.now > deadline { return payment }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private func row(_ title: String, _ id: String, _ expected: String) async throws -> Row {
        let payment = try await wait(id, for: expected)
        let amount = payment["amount"].flatMap { amount -> String? in
            guard let code = amount["currency"]?.text, let currency = Currency(code),
                let minor = amount["value"]?.integer
            else { return nil }
            return Money(minor, currency).description
        }
        return Row(
            title: title,
            id: id,
            amount: amount ?? "–",
            expected: expected,
            seen: payment["status"]?.text ?? "?"
        )
    }
}
