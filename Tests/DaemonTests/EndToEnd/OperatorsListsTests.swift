import EventSourcing
import Http
import Kernel
import Payments
import Testing

/// What stands still is where operators look, with its reason, and stops nobody else.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct OperatorsListsTests {
    /// More than is worked off before another merchant's message comes.
    private static let flood = 4000

    /// Puts an input into the mailbox of a stream that no decider knows what to do with.
    private static func poison(_ stage: Stage, _ rows: String) async throws {
        try await stage.execute(
            """
            SELECT paystream.admit(array_agg(merchant), array_agg(id), array_agg(1), array_agg(gen_random_uuid()),
                array_agg(2), array_agg('poison'::text), array_agg('[]'::json), array_agg('\\x00'::bytea), array_agg(now()))
              FROM (\(rows)) s
            """
        )
    }

    @Test func `an input that nobody can decide is listed with its reason, its age and what it is about`() async throws
    {
        try await Stage.run("e2eundecidable") { stage, daemon in
            let id = try await stage.paid(daemon, "undecidable", 7700)
            try await Self.poison(stage, "SELECT merchant, id FROM paystream.stream WHERE id = '\(id.dropFirst(4))'")
            try await stage.until("the input is in quarantine") {
                try await stage.count("paystream.input_quarantine") == 1 ? .done(()) : .notYet("none")
            }
            let input = try await stage.text("SELECT input::text FROM paystream.input_quarantine")
            let reason = try await stage.text("SELECT reason FROM paystream.input_quarantine")

            let list = try await stage.command(["quarantine", "list"])
            let line = try #require(
                list.split(separator: "\n").first { $0.contains(input) }.map(String.init),
                "\(list)"
            )
            for word in [reason, id, "demo", "poison", "s "] { #expect(line.contains(word), "\(word): \(line)") }
            let json = try Json(text: try await stage.command(["quarantine", "--json", "list"]))
            #expect(json["input"]?.text == input && json["reason"]?.text == reason && json["subject"]?.text == id)
            #expect(json["merchant"] == "demo" && (json["ageSeconds"]?.integer).map { (0..<60).contains($0) } == true)

            let operations = try await stage.command(["operations", "list"])
            #expect(
                operations.contains(input) && operations.contains(reason) && operations.contains(id),
                "\(operations)"
            )
            let openItems = try await stage.call(daemon, .get, "/v1/operations/unresolved")["matters"]?.items
            let openItem = openItems?.first { $0["kind"] == "input" }
            #expect(openItem?["reason"] == "undecidable" && openItem?["detail"]?.text == reason, "\(openItems ?? [])")
            #expect(openItem?["about"]?.text == id && openItem?["since"] != nil)
            try await stage.until("the metrics count it") {
                let page = try await stage.text(daemon, "/metrics")
                let isThere =
                    page.contains(#"paystream_queue_depth{queue="quarantine"} 1"#)
                    && page.contains(#"paystream_unresolved{what="inputs"} 1"#)
                return isThere ? .done(()) : .notYet(page)
            }
        }
    }

    @Test func `thousands of waiting inputs stop no other merchant's`() async throws {
        try await Stage.run("e2emailflood") { stage, daemon in
            try await stage.command(["merchants", "create", "rival"])
            try await stage.command(["keys", "--merchant", "rival", "create", "rival"])
            let created = try await stage.call(
                daemon,
                .post,
                "/v1/payments",
                Stage.newPayment("beside", 7700),
                key: "beside"
            )
            let id = try #require(created["id"]?.text)
            try await Self.poison(
                stage,
                """
                SELECT m.id AS merchant, gen_random_uuid() AS id
                  FROM paystream.merchant m, generate_series(1, \(Self.flood)) WHERE m.name = 'rival'
                """
            )
            try await stage.openPage(daemon, id)
            try await stage.wait(daemon, id, for: "captured")
            let waiting = try await stage.count("paystream.mail WHERE merchant <> 1")
            #expect(waiting > Self.flood / 4, "\(waiting): it did not wait for the flood")
        }
    }
}
