import Glibc
import Http
import Kernel
import SystemKit
import Testing

/// Webhooks: daemons as processes, PostgreSQL, sandbox, and receivers that answer as they are told.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct WebhookFlowTests {
    private static let local = ["PAYSTREAM_WEBHOOK_NETWORKS": "127.0.0.0/8"]

    @Test func `a payment's events come signed, whole and in order, and the log tells each attempt`() async throws {
        try await Stage.webhooks("hooks") { stage, daemon, receiver in
            let made = try await stage.endpoint(daemon, receiver, ["types": ["payment.*"], "order": "resource"])
            let secret = try #require(made["secret"]?.text)
            let name = try #require(made["id"]?.text)
            let payment = try await stage.paid(daemon, "hooked", 7700)
            let told = try await stage.wait(for: receiver) { $0.contains { $0.type == "payment.captured" } }
            #expect(told.allSatisfy { $0.isSigned(by: secret) && !$0.isSigned(by: "whsec_AAAA") })
            #expect(told.allSatisfy { $0.resource == payment && $0.id == $0.json?["id"]?.text })
            let numbers = told.compactMap(\.sequence)
            #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count, "\(numbers)")
            // To the byte what the feed has.
            for one in told { #expect(try await stage.call(daemon, .get, "/v1/events/\(one.id)") == one.json) }
            let shown = try await stage.call(daemon, .get, "/v1/webhook-endpoints/\(name)")
            #expect(shown["secret"] == nil && shown["status"] == "enabled")
            let path = "/v1/webhook-endpoints/\(name)/deliveries?status=delivered"
            let log = try await stage.found("all are written down") {
                let items = try await stage.call(daemon, .get, path)["items"]?.items ?? []
                return items.count >= told.count ? items : nil
            }
            #expect(log.allSatisfy { $0["attempts"]?.items?.first?["status"] == 200 })
            let listed = try await stage.call(daemon, .get, "/v1/webhook-endpoints")["items"]?.items?.first
            #expect(listed?["lastSuccessAt"]?.text != nil && listed?["lastFailureAt"] == nil)

            try await stage.command(["merchants", "create", "other"])
            let printed = try await stage.command(["keys", "--merchant", "other", "create", "foreign"])
            let key = try #require(printed.split(separator: "\n").first { $0.hasPrefix("psk_") })
            let headers = HttpHeaders([("Authorization", "Bearer \(key)")])
            for path in ["", "/deliveries"] {
                let url = daemon.address + "/v1/webhook-endpoints/\(name)\(path)"
                #expect(try await stage.send(.get, url, headers, []).status == 404)
            }
        }
    }

    @Test func `a receiver that was down misses nothing, and keeps the order of each resource`() async throws {
        try await Stage.webhooks("hooksdown") { stage, daemon, receiver in
            receiver.answer(.status(500))
            _ = try await stage.endpoint(daemon, receiver, ["order": "resource"])
            let first = try await stage.paid(daemon, "one", 7700)
            let second = try await stage.paid(daemon, "two", 7700)
            _ = try await stage.wait(for: receiver) { $0.count > 3 }
            receiver.answer(.status(200))
            let mark = receiver.heard.count
            let (events, _) = try await stage.events(daemon)
            let wanted = Set(events.compactMap { $0["id"]?.text })
            let told = try await stage.wait(for: receiver) { heard in
                wanted.isSubset(of: Set(heard.dropFirst(mark).map(\.id)))
            }.dropFirst(mark)
            for payment in [first, second] {
                let numbers = told.filter { $0.resource == payment }.compactMap(\.sequence)
                #expect(numbers == numbers.sorted(), "\(payment): \(numbers)")
            }
        }
    }

    @Test func `a daemon that dies between sending and writing down sends again under the same id`() async throws {
        try await Stage.webhooks("hookskill") { stage, daemon, receiver in
            receiver.answer(.late(.seconds(5)))
            _ = try await stage.endpoint(daemon, receiver, ["types": ["payment.created"]])
            _ = try await stage.created(daemon, "killed")
            let before = try await stage.wait(for: receiver) { !$0.isEmpty }
            try await stage.end(daemon, SIGKILL)
            receiver.answer(.status(200))
            _ = try await stage.serve(onPortOf: daemon, more: Self.local)
            let told = try await stage.wait(for: receiver) { $0.count > before.count }
            #expect(Set(told.map(\.id)).count == 1, "one event, and twice the same name")
        }
    }

    @Test func `a secret is rotated with both signing, and events are sent once more when asked`() async throws {
        try await Stage.webhooks("hooksrotate") { stage, daemon, receiver in
            let made = try await stage.endpoint(daemon, receiver, ["types": ["payment.created"]])
            let (name, old) = (try #require(made["id"]?.text), try #require(made["secret"]?.text))
            let path = "/v1/webhook-endpoints/\(name)"
            let rotated = try await stage.call(
                daemon,
                .post,
                path + "/rotate-secret",
                ["overlapSeconds": 600],
                key: "rotate"
            )
            let new = try #require(rotated["secret"]?.text)
            let again = try await stage.call(
                daemon,
                .post,
                path + "/rotate-secret",
                ["overlapSeconds": 600],
                key: "rotate"
            )
            #expect(again["secret"]?.text == new && new != old, "a repetition shows the secret that was made")
            try await Task.sleep(for: .seconds(2))
            _ = try await stage.created(daemon, "rotated")
            let first = try #require(try await stage.wait(for: receiver) { !$0.isEmpty }.first)
            #expect(first.isSigned(by: old) && first.isSigned(by: new))
            try await stage.call(daemon, .post, path + "/redeliver", ["event": .string(first.id)])
            let twice = try await stage.wait(for: receiver) { $0.count == 2 }
            #expect(twice[1].id == first.id && twice[1].body == first.body)
            let ping = try await stage.call(daemon, .post, path + "/ping", [:])
            let third = try #require(try await stage.wait(for: receiver) { $0.count == 3 }.last)
            #expect(third.type == "webhook.ping" && third.id == ping["event"]?.text && third.isSigned(by: new))
            try await stage.call(daemon, .post, path + "/ping", [:])
            _ = try await stage.wait(for: receiver) { $0.count == 4 }
            let tests = try await stage.call(daemon, .get, path + "/deliveries?type=webhook.ping&limit=1")
            #expect(tests["items"]?.items?.count == 1 && tests["items"]?.items?.first?["event"] != ping["event"])
            let cursor = try #require(tests["next"]?.text)
            let older = try await stage.call(
                daemon,
                .get,
                path + "/deliveries?type=webhook.ping&limit=1&cursor=\(cursor)"
            )
            #expect(older["items"]?.items?.first?["event"] == ping["event"] && older["next"] == nil)
            #expect(try await stage.exchange(daemon, .get, path + "/deliveries?type=payment.sold").status == 400)
        }
    }

    @Test func `a pair of keys signs where it is asked for, and another beside it after a rotation`() async throws {
        try await Stage.webhooks("hookspair") { stage, daemon, receiver in
            let more: Json = ["types": ["payment.created"], "signatures": ["v1a", "v1"]]
            let made = try await stage.endpoint(daemon, receiver, more)
            #expect(made["signatures"] == ["v1", "v1a"])
            let path = "/v1/webhook-endpoints/\(try #require(made["id"]?.text))"
            func keys(_ endpoint: Json) -> [String] {
                (endpoint["secrets"]?.items ?? []).compactMap { $0["publicKey"]?.text }
            }
            let (old, secret) = (try #require(keys(made).first), try #require(made["secret"]?.text))
            _ = try await stage.created(daemon, "pair-1")
            let first = try #require(try await stage.wait(for: receiver) { !$0.isEmpty }.first)
            #expect(first.isSigned(byPairOf: old) && first.isSigned(by: secret))
            try await stage.call(daemon, .post, path + "/rotate-secret", ["overlapSeconds": 600], key: "rotate")
            let shown = keys(try await stage.call(daemon, .get, path))
            #expect(shown.count == 2 && shown.last == old && shown.allSatisfy { $0.hasPrefix("whpk_") })
            try await Task.sleep(for: .seconds(2))
            _ = try await stage.created(daemon, "pair-2")
            let second = try #require(try await stage.wait(for: receiver) { $0.count == 2 }.last)
            #expect(shown.allSatisfy { second.isSigned(byPairOf: $0) } && second.signatures.count == 4)
            let plain: Json = ["url": .string(receiver.address), "types": ["payment.created"], "signatures": ["v1a"]]
            try await stage.call(daemon, .put, path, plain, key: "pairs-alone")
            try await Task.sleep(for: .seconds(2))
            _ = try await stage.created(daemon, "pair-3")
            let third = try #require(try await stage.wait(for: receiver) { $0.count == 3 }.last)
            #expect(third.signatures.count == 2 && third.signatures.allSatisfy { $0.hasPrefix("v1a,") })
        }
    }

    @Test func `hostile receivers hold up nobody, are not followed, and one that is gone is disabled`() async throws {
        try await Stage.webhooks("hookshostile") { stage, daemon, receiver in
            let (silent, large) = (try WebhookReceiver(.late(.seconds(60))), try WebhookReceiver(.body(4_000_000)))
            let (gone, secretive) = (try WebhookReceiver(.status(410)), try WebhookReceiver())
            let moved = try WebhookReceiver(.moved(secretive.address))
            let types: Json = ["types": ["payment.created"]]
            _ = try await stage.endpoint(daemon, silent, types)
            let largeName = try #require(try await stage.endpoint(daemon, large, types)["id"]?.text)
            let goneName = try #require(try await stage.endpoint(daemon, gone, types)["id"]?.text)
            _ = try await stage.endpoint(daemon, moved, types)
            _ = try await stage.endpoint(daemon, receiver, types)
            for number in 0..<5 { _ = try await stage.created(daemon, "hostile-\(number)") }
            let begun = ContinuousClock.now
            _ = try await stage.wait(for: receiver) { $0.count == 5 }
            #expect(begun.duration(to: .now) < .seconds(10))
            _ = try await stage.wait(for: moved) { !$0.isEmpty }
            #expect(secretive.heard.isEmpty)
            _ = try await stage.found("the receiver that is gone is disabled") {
                let shown = try await stage.call(daemon, .get, "/v1/webhook-endpoints/\(goneName)")
                return shown["disabledReason"] == "gone" ? shown : nil
            }
            // It was delivered by its status, whatever came behind it.
            _ = try await stage.found("the large answer counts by its status") {
                let path = "/v1/webhook-endpoints/\(largeName)/deliveries?status=delivered"
                let items = try await stage.call(daemon, .get, path)["items"]?.items ?? []
                return items.count == 5 ? items : nil
            }
            for one in [silent, large, gone, moved, secretive] { await one.stop() }
        }
    }

    @Test func `addresses that are not the public internet's are refused when registered and when connected to`()
        async throws
    {
        try await Stage.webhooks("hooksaddress", more: [:]) { stage, daemon, receiver in
            for url in [
                receiver.address, "http://hooks.example.com/", "https://127.0.0.1/", "https://10.1.2.3/",
                "https://169.254.169.254/latest", "https://[::1]/", "https://[fd00:ec2::254]/",
                "https://[::ffff:10.0.0.1]/",
                "https://user:word@hooks.example.com/", "https://localhost/", "https://2130706433/",
            ] {
                let answer = try await stage.exchange(
                    daemon,
                    .post,
                    "/v1/webhook-endpoints",
                    ["url": .string(url)],
                    key: "refused-\(stage.next())"
                )
                #expect(answer.status == 422, "\(url) \(answer.status)")
            }
        }
    }
}

extension Stage {
    /// A stage whose daemon may send to this machine, and a receiver.
    static func webhooks(
        _ name: String,
        more: [String: String] = ["PAYSTREAM_WEBHOOK_NETWORKS": "127.0.0.0/8"],
        _ body: (Stage, DaemonProcess, WebhookReceiver) async throws -> Void
    ) async throws {
        try await run(name) { stage, first in
            try await stage.end(first, SIGTERM)
            let daemon = try await stage.serve(onPortOf: first, more: more)
            let receiver = try WebhookReceiver()
            do { try await body(stage, daemon, receiver) } catch {
                await receiver.stop()
                throw error
            }
            await receiver.stop()
        }
    }

    func endpoint(_ daemon: DaemonProcess, _ receiver: WebhookReceiver, _ more: Json) async throws -> Json {
        var members: [(String, Json)] = [("url", .string(receiver.address))]
        members += more.members?.members.map { ($0.name, $0.value) } ?? []
        return try await call(
            daemon,
            .post,
            "/v1/webhook-endpoints",
            .object(JsonObject(members)),
            key: "endpoint-\(next())"
        )
    }

    /// Waits until what a receiver heard is as it should be.
    func wait(for receiver: WebhookReceiver, _ isThere: ([WebhookReceiver.Received]) -> Bool) async throws
        -> [WebhookReceiver.Received]
    {
        try await found("the receiver heard \(receiver.heard.map { $0.type ?? "" })") {
            let heard = receiver.heard
            return isThere(heard) ? heard : nil
        }
    }

    /// Waits until a value is there.
    func found<Value: Sendable>(_ what: String, _ look: () async throws -> Value?) async throws -> Value {
        try await until(what) { try await look().map { .done($0) } ?? .notYet("nothing") }
    }

    /// A payment that nobody pays.
    func created(_ daemon: DaemonProcess, _ name: String) async throws -> String {
        let made = try await call(daemon, .post, "/v1/payments", Self.newPayment(name, 7700), key: "\(name)-create")
        guard let id = made["id"]?.text else { throw Failure(description: "no id in \(made.canonicalText)") }
        return id
    }
}
