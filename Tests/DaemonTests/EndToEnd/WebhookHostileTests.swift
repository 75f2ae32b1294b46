import Glibc
import Http
import Kernel
import Testing

/// Receivers that do all kinds of wrong: each is clear in the log of deliveries, and nothing is lost by any of them.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct WebhookHostileTests {
    private static let local = ["PAYSTREAM_WEBHOOK_NETWORKS": "127.0.0.0/8"]
    private static let types: Json = ["types": ["payment.created"]]

    @Test func `each wrong answer is named in the log, and the event comes once the address is mended`() async throws {
        try await Stage.webhooks("hookswrong") { stage, daemon, receiver in
            let moved = try WebhookReceiver(.status(301))
            let unvouched = try await RawReceiver(.unvouched, in: stage)
            let slowHead = try await RawReceiver(.slowHead, in: stage)
            let closed = try WebhookReceiver()
            await closed.stop()
            let addresses = [
                "moved": moved.address, "unvouched": unvouched.address, "slowHead": slowHead.address,
                "closed": closed.address,
            ]
            let wanted: [String: (failure: String, status: Int64?)] = [
                "moved": ("status", 301), "unvouched": ("tls", nil), "slowHead": ("deadline", nil),
                "closed": ("unreachable", nil),
            ]
            var names: [String: String] = [:]
            for (name, address) in addresses { names[name] = try await stage.endpoint(daemon, at: address) }
            let payment = try await stage.created(daemon, "wrong")
            for (name, wish) in wanted {
                let delivery = try await stage.delivery(daemon, names[name] ?? "") { $0["attemptCount"] != 0 }
                let attempt = delivery["attempts"]?.items?.first
                #expect(delivery["status"] == "waiting" && delivery["nextAttemptAt"] != nil, "\(name)")
                #expect(attempt?["failure"] == .string(wish.failure), "\(name): \(delivery.canonicalText)")
                #expect(attempt?["status"]?.integer == wish.status, "\(name): \(delivery.canonicalText)")
            }
            for (name, endpoint) in names {
                let body: Json = ["url": .string(receiver.address + "/" + name), "types": ["payment.created"]]
                try await stage.call(daemon, .put, "/v1/webhook-endpoints/\(endpoint)", body, key: "mend-\(name)")
            }
            _ = try await stage.wait(for: receiver) { $0.filter { $0.resource == payment }.count == names.count }
            await unvouched.stop()
            await slowHead.stop()
            await moved.stop()
        }
    }

    @Test func `whoever says that he has it has it, however long he goes on speaking`() async throws {
        try await Stage.webhooks("hookslong") { stage, daemon, _ in
            let endless = try await RawReceiver(.endless, in: stage)
            let slow = try await RawReceiver(.slowBody, in: stage)
            let names = [
                try await stage.endpoint(daemon, at: endless.address),
                try await stage.endpoint(daemon, at: slow.address),
            ]
            _ = try await stage.created(daemon, "long")
            for name in names {
                let delivery = try await stage.delivery(daemon, name) { $0["status"] == "delivered" }
                let attempts = delivery["attempts"]?.items ?? []
                #expect(attempts.count == 1 && attempts[0]["status"] == 200, "\(delivery.canonicalText)")
                #expect((attempts[0]["answer"]?.text?.utf8.count ?? 0) <= 512)
            }
            await endless.stop()
            await slow.stop()
        }
    }

    /// What a name leads to is judged when it is connected to: here the networks change, which is to a socket what another address is.
    @Test func `an address that was permitted once is refused when it is connected to, and nothing is lost`()
        async throws
    {
        try await Stage.webhooks("hooksrebound") { stage, daemon, receiver in
            let name = try await stage.endpoint(daemon, at: receiver.address)
            try await stage.end(daemon, SIGTERM)
            let strict = try await stage.serve(onPortOf: daemon)
            let payment = try await stage.created(strict, "rebound")
            let delivery = try await stage.delivery(strict, name) { $0["attemptCount"] != 0 }
            #expect(delivery["attempts"]?.items?.first?["failure"] == "address_refused", "\(delivery.canonicalText)")
            #expect(receiver.heard.isEmpty)
            try await stage.end(strict, SIGTERM)
            _ = try await stage.serve(onPortOf: strict, more: Self.local)
            _ = try await stage.wait(for: receiver) { $0.contains { $0.resource == payment } }
        }
    }

    @Test func `twenty endpoints that answer late hold up no other merchant`() async throws {
        try await Stage.webhooks("hooksslow") { stage, daemon, receiver in
            let slow = try WebhookReceiver(.late(.seconds(14)))
            for _ in 0..<20 { _ = try await stage.endpoint(daemon, at: slow.address) }
            try await stage.command(["merchants", "create", "other"])
            let words = ["keys", "--merchant", "other", "--scopes", "commands,read,admin", "create", "other"]
            let printed = try await stage.command(words)
            let token = try #require(printed.split(separator: "\n").first { $0.hasPrefix("psk_") })
            func other(_ path: String, _ body: Json) async throws -> Json {
                var headers = HttpHeaders([
                    ("Authorization", "Bearer \(token)"), ("Content-Type", "application/json"),
                ])
                if path.isEmpty { headers.set("Idempotency-Key", "other") }
                let url = daemon.address + "/v1/webhook-endpoints" + path
                return try Json(try await stage.send(.post, url, headers, body.compactBytes).body)
            }
            let name = try #require(try await other("", ["url": .string(receiver.address)])["id"]?.text)
            for number in 0..<60 { _ = try await stage.created(daemon, "slow-\(number)") }
            _ = try await stage.wait(for: slow) { $0.count > 20 }
            var slowest = Duration.zero
            for number in 1...20 {
                let begun = ContinuousClock.now
                _ = try await other("/\(name)/ping", [:])
                _ = try await stage.wait(for: receiver) { $0.count == number }
                slowest = max(slowest, begun.duration(to: .now))
            }
            #expect(slowest < .seconds(2), "\(slowest)")
            #expect(slow.heard.count < 200, "\(slow.heard.count) of 1200 were begun meanwhile")
            await slow.stop()
        }
    }

    @Test func `idle endpoints beside a busy one take nothing from it`() async throws {
        try await Stage.webhooks("hooksidle") { stage, daemon, receiver in
            let quiet = try WebhookReceiver()
            for _ in 0..<15 {
                _ = try await stage.endpoint(daemon, at: quiet.address, types: ["dispute.opened"])
            }
            receiver.answer(.late(.milliseconds(300)))
            _ = try await stage.endpoint(daemon, at: receiver.address, types: [])
            let begun = ContinuousClock.now
            for number in 0..<60 { _ = try await stage.created(daemon, "busy-\(number)") }
            let made = begun.duration(to: .now)
            _ = try await stage.wait(for: receiver) { $0.filter { $0.type == "payment.created" }.count == 60 }
            #expect(begun.duration(to: .now) < made + .seconds(5))
            #expect(quiet.heard.isEmpty)
            await quiet.stop()
        }
    }
}

extension Stage {
    /// An endpoint at any address; gives its id.
    func endpoint(_ daemon: DaemonProcess, at url: String, types: Json = ["payment.created"]) async throws -> String {
        let body: Json = ["url": .string(url), "types": types]
        let made = try await call(daemon, .post, "/v1/webhook-endpoints", body, key: "endpoint-\(next())")
        guard let id = made["id"]?.text else { throw Failure(description: "no id in \(made.canonicalText)") }
        return id
    }

    /// The newest delivery of an endpoint, once it is as it should be.
    func delivery(_ daemon: DaemonProcess, _ endpoint: String, _ isThere: (Json) -> Bool) async throws -> Json {
        try await until("a delivery of \(endpoint)") {
            let page = try await self.call(daemon, .get, "/v1/webhook-endpoints/\(endpoint)/deliveries")
            let newest = page["items"]?.items?.first
            return newest.map(isThere) == true ? .done(newest ?? .null) : .notYet(page.canonicalText)
        }
    }
}
