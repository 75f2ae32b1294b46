import EventSourcing
import Http
import Kernel
import Payments
import Postgres
import TestKit
import Testing

/// What one account or one merchant has waiting, and how long the others wait for it.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct FairnessTests {
    /// More than there are places on the wire.
    private static let hanging = 300
    /// More than the inbox gives the daemon before another merchant's command comes.
    private static let flood = 3000

    @Test func `a provider that never answers holds up the messages of its own account alone`() async throws {
        try await Stage.run("e2esilent") { stage, daemon in
            let silent = try stage.toldProvider()
            silent.tell(.silent, times: .max) { _ in true }
            let paid = try await stage.paid(daemon, "healthy", 7700)
            try await stage.addSberPay(daemon, "ecom", [("baseUrl", .string(silent.address))])
            try await Self.hang(stage, daemon)
            let account = DerivedNames.account(MerchantNumber(1), name: Stage.sberPayAccount("ecom"))
            let sending = "paystream.effect WHERE state = 2 AND account = '\(account)'"
            try await stage.until("the silent provider has what it may have") {
                let count = try await stage.count(sending)
                return count >= 32 ? .done(()) : .notYet("\(count)")
            }
            try await stage.call(daemon, .post, "/v1/payments/\(paid)/refund", [:], key: "refund")
            try await stage.until("the other account's refund is done", patience: .seconds(6)) {
                let payment = try await stage.payment(daemon, paid)
                return payment["status"]?.text == "refunded" ? .done(()) : .notYet(payment.canonicalText)
            }
            #expect(try await stage.count(sending) == 32, "an eighth of the places; the others wait")
        }
    }

    private static func hang(_ stage: Stage, _ daemon: DaemonProcess) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<8 {
                group.addTask {
                    for number in stride(from: lane, to: hanging, by: 8) {
                        _ = try await stage.sberPay(daemon, "hang-\(number)", 5000)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `thousands of enqueued commands stop no other merchant's`() async throws {
        try await Stage.run("e2eflood") { stage, daemon in
            let rival = try await stage.newRival(daemon)
            let body = Stage.newPayment("flood", 7700).canonicalText
            try await stage.execute(
                """
                SELECT count(paystream.enqueue('demo', 'flood-' || n, 'payment.create', '\(body)'))
                  FROM generate_series(1, \(Self.flood)) n
                """
            )
            let own = Stage.newPayment("own", 7701).canonicalText
            let id = try await stage.text(
                "SELECT paystream.enqueue('rival', 'own', 'payment.create', '\(own)')::text"
            )
            try await stage.until("the other merchant's command is done") {
                let state = try await stage.text("SELECT state FROM paystream.outcome('\(id)')")
                return state == "done" ? .done(()) : .notYet(state)
            }
            let waiting = try await stage.count("paystream.inbox")
            #expect(waiting > Self.flood / 2, "it did not wait for the flood")
            try await stage.until("the other merchant sees it") {
                let list = try await stage.call(daemon, .get, "/v1/payments", as: rival)
                let seen = list["items"]?.items?.compactMap { $0["reference"]?.text }
                return seen == ["own"] ? .done(()) : .notYet(list.canonicalText)
            }
        }
    }

    @Test func `however many questions wait for the database, payments go on`() async throws {
        try await Stage.run("e2equestions") { stage, daemon in
            let rival = try await stage.newRival(daemon)
            let waiting = "pg_locks WHERE NOT granted AND relation = 'paystream.settlement_file'::regclass"
            try await stage.withDatabase { holder in
                try await holder.script("SET idle_in_transaction_session_timeout = 0")
                try await holder.script("BEGIN; LOCK TABLE paystream.settlement_file IN ACCESS EXCLUSIVE MODE")
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<20 {
                        group.addTask { try await stage.exchange(daemon, .get, "/v1/settlement-files").status }
                    }
                    try await stage.until("questions wait") {
                        let count = try await stage.count(waiting)
                        return count == 5 ? .done(()) : .notYet("\(count)")
                    }
                    for number in 0..<5 as Range<Int64> {
                        let body = Stage.newPayment("beside-\(number)", 7700 + number)
                        try await stage.call(daemon, .post, "/v1/payments", body, key: "beside-\(number)", as: rival)
                    }
                    #expect(try await stage.send(.get, daemon.address + "/readyz", HttpHeaders(), []).status == 200)
                    #expect(try await stage.count(waiting) == 5, "they still wait, and have five connections of eight")
                    try await holder.script("ROLLBACK")
                    for try await status in group { #expect(status == 200, "who asked is answered") }
                }
            }
        }
    }

    @Test func `an account that sends messages out does not ask every second`() async throws {
        try await Stage.run("e2epolls") { stage, daemon in
            func configure(_ mode: String, _ more: [(String, Json)]) async throws -> String {
                var settings = JsonObject([("currencies", ["EUR"]), ("projectId", 42)])
                for (name, value) in more { settings[name] = value }
                let account: Json = [
                    "mode": .string(mode), "name": "polls", "provider": "ecommpay",
                    "secrets": ["secretKey": "end-to-end-secret"], "settings": .object(settings),
                ]
                let number = stage.next()
                let response = try await stage.exchange(daemon, .post, "/v1/accounts", account, key: "polls-\(number)")
                let path = (try? Json(response.body))?["path"]?.text ?? ""
                return "\(response.status) \(path)"
            }
            let floors: [(String, Int64)] = [
                ("pollFirstSeconds", 5), ("pollAtLeastSeconds", 5), ("pollCapSeconds", 60),
            ]
            for (member, least) in floors {
                for mode in ["live", "live-autocancel", "test"] {
                    #expect(try await configure(mode, [(member, .integer(least - 1))]) == "422 settings.\(member)")
                }
                let loopback = try await configure("live", [("gateUrl", "http://127.0.0.1:9"), (member, 1)])
                #expect(loopback == "422 settings.\(member)")
                #expect(try await configure("test", [("gateUrl", "http://127.0.0.1:9"), (member, 1)]) == "200 ")
                #expect(try await configure("test", [(member, .integer(least))]) == "200 ")
            }
        }
    }
}

extension Stage {
    /// A second merchant with an account at the same provider; answers its key.
    func newRival(_ daemon: DaemonProcess) async throws -> String {
        let scopes = "commands,read,audit,admin"
        try await command(["merchants", "create", "rival"])
        let printed = try await command(["keys", "--merchant", "rival", "--scopes", scopes, "create", "rival"])
        guard let token = printed.split(separator: "\n").first(where: { $0.hasPrefix("psk_") }) else {
            throw Failure(description: "no key: \(printed)")
        }
        let account: Json = [
            "mode": "test", "name": "rival-eur", "provider": "ecommpay",
            "secrets": ["secretKey": .string(Self.secret)],
            "settings": [
                "currencies": ["EUR"], "gateUrl": .string(sandbox), "paymentPageUrl": .string(sandbox + "/payment"),
                "projectId": .integer(Self.project),
            ],
        ]
        try await call(daemon, .post, "/v1/accounts", account, key: "account", as: String(token))
        try await call(daemon, .put, "/v1/routing", ["accounts": ["rival-eur"]], key: "routing", as: String(token))
        return String(token)
    }

    /// Calls a daemon with another key than the stage's own, and demands success.
    @discardableResult
    func call(
        _ daemon: DaemonProcess,
        _ method: HttpMethod,
        _ path: String,
        _ body: Json? = nil,
        key: String? = nil,
        as token: String
    ) async throws -> Json {
        var headers = HttpHeaders([("Authorization", "Bearer " + token)])
        if body != nil { headers.set("Content-Type", "application/json") }
        if let key { headers.set("Idempotency-Key", key) }
        let response = try await send(method, daemon.address + path, headers, body?.compactBytes ?? [])
        guard (200..<300).contains(response.status) else {
            throw Failure(description: "\(path): \(response.status) \(String(decoding: response.body, as: UTF8.self))")
        }
        return (try? Json(response.body)) ?? .null
    }
}
