import Http
import Kernel
import Postgres
import TestKit

extension Stage {
    // MARK: Payments

    static func euros(_ cents: Int64) -> Json { ["currency": "EUR", "value": .integer(cents)] }

    static func newPayment(_ name: String, _ cents: Int64, mode: String = "sale", more: [(String, Json)] = []) -> Json {
        var members = JsonObject([
            ("mode", .string(mode)), ("amount", euros(cents)), ("reference", .string(name)),
            ("details", ["payer": ["email": "payer@example.org"]]),
        ])
        for (name, value) in more { members[name] = value }
        return .object(members)
    }

    /// Creates a payment and opens its page, on which the magic amount plays by itself.
    func open(_ daemon: DaemonProcess, _ name: String, _ cents: Int64, mode: String = "sale") async throws -> String {
        let body = Self.newPayment(name, cents, mode: mode)
        let payment = try await call(daemon, .post, "/v1/payments", body, key: "\(name)-create")
        guard let id = payment["id"]?.text else { throw Failure(description: "no id in \(payment.canonicalText)") }
        try await openPage(daemon, id)
        return id
    }

    func openPage(_ daemon: DaemonProcess, _ id: String) async throws {
        let action = try await call(daemon, .get, "/v1/payments/\(id)/next-action")
        guard let url = action["url"]?.text else { throw Failure(description: "no page in \(action.canonicalText)") }
        let page = try await send(.get, url, HttpHeaders([("Accept", "text/html")]), [])
        guard page.status < 400 else { throw Failure(description: "the page answers \(page.status)") }
    }

    /// Saves a card of `cust-1` on the page; gives the instrument as soon as the payment shows it.
    func ecommpayCard(_ daemon: DaemonProcess, _ name: String) async throws -> String {
        let body: Json = [
            "mode": "tokenize", "customer": "cust-1", "reference": .string(name),
            "details": ["payer": ["email": "payer@example.org"]],
        ]
        let id = try await call(daemon, .post, "/v1/payments", body, key: name)["id"]?.text ?? ""
        let action = try await call(daemon, .get, "/v1/payments/\(id)/next-action")
        let page = try await send(.get, action["url"]?.text ?? "", HttpHeaders([("Accept", "text/html")]), [])
        let form = HttpHeaders([("Content-Type", "application/x-www-form-urlencoded")])
        let pressed = Array("action=pay&card=visa-approved".utf8)
        let answer = try await send(.post, sandbox + (page.headers["Location"] ?? ""), form, pressed)
        guard answer.status < 400 else { throw Failure(description: "the form answers \(answer.status)") }
        return try await wait(daemon, id, for: "tokenized")["savedInstruments"]?.items?.first?.text ?? ""
    }

    /// Creates a payment, lets it be paid, and waits until that is known.
    func paid(_ daemon: DaemonProcess, _ name: String, _ cents: Int64, mode: String = "sale") async throws -> String {
        let id = try await open(daemon, name, cents, mode: mode)
        _ = try await wait(daemon, id, for: mode == "sale" ? "captured" : "authorized")
        return id
    }

    func payment(_ daemon: DaemonProcess, _ id: String, at resource: String = "payments") async throws -> Json {
        try await call(daemon, .get, "/v1/\(resource)/\(id)")
    }

    /// Asks until the payment has the status; another one is a failure that shows the payment.
    @discardableResult
    func wait(_ daemon: DaemonProcess, _ id: String, for status: String, at resource: String = "payments")
        async throws -> Json
    {
        try await until("\(id) is \(status)") {
            let payment = try await self.payment(daemon, id, at: resource)
            return payment["status"]?.text == status ? .done(payment) : .notYet(payment.canonicalText)
        }
    }

    enum Look<Value: Sendable>: Sendable {
        case done(Value)
        /// What is there instead, for whoever reads the failure.
        case notYet(String)
    }

    /// Looks again and again until something is so, or the patience ends.
    func until<Value: Sendable>(
        _ what: String,
        patience: Duration = Stage.patience,
        pause: Duration = .milliseconds(30),
        _ look: () async throws -> Look<Value>
    ) async throws -> Value {
        let deadline = ContinuousClock.now + patience
        var seen = ""
        while ContinuousClock.now < deadline {
            switch try await look() {
            case .done(let value): return value
            case .notYet(let text): seen = text
            }
            try await Task.sleep(for: pause)
        }
        throw Failure(description: "never came true: \(what); last seen: \(seen)")
    }

    // MARK: The sandbox's truth

    /// The name of a payment at the provider.
    func providerName(_ daemon: DaemonProcess, _ id: String, at resource: String = "payments") async throws -> String {
        let payment = try await payment(daemon, id, at: resource)
        guard let name = payment.at("attempt", "reference")?.text else {
            throw Failure(description: "no attempt in \(payment.canonicalText)")
        }
        return name
    }

    /// The ledger's entries of a payment, each as `kind amount`.
    func ledger(_ providerName: String) async throws -> [String] {
        let json = try await control("/sandbox/ledger?project=\(Self.project)&payment_id=\(providerName)")
        return (json["entries"]?.items ?? []).map { entry in
            "\(entry["kind"]?.text ?? "?") \(entry["amount"]?.integer ?? 0)"
        }
    }

    // MARK: The database's truth

    func withDatabase<Value: Sendable>(_ body: (PostgresConnection) async throws -> Value) async throws -> Value {
        let connection = try await PostgresConnection.connect(database.options)
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body(connection)) } catch { outcome = .failure(error) }
        await connection.close()
        return try outcome.get()
    }

    func count(_ sql: String) async throws -> Int {
        let values = try await withDatabase { connection in
            try await connection.query("SELECT count(*) FROM \(sql)") { row throws(PostgresFailure) in
                try row.int64(0)
            }
        }
        return Int(values.first ?? -1)
    }

    /// The first column of the first row.
    func text(_ sql: String) async throws -> String {
        let values = try await withDatabase { connection in
            try await connection.query(sql) { row throws(PostgresFailure) in try row.text(0) }
        }
        return values.first ?? ""
    }

    func execute(_ sql: String) async throws { _ = try await withDatabase { try await $0.execute(sql) } }

    /// Waits for the effect of a payment to be in one of these states.
    func waitForEffect(in states: String) async throws {
        try await until("an effect is in \(states)") {
            try await self.count("paystream.effect WHERE state IN (\(states))") > 0 ? .done(()) : .notYet("none")
        }
    }

    /// Lets the leases of vanished senders run out at once, as if the time had passed.
    func passLeases() async throws {
        try await execute(
            """
            DO $$
            DECLARE
                held record;
            BEGIN
                FOR held IN SELECT merchant, id FROM paystream.effect WHERE state IN (1, 2) LOOP
                    UPDATE paystream.effect SET lease_until = now() - interval '1 minute'
                     WHERE merchant = held.merchant AND id = held.id AND state IN (1, 2);
                    COMMIT;
                END LOOP;
                FOR held IN SELECT merchant, stream FROM paystream.mail WHERE owner IS NOT NULL LOOP
                    UPDATE paystream.mail SET due = now()
                     WHERE merchant = held.merchant AND stream = held.stream AND owner IS NOT NULL;
                    COMMIT;
                END LOOP;
            END
            $$
            """
        )
    }

    // MARK: The log's truth

    /// Decides every recorded input again, byte for byte; `paystream replay verify` ends with 0 only if nothing differs.
    func verifyReplay() async throws { try await command(["replay", "verify"]) }

    /// Holds every send against its licence; every stage ends with it.
    func verifyLicenses() async throws { try await command(["verify", "licences"]) }

    /// Drops the read models, builds them again and compares; then holds movements and postings against the streams' folds.
    func verifyViews() async throws {
        try await command(["replay", "views"])
        try await command(["verify", "books"])
    }
}
