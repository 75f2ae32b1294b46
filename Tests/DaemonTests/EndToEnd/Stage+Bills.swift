import Http
import Kernel
import Postgres
import TestKit

extension Stage {
    static let billAccount = "portmone-bills"

    /// An account at the simulated Portmone that pays bills, with a saved card and a user's credentials.
    func addBills(_ daemon: DaemonProcess, mode: String = "serverToken", _ bills: Json) async throws -> BillSource {
        let account: Json = [
            "mode": "test", "name": .string(Self.billAccount), "provider": "portmone",
            "secrets": [
                "password": "shop-password", "signingKey": "shop-signing-key", "notificationKey": "notify-1",
            ],
            "settings": [
                "payeeId": "1185", "login": "shop", "gatewayUrl": .string(sandbox + "/portmone/gateway/"),
                "merchantBillsUrl": .string(sandbox + "/portmone/r3/api/merchant-bills"), "bulkMode": .string(mode),
                "bills": bills, "pollFirstSeconds": 1, "pollCapSeconds": 2, "pollAtLeastSeconds": 1,
            ],
        ]
        let made = try await call(daemon, .post, "/v1/accounts", account, key: "bills-account")
        try await call(
            daemon,
            .put,
            "/v1/routing",
            ["accounts": [.string(Self.billAccount), .string(Self.account)]],
            key: "bills-routing"
        )
        guard let id = made["id"]?.text.flatMap({ Uuid($0) }) else {
            throw Failure(description: "no id in \(made.canonicalText)")
        }
        let url = "\(daemon.address)/v1/notifications/portmone/1/\(id.compact)?key=notify-1"
        try await control("/portmone/sandbox/merchants/1185", ["notification_url": .string(url)])
        let card = try await portmone(daemon, "bill-card", nil, mode: "tokenize")
        try await press(daemon, card, ["approve"])
        try await wait(daemon, card, for: "tokenized")
        let saved = try await call(daemon, .get, "/v1/payments/\(card)")
        guard let instrument = saved["savedInstruments"]?.items?.first?.text else {
            throw Failure(description: "no card in \(saved.canonicalText)")
        }
        return BillSource(instrument: instrument, credentials: try await credentials(daemon, "Password", key: "cred-1"))
    }

    struct BillSource {
        let instrument: String
        let credentials: String
    }

    func credentials(_ daemon: DaemonProcess, _ password: String, key: String) async throws -> String {
        let body: Json = [
            "account": .string(Self.billAccount), "login": "Login", "password": .string(password), "customer": "cust-1",
        ]
        let made = try await call(daemon, .post, "/v1/bill-credentials", body, key: key)
        guard let id = made["id"]?.text else { throw Failure(description: "no id in \(made.canonicalText)") }
        return id
    }

    /// Makes a batch of these bills, ten hryvnias each, and submits it.
    func submitBills(_ daemon: DaemonProcess, _ source: BillSource, _ ids: [String], name: String) async throws
        -> String
    {
        let batch = try await newBatch(daemon, source, name: name)
        try await upload(daemon, batch, ids)
        try await call(
            daemon,
            .post,
            "/v1/bill-batches/\(batch)/submit",
            ["count": .integer(Int64(ids.count)), "total": Self.hryvnias(1000 * Int64(ids.count))],
            key: "\(name)-submit"
        )
        return batch
    }

    func newBatch(_ daemon: DaemonProcess, _ source: BillSource, name: String) async throws -> String {
        let head: Json = [
            "account": .string(Self.billAccount), "instrument": .string(source.instrument),
            "credentials": .string(source.credentials), "customer": "cust-1", "reference": .string(name),
        ]
        let made = try await call(daemon, .post, "/v1/bill-batches", head, key: "\(name)-create")
        guard let id = made["id"]?.text else { throw Failure(description: "no id in \(made.canonicalText)") }
        return id
    }

    @discardableResult
    func upload(_ daemon: DaemonProcess, _ batch: String, _ ids: [String], page: Int = 1) async throws -> Json {
        let answer = try await put(daemon, batch, Self.lines(ids), page: page)
        guard answer.status == 200 else {
            throw Failure(description: "upload: \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        }
        return (try? Json(answer.body)) ?? .null
    }

    func put(_ daemon: DaemonProcess, _ batch: String, _ body: [UInt8], page: Int = 1) async throws -> HttpResponse {
        let headers = HttpHeaders([
            ("Authorization", "Bearer " + token), ("Content-Type", "application/x-ndjson"),
        ])
        return try await send(.put, "\(daemon.address)/v1/bill-batches/\(batch)/bills?page=\(page)", headers, body)
    }

    /// Waits until the batch has one of these statuses, and gives it.
    @discardableResult
    func waitBatch(_ daemon: DaemonProcess, _ batch: String, for statuses: Set<String>) async throws -> Json {
        let deadline = ContinuousClock.now + Self.patience
        var seen: Json = .null
        while ContinuousClock.now < deadline {
            seen = try await call(daemon, .get, "/v1/bill-batches/\(batch)")
            if let status = seen["status"]?.text, statuses.contains(status) { return seen }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Failure(description: "\(statuses.sorted()) never came: \(seen.canonicalText)")
    }

    /// Outcomes by bill, once the read model has what the batch has.
    func outcomes(_ daemon: DaemonProcess, _ batch: String) async throws -> [String: String] {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            let page = try await call(daemon, .get, "/v1/bill-batches/\(batch)/bills?limit=1000")
            let items = page["items"]?.items ?? []
            let pairs = items.map { ($0["id"]?.text ?? "", $0["outcome"]?.text ?? "") }
            let isBehind = pairs.contains { $0.1 == "pending" || $0.1 == "waiting" } || pairs.isEmpty
            if !isBehind || ContinuousClock.now > deadline { return Dictionary(pairs) { first, _ in first } }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// An upload of these bills, ten hryvnias each.
    static func lines(_ ids: [String]) -> [UInt8] {
        Array(ids.map { "{\"id\":\"\($0)\",\"amount\":{\"value\":1000,\"currency\":\"UAH\"}}\n" }.joined().utf8)
    }

    /// The SDK's object, once the bills were admitted.
    func untilParameters(_ daemon: DaemonProcess, _ batch: String) async throws -> Json {
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            let answer = try await exchange(daemon, .post, "/v1/bill-batches/\(batch)/app-parameters", [:])
            if answer.status == 200 { return try Json(answer.body)["parameters"] ?? .null }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Failure(description: "no app parameters for \(batch)")
    }

    /// Enqueues a batch from a table, as a backend that shares the database does.
    func enqueueBills(_ source: BillSource, count: Int) async throws {
        let connection = try await PostgresConnection.connect(database.options)
        try await connection.script(
            """
            CREATE TABLE public.due_bills (id text PRIMARY KEY, amount bigint NOT NULL);
            INSERT INTO public.due_bills SELECT 'sql-' || n, 1000 FROM generate_series(1, \(count)) n
            """
        )
        let head: Json = [
            "account": .string(Self.billAccount), "instrument": .string(source.instrument),
            "credentials": .string(source.credentials), "customer": "cust-1",
        ]
        _ = try await connection.query(
            """
            SELECT paystream.enqueue_bills(m.name, 'from-table', $1, 'public.due_bills')
              FROM paystream.merchant m ORDER BY m.id LIMIT 1
            """,
            [.json(head.canonical)]
        ) { row throws(PostgresFailure) in try row.uuid(0) }
        await connection.close()
    }

    /// Posts with a key of somebody else.
    func asSecondPerson(_ daemon: DaemonProcess, _ path: String, _ body: Json) async throws -> Json {
        let other = try await newKey("second-person")
        let headers = HttpHeaders([
            ("Authorization", "Bearer \(other)"), ("Content-Type", "application/json"),
            ("Idempotency-Key", "second-person"),
        ])
        let answer = try await send(.post, daemon.address + path, headers, body.compactBytes)
        guard answer.status == 200 else {
            throw Failure(description: "\(path): \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        }
        return try Json(answer.body)
    }

    /// Waits until so many bills of a batch ended so.
    func waitTally(_ daemon: DaemonProcess, _ batch: String, _ outcome: String, _ count: Int64) async throws {
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            let seen = try await call(daemon, .get, "/v1/bill-batches/\(batch)")
            if seen.at("tally", "counts", outcome)?.integer == count { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Failure(description: "\(outcome) never was \(count)")
    }
}
