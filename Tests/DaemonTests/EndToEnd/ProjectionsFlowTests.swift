import Glibc
import Http
import Kernel
import Testing

/// Read models that are built beside the ones that are shown: a daemon as a process, PostgreSQL, sandbox, and the command.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ProjectionsFlowTests {
    private func listed(_ stage: Stage, _ daemon: DaemonProcess) async throws -> Set<String> {
        let page = try await stage.call(daemon, .get, "/v1/payments?limit=100")
        return Set((page["items"]?.items ?? []).compactMap { $0["id"]?.text })
    }

    private func standing(_ stage: Stage, of name: String) async throws -> Json {
        let lines = try await stage.command(["projections", "--json", "status"]).split(separator: "\n")
        let all = try lines.map { try Json(text: String($0)) }
        return try #require(all.first { $0["name"]?.text == name })
    }

    /// A read model as the daemon shows it.
    private func shown(_ stage: Stage, _ daemon: DaemonProcess, _ name: String) async throws -> Json {
        let page = try await stage.call(daemon, .get, "/v1/projections")
        return try #require(page["items"]?.items?.first { $0["name"]?.text == name })
    }

    @Test func `a daemon's own login tells how far a copy is that it may not build`() async throws {
        try await Stage.run("projectionslogin") { stage, owner in
            let login = "e2e_\(getpid())_projections"
            try await stage.execute("CREATE ROLE \(login) LOGIN")
            try await stage.execute("GRANT paystream_app TO \(login)")
            let outcome: Result<Void, any Error>
            do {
                try await stage.end(owner, SIGTERM)
                let daemon = try await stage.serve(more: ["DATABASE_URL": stage.address + "&user=\(login)"])
                _ = try await stage.paid(daemon, "first", 7700)
                try await stage.command(["projections", "rebuild", "payment_view"])
                let copied = try await shown(stage, daemon, "payment_view")
                #expect(copied["copy"]?["version"] == copied["wanted"])
                #expect(copied["shown"]?["version"] == copied["wanted"])
                #expect(copied["copy"]?["position"]?.integer ?? 0 > 0)
                #expect(try await shown(stage, daemon, "movement")["copy"] == nil, "nobody else is copied")
                await #expect(throws: (any Error).self, "the daemon's login shows no copy") {
                    try await stage.run(
                        ["projections", "swap", "payment_view"],
                        more: ["DATABASE_URL": stage.address + "&user=\(login)"]
                    )
                }
                try await stage.command(["projections", "swap", "payment_view"])
                #expect(try await shown(stage, daemon, "payment_view")["copy"] == nil)
                try await stage.execute(
                    "UPDATE paystream.checkpoint SET version = version - 1 WHERE name = 'payment_view'"
                )
                let other = try await shown(stage, daemon, "payment_view")
                let version = try #require(other["shown"]?["version"]?.integer)
                #expect(other["wanted"]?.integer == version + 1)
                try await stage.end(daemon, SIGTERM)
                outcome = .success(())
            } catch { outcome = .failure(error) }
            try await stage.execute("DROP OWNED BY \(login)")
            try await stage.execute("DROP ROLE \(login)")
            try outcome.get()
        }
    }

    @Test func `another program's version stays as it is until this one's is built beside it and shown`() async throws {
        try await Stage.run("projections") { stage, daemon in
            let first = try await stage.paid(daemon, "first", 7700)
            try await stage.until("the payment is listed") {
                let found = try await listed(stage, daemon)
                return found == [first] ? .done(()) : .notYet("\(found)")
            }
            #expect(try await standing(stage, of: "payment_view")["state"] == "ok")
            // As if an older program had made what is shown.
            try await stage.execute("UPDATE paystream.checkpoint SET version = version - 1, pos = 0")
            let second = try await stage.paid(daemon, "second", 7700)
            try await Task.sleep(for: .seconds(1))
            #expect(try await listed(stage, daemon) == [first], "nothing is written into what is another's")
            let old = try await standing(stage, of: "payment_view")
            #expect(old["state"]?.text?.contains("is shown") == true && old["copy"] == nil)
            #expect(
                try await stage.text(
                    "SELECT count(*)::text FROM paystream.checkpoint WHERE name IN ('payment_view', 'movement') AND pos <> 0"
                ) == "0"
            )

            try await stage.command(["projections", "rebuild", "payment_view"])
            let begun = try await standing(stage, of: "payment_view")
            #expect(begun["copy"]?["version"] == begun["wanted"])
            #expect(try await listed(stage, daemon) == [first], "a copy is shown to nobody")
            let third = try await stage.paid(daemon, "third", 7700)
            try await stage.command(["projections", "swap", "payment_view"])
            #expect(try await listed(stage, daemon) == [first, second, third], "it goes on from where it was built")
            #expect(try await standing(stage, of: "payment_view")["copy"] == nil)
            await #expect(throws: (any Error).self) {
                try await stage.command(["projections", "swap", "payment_view"])
            }

            // The daemon goes on by itself, and so do all the others.
            let fourth = try await stage.paid(daemon, "fourth", 7700)
            try await stage.until("the next payment is listed") {
                let found = try await listed(stage, daemon)
                return found == [first, second, third, fourth] ? .done(()) : .notYet("\(found)")
            }
            try await stage.command(["projections", "rebuild", "--swap", "all"])
            try await stage.verifyViews()
        }
    }

    @Test func `a read model is built again while payments go on`() async throws {
        try await Stage.run("projectionload") { stage, daemon in
            let paid = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<12 { group.addTask { try await stage.paid(daemon, "load-\(number)", 7700) } }
                try await stage.command(["projections", "rebuild", "--swap", "all"])
                try await stage.command(["projections", "rebuild", "all"])
                var all: Set<String> = []
                for try await one in group { all.insert(one) }
                return all
            }
            try await stage.command(["projections", "swap", "all"])
            #expect(try await listed(stage, daemon).isSuperset(of: paid))
            #expect(
                try await stage.text("SELECT count(*)::text FROM paystream.movements WHERE movement = 'captured'")
                    == "12"
            )
            try await stage.command(["projections", "rebuild", "payment_view"])
            #expect(try await stage.command(["projections", "drop", "all"]).contains("payment_view: the copy is gone"))
            for words in [["rebuild"], ["rebuild", "payments"], ["status", "all"], ["build", "all"]] {
                await #expect(throws: (any Error).self, "\(words)") { try await stage.command(["projections"] + words) }
            }
            try await stage.verifyViews()
        }
    }
}
