import Glibc
import Http
import Kernel
import Testing

/// The event feed over a database that was put back to before its newest events.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct EventEpochFlowTests {
    private func answer(_ stage: Stage, _ daemon: DaemonProcess, after cursor: String) async throws -> (
        status: Int, body: Json
    ) {
        let answer = try await stage.exchange(daemon, .get, "/v1/events?after=\(cursor)")
        return (answer.status, try Json(answer.body))
    }

    @Test func `a cursor of what a restore lost says so and tells where to go on`() async throws {
        try await Stage.run("feedepoch", settings: ["absenceSeconds": 2]) { stage, daemon in
            _ = try await stage.paid(daemon, "kept", 7700)
            let (kept, good) = try await stage.events(daemon, until: "instrument.saved")
            let dump = try await stage.dump()
            _ = try await stage.paid(daemon, "lost", 7700)
            let (gone, bad) = try await stage.events(daemon, until: "instrument.saved", after: good)
            #expect(!gone.isEmpty)
            try await stage.end(daemon, SIGKILL)
            try await stage.restore(dump)

            let early = try await stage.serve(onPortOf: daemon)
            let ahead = try await answer(stage, early, after: bad)
            #expect(ahead.status == 409 && ahead.body["code"] == "cursor_ahead", "\(ahead.body.canonicalText)")
            try await stage.command(["recover", "--reason", "the disk was lost", "begin"])

            let lost = try await answer(stage, early, after: bad)
            #expect(lost.status == 410 && lost.body["code"] == "events_lost", "\(lost.body.canonicalText)")
            let resume = try #require(lost.body["resume"]?.text)
            #expect(
                lost.body["position"]?.integer != nil && lost.body["detail"]?.text?.contains("after=<resume>") == true
            )
            let goesOn = try await answer(stage, early, after: good)
            #expect(goesOn.status == 200, "nothing of his was lost")

            _ = try await stage.paid(early, "again", 7700)
            let (news, next) = try await stage.events(early, until: "instrument.saved", after: resume)
            #expect(try await stage.events(early, after: good).events == news)
            let all = try await stage.events(early).events
            #expect(all == kept + news)
            #expect(try await answer(stage, early, after: next).status == 200)
        }
    }
}
