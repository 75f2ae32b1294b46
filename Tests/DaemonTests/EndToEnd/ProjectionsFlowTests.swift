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

    @Test
    func `a copy of a million rows takes its place in less than a second, and nobody who reads beside it sees one go`()
        async throws
    {
        try await Stage.run("projectionswap") { stage, daemon in
            let sold = try await stage.paid(daemon, "sold", 7700)
            try await stage.booked("captured", 1)
            let hung = try await stage.hangsOn()
            try await stage.command(["projections", "rebuild", "movement"])
            // As many as a large book has.
            let million = """
                INSERT INTO paystream_next_movement.movement SELECT c.* FROM generate_series(#) n, (SELECT m FROM paystream.movement m LIMIT 1) v (m),
                    LATERAL jsonb_populate_record(v.m, jsonb_build_object('stream', md5('m' || n)::uuid)) c
                """
            for part in 0..<20 {
                try await stage.execute(million.replacing("#", with: "\(part * 50_000 + 1), \((part + 1) * 50_000)"))
            }
            try await stage.execute("ANALYZE paystream_next_movement.movement")
            let isOver = Locked(false)
            async let slowest = stage.slowestRead(daemon, sold, until: { isOver.withLock { $0 } })
            let place = try await stage.text("SELECT paystream.copy_along(ARRAY['movement', 'fact'])::text")
            let begun = ContinuousClock.now
            try await stage.execute(
                "SELECT paystream.copy_swap('paystream_next_movement', ARRAY['movement', 'fact', 'delay_count', 'money_count'])"
            )
            let took = begun.duration(to: .now)
            isOver.withLock { $0 = true }
            #expect(took < .seconds(1), "\(took)")
            #expect(try await slowest < .seconds(1))
            #expect(try await stage.count("paystream.movement") > 1_000_000)
            #expect(
                try await stage.text("SELECT sum(amount)::text FROM paystream.money_count WHERE kind = 'captured'")
                    == "7700007700"
            )
            #expect(try await stage.text("SELECT paystream.copy_along(ARRAY['movement', 'fact'])::text") == place)
            #expect(
                try await stage.hangsOn() == hung,
                "grants, policies, triggers, indexes and views are those of before"
            )
            try await stage.execute("DROP SCHEMA paystream_next_movement CASCADE")
            try await stage.command(["projections", "rebuild", "--swap", "movement"])
            #expect(try await stage.hangsOn() == hung)
            try await stage.verifyViews()
        }
    }

    @Test func `a swap waits for who reads, lets others pass, and gives way to what hangs on the tables`() async throws
    {
        try await Stage.run("projectionwait") { stage, daemon in
            let sold = try await stage.paid(daemon, "sold", 7700)
            try await stage.booked("captured", 1)
            try await stage.command(["projections", "rebuild", "movement"])
            // A long look of somebody's holds the table for two seconds.
            async let look = stage.text("SELECT count(*)::text FROM paystream.movement, pg_sleep(2)")
            try await Task.sleep(for: .milliseconds(300))
            async let swapped = stage.command(["projections", "swap", "movement"])
            let slowest = try await stage.slowestRead(daemon, sold, for: .seconds(2))
            #expect(slowest < .seconds(1.5), "others pass: \(slowest)")
            _ = try await (look, swapped)
            // What can't go along stops it, and everything stays as it was.
            try await stage.command(["projections", "rebuild", "movement"])
            try await stage.execute("CREATE MATERIALIZED VIEW public.mine AS SELECT count(*) FROM paystream.movement")
            await #expect(throws: (any Error).self) { try await stage.command(["projections", "swap", "movement"]) }
            #expect(try await stage.count("paystream.movement") > 0)
            try await stage.execute("DROP MATERIALIZED VIEW public.mine")
            try await stage.command(["projections", "swap", "movement"])
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

extension Stage {
    /// All that hangs on the tables of movements, as one text.
    fileprivate func hangsOn() async throws -> String {
        try await text(
            """
            WITH t AS (SELECT c.* FROM pg_class c WHERE c.relnamespace = 'paystream'::regnamespace
                         AND c.relname IN ('movement', 'fact', 'money_count', 'delay_count'))
            SELECT string_agg(u.line, E'\\n' ORDER BY u.line) FROM (
                SELECT concat_ws(' ', t.relname, t.relowner::regrole, t.relrowsecurity, t.reloptions,
                                 (SELECT array_agg(x::text ORDER BY x::text) FROM unnest(t.relacl) x)) AS line FROM t
                UNION ALL
                SELECT pg_get_indexdef(i.indexrelid) FROM t JOIN pg_index i ON i.indrelid = t.oid
                UNION ALL
                SELECT concat_ws(' ', k.conname, pg_get_constraintdef(k.oid)) FROM t JOIN pg_constraint k ON k.conrelid = t.oid
                UNION ALL
                SELECT pg_get_triggerdef(g.oid) FROM t JOIN pg_trigger g ON g.tgrelid = t.oid
                UNION ALL
                SELECT concat_ws(' ', p.tablename, p.policyname, p.roles, p.cmd, p.qual, p.with_check) FROM pg_policies p JOIN t ON t.relname = p.tablename
                UNION ALL
                SELECT concat_ws(' ', c.oid::regclass, c.reloptions, c.relacl, pg_get_viewdef(c.oid), obj_description(c.oid, 'pg_class')) FROM pg_class c
                 WHERE c.relkind = 'v' AND c.relnamespace IN ('paystream'::regnamespace, 'reporting'::regnamespace)) u
            """
        )
    }

    /// How long the slowest of many looks took, none of which may miss what was sold.
    fileprivate func slowestRead(
        _ daemon: DaemonProcess,
        _ sold: String,
        until isOver: @Sendable () -> Bool = { false },
        for time: Duration = .seconds(30)
    )
        async throws -> Duration
    {
        var slowest = Duration.zero
        let end = ContinuousClock.now + time
        while !isOver(), ContinuousClock.now < end {
            let begun = ContinuousClock.now
            let found = try await count(
                """
                paystream.movement WHERE merchant = (SELECT id FROM paystream.merchant WHERE name = 'demo')
                    AND stream = '\(sold.dropFirst(4))'::uuid AND kind = 'captured'
                """
            )
            let shown = try await text("SELECT count(*)::text FROM (SELECT FROM reporting.movements LIMIT 1) v")
            slowest = max(slowest, begun.duration(to: .now))
            guard found == 1, shown == "1" else { throw Failure(description: "\(found) rows of \(sold)") }
        }
        return slowest
    }
}
