import Http
import Kernel
import Testing

/// Events of schedules, occurrences, batches, bills, disputes and saved cards, as the feed tells them.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct EventFamilyTests {
    private static let settings: Json = ["gateTokenPaths": ["sale": "/v2/payment/card/sale/token"]]

    /// Each event is of this resource and shows it, with versions and sequences that only grow.
    private func hold(_ events: [Json], of id: String, _ object: String) {
        #expect(
            events.allSatisfy { $0.at("resource", "id")?.text == id && $0.at("resource", "object")?.text == object }
        )
        #expect(events.allSatisfy { $0.at("data", "id")?.text == id })
        #expect(events.compactMap { $0["sequence"]?.integer } == Array(1...Int64(max(1, events.count))))
        let versions = events.compactMap { $0.at("data", "version")?.integer }
        #expect(versions == versions.sorted())
    }

    private func types(_ events: [Json]) -> [String] {
        events.compactMap { $0["type"]?.text }.filter { !$0.hasSuffix(".updated") }
    }

    @Test func `a schedule and its occurrences are told from its beginning to its end`() async throws {
        try await Stage.run("feedschedule", settings: Self.settings) { stage, daemon in
            try await stage.call(daemon, .put, "/v1/clock", ["at": "2028-01-01T00:00:00Z"])
            // A node may believe for a second that nobody owns a clock.
            try await Task.sleep(for: .seconds(1))
            let body: Json = [
                "kind": "regular", "amount": Stage.euros(7700), "customer": "customer-7", "reference": "sub-1",
                "details": ["payer": ["email": "payer@example.org"]],
                "rule": ["period": "month", "start": "2028-01-31", "time": "10:00", "zone": "Europe/Kyiv"],
            ]
            let made = try await stage.call(daemon, .post, "/v1/schedules", body, key: "subscribe")
            let id = try #require(made["id"]?.text)
            let more: [(String, Json)] = [("customer", "customer-7"), ("schedule", .string(id))]
            let first = try await stage.call(
                daemon,
                .post,
                "/v1/payments",
                Stage.newPayment("first", 7700, more: more),
                key: "first"
            )
            let payment = try #require(first["id"]?.text)
            try await stage.openPage(daemon, payment)
            try await stage.wait(daemon, payment, for: "captured")
            let path = "/v1/schedules/\(id)"
            _ = try await stage.events(daemon, "&resource=\(id)", until: "schedule.activated")
            try await stage.call(daemon, .post, "/v1/clock/advance", ["to": "2028-02-01T00:00:00Z"])
            _ = try await stage.events(daemon, "&resource=\(id)", until: "occurrence.paid")
            try await stage.call(daemon, .post, path + "/pause", [:], key: "pause")
            try await stage.call(daemon, .post, path + "/resume", [:], key: "resume")
            try await stage.call(daemon, .post, path + "/cancel", [:], key: "cancel")
            let (events, _) = try await stage.events(daemon, "&resource=\(id)", until: "schedule.cancelled")
            hold(events, of: id, "schedule")
            let told = types(events)
            let wanted = [
                "schedule.created", "schedule.activated", "occurrence.due", "occurrence.paid", "schedule.paused",
                "schedule.resumed", "schedule.cancelled",
            ]
            #expect(told.filter { wanted.contains($0) } == wanted, "\(told)")
            let paid = try #require(events.first { $0["type"] == "occurrence.paid" })
            #expect(paid.at("part", "object") != nil, "\(paid.canonicalText)")
            #expect(paid.at("data", "paid") == 1)
            // The card that it is charged by was saved, and is removed.
            let cards = try await stage.events(daemon, "&types=instrument.*").events
            let card = try #require(cards.first?.at("resource", "id")?.text)
            #expect(types(cards) == ["instrument.saved"])
            // The payment that saved it tells in one input that it took money, too.
            #expect(try await stage.count("paystream.decision WHERE stream_kind = 2 AND base = 0 AND events = 2") == 1)
            try await stage.call(daemon, .delete, "/v1/instruments/\(card)", nil, key: "remove")
            let removed = try await stage.events(daemon, "&resource=\(card)", until: "instrument.removed").events
            hold(removed, of: card, "instrument")
            try await stage.verifyViews()
        }
    }

    @Test func `a batch and each of its bills are told`() async throws {
        try await Stage.run("feedbatch") { stage, daemon in
            let source = try await stage.addBills(daemon, ["perCall": 3, "callsInFlight": 2, "spacingMs": 0])
            let ids = ["a-1", "declined-1", "cancelled-1", "blank-1", "held-1"]
            let batch = try await stage.submitBills(daemon, source, ids, name: "mixed")
            try await stage.waitBatch(daemon, batch, for: ["unresolved"])
            let (events, _) = try await stage.events(daemon, "&resource=\(batch)", until: "batch.unresolved")
            hold(events, of: batch, "bill_batch")
            let told = types(events)
            #expect(told.first == "batch.created" && told.contains("batch.submitted"), "\(told)")
            let wanted = ["bill.paid", "bill.failed", "bill.cancelled", "bill.unknown", "bill.held"]
            let bills = try await stage.until("each bill is told") {
                let found = try await stage.events(daemon, "&types=bill.*").events
                let types = Set(found.compactMap { $0["type"]?.text })
                return Set(wanted).isSubset(of: types) ? .done(found) : .notYet("\(types)")
            }
            for type in wanted {
                let named = bills.filter { $0["type"]?.text == type }
                #expect(named.count == 1, "\(type): \(named.count)")
            }
            try await stage.verifyViews()
        }
    }

    @Test func `a dispute is told when it is opened and when it ends`() async throws {
        try await Stage.run("feeddispute") { stage, daemon in
            let id = try await stage.paid(daemon, "disputed", 7700)
            let path = "/v1/payments/\(id)/disputes"
            let body: Json = ["amount": Stage.euros(7700), "reason": "fraud"]
            let opened = try await stage.call(daemon, .post, path, body, key: "dispute")
            let dispute = try #require(opened["disputes"]?.items?.first?["id"]?.text)
            try await stage.call(daemon, .post, "\(path)/\(dispute)/lost", [:], key: "lost")
            let (events, _) = try await stage.events(daemon, "&resource=\(id)", until: "dispute.lost")
            hold(events, of: id, "payment")
            let told = events.filter { $0["type"]?.text?.hasPrefix("dispute.") == true }
            #expect(types(told) == ["dispute.opened", "dispute.lost"])
            #expect(told.allSatisfy { $0.at("part", "id")?.text == dispute }, "\(told.map(\.canonicalText))")
            #expect(try await stage.events(daemon, "&types=dispute.*").events == told)
        }
    }
}
