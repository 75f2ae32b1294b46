import Http
import Kernel
import Testing

/// What settlement holds to however files, evidence and read models change: daemons as processes, PostgreSQL, the sandbox's files.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct SettlementChainTests {
    private static let mapping = "/v1/accounts/\(Stage.account)/settlement-mapping"
    private static let header =
        "payment_id,operation_id,operation_type,operation_status,amount,currency,commission,operation_date\n"

    private static func line(_ kind: String, _ operation: String, _ amount: String) -> String {
        "x,\(operation),\(kind),success,\(amount),EUR,0.00,2026-11-21 10:00:00\n"
    }

    /// A file of one payout.
    private static func paidOut(_ amount: String) -> [UInt8] { Array((header + line("payout", "P-1", amount)).utf8) }

    @Test func `a line goes on to the capture that the provider names, when two persons had booked it before`()
        async throws
    {
        try await Stage.run("settlednames") { stage, daemon in
            let body = Stage.newPayment("asked", 7700)
            let id = try #require(try await stage.call(daemon, .post, "/v1/payments", body, key: "asked")["id"]?.text)
            let page = try #require(try await stage.call(daemon, .get, "/v1/payments/\(id)/next-action")["url"]?.text)
            try await stage.bookedByPersons(daemon, id)
            try await stage.booked("captured", 1)
            let name = try await stage.providerName(daemon, id)
            let line = "\(name),OP-1,sale,success,77.00,EUR,1.16,2026-11-21 10:00:00\n"
            let filed = try await stage.bring(daemon, Array((Self.header + line).utf8))
            #expect(filed.status == 201 && filed.body["matched"] == 1 && filed.body["exceptions"] == 0, "\(filed)")
            // The payer pays after all, and the provider names what took the money.
            #expect(try await stage.send(.get, page, HttpHeaders([("Accept", "text/html")]), []).status < 400)
            try await stage.booked("captured", 3)
            try await stage.conserves(daemon)
            #expect(try await stage.bring(daemon, Self.paidOut("50.00")).status == 201)
            #expect(try await stage.exceptions(daemon).isEmpty)
            let matched = """
                SELECT string_agg(coalesce(m.provider_reference, 'nobody') || ' ' || m.amount, ',') FROM paystream.settlement_match x
                  JOIN paystream.movement m USING (merchant, stream, version, number) WHERE x.ended_act IS NULL
                """
            let told = try await stage.text(matched)
            #expect(told.hasSuffix(" 7700") && !told.hasPrefix("nobody"), "\(told)")
            let fees = try await stage.report(daemon, "fees").reduce(Int64(0)) { $0 + ($1["fees"]?.integer ?? 0) }
            #expect(fees == 116, "no second fee")
            try await stage.conserves(daemon)
            try await stage.verifyViews()
        }
    }

    @Test func `a chain of corrections counts its last file, and an earlier one comes back as a correction`()
        async throws
    {
        try await Stage.run("settledchain") { stage, daemon in
            func bring(_ amount: String, correcting file: Json? = nil) async throws -> (status: Int, body: Json) {
                let more = file?["id"]?.text.map { "&corrects=\($0)" } ?? ""
                return try await stage.bring(daemon, Self.paidOut(amount), more: more)
            }
            func paidOut() async throws -> String {
                try await stage.text("SELECT sum(amount)::text FROM paystream.movements WHERE movement = 'payout'")
            }
            let first = try await bring("50.00")
            let second = try await bring("60.00", correcting: first.body)
            let third = try await bring("70.00", correcting: first.body)
            #expect([first.status, second.status, third.status] == [201, 201, 201])
            #expect(try await paidOut() == "7000", "the last one alone")
            let known = try await bring("50.00")
            #expect(known.status == 200 && known.body["id"] == first.body["id"], "\(known)")
            #expect(try await paidOut() == "7000", "the same bytes change nothing")
            let back = try await bring("50.00", correcting: third.body)
            #expect(back.status == 201 && back.body["corrects"] == third.body["id"], "\(back)")
            #expect(try await paidOut() == "5000", "back to the first")
            let again = try await bring("50.00", correcting: third.body)
            #expect(again.status == 200 && again.body["id"] == back.body["id"], "said twice is said once: \(again)")
            try await stage.conserves(daemon)
        }
    }

    @Test func `whatever a file has wrong, nothing is lost, before persons decide, behind it, and as of then`()
        async throws
    {
        try await Stage.run("settledseeds") { stage, daemon in
            let second = try await stage.newKey("second")
            try await stage.call(daemon, .put, Self.mapping, try Stage.ecommpayMapping())
            var (last, paid, positions) = (Int64(0), 0, [Int64]())
            let rounds = [
                "missingHere", "missingThere", "amount", "fee", "currency", "duplicate", "unknownKind", "all", "all",
            ]
            for (seed, mistakes) in rounds.enumerated() {
                for number in 0..<(mistakes == "all" ? 8 : 2) {
                    _ = try await stage.paid(daemon, "p\(seed)-\(number)", Int64(number) * 10_000 + 7700)
                    paid += 1
                }
                try await stage.booked("captured", paid)
                let place = "/sandbox/settlement?account=42&payout=true&mistakes=\(mistakes)&seed=\(seed)&after=\(last)"
                let plan = try await stage.control(place + "&plan=true")
                #expect(plan["planted"]?.items?.count == (mistakes == "all" ? 7 : 1), "\(mistakes): \(plan)")
                last = try #require(plan["last"]?.integer)
                #expect(try await stage.bring(daemon, try await stage.settlementFile(place)).status == 201)
                try await stage.conserves(daemon)
                let made = try await stage.call(daemon, .get, "/v1/reports/reconciliation?mode=test")
                positions.append(try #require(made["position"]?.integer))
                // What some leave open stands beside what the next file brings.
                guard seed % 2 == 0 else { continue }
                for exception in try await stage.exceptions(daemon) {
                    let verdict: Json = ["is": exception["class"] == "unknownKind" ? "disregard" : "adjust"]
                    try await stage.resolve(daemon, exception, verdict, second: second)
                }
                try await stage.conserves(daemon)
            }
            for position in positions {
                let rows = try await stage.report(daemon, "reconciliation", "&asOf=\(position)")
                #expect(!rows.isEmpty && rows.allSatisfy { $0["difference"] == 0 }, "as of \(position): \(rows)")
            }
            try await stage.verifyViews()
        }
    }

    @Test func `matches and exceptions go along when another version of the movements takes their place`()
        async throws
    {
        try await Stage.run("settledcarried") { stage, daemon in
            for number in 0..<3 { _ = try await stage.paid(daemon, "p\(number)", Int64(number) * 10_000 + 7700) }
            try await stage.booked("captured", 3)
            try await stage.call(daemon, .put, Self.mapping, try Stage.ecommpayMapping())
            let place = "/sandbox/settlement?account=42&mistakes=missingThere,amount&seed=3"
            let file = try await stage.settlementFile(place)
            let imported = try await stage.bring(daemon, file)
            #expect(imported.status == 201 && imported.body["matched"] == 2, "\(imported)")
            // As if the version of before had numbered its rows otherwise.
            for table in ["movement", "settlement_match", "settlement_exception WHERE stream IS NOT NULL"] {
                let parts = table.split(separator: " ", maxSplits: 1)
                let narrowed = parts.count > 1 ? " \(parts[1])" : ""
                try await stage.execute("UPDATE paystream.\(parts[0]) SET number = number + 50\(narrowed)")
            }
            let (before, open) = (
                try await stage.report(daemon, "reconciliation"), try await stage.exceptions(daemon)
            )
            #expect(open.compactMap { $0["class"]?.text }.sorted() == ["amount", "missingThere"])
            try await stage.conserves(daemon)
            try await stage.command(["projections", "rebuild", "--swap", "movement"])
            #expect(try await stage.report(daemon, "reconciliation") == before)
            let behind = try await stage.exceptions(daemon)
            #expect(behind.map { $0["id"] } == open.map { $0["id"] }, "none ended, and none is new")
            #expect(behind.allSatisfy { $0["number"]?.integer ?? 50 < 50 && $0["payment"] != nil }, "\(behind)")
            #expect(
                try await stage.count(
                    """
                    paystream.settlement_match x JOIN paystream.movement m USING (merchant, stream, version, number)
                     WHERE x.ended_act IS NULL AND m.kind = 'captured'
                    """
                ) == 2
            )
            #expect(try await stage.count("paystream.settlement_act") == 1, "nothing was decided")
            try await stage.conserves(daemon)
        }
    }

    @Test func `exceptions of any number are written to their end, in every form`() async throws {
        try await Stage.run("settledmany") { stage, daemon in
            let lines = (1...2100).map { Self.line("sale", "stranger-\($0)", "1.00") }.joined()
            let brought = try await stage.bring(daemon, Array((Self.header + lines).utf8))
            #expect(brought.status == 201 && brought.body["exceptions"] == 2100, "\(brought)")
            for (form, more) in [("ndjson", 0), ("csv", 1)] {
                let place = "/v1/reports/exceptions?mode=test&format=\(form)"
                let text = String(decoding: try await stage.exchange(daemon, .get, place).body, as: UTF8.self)
                let rows = text.split(whereSeparator: \.isNewline)
                #expect(rows.count == 2100 + more && Set(rows).count == rows.count, "\(form): \(rows.count)")
                // In the order of the file.
                #expect(rows[more].contains("stranger-1") && rows.last?.contains("stranger-2100") == true)
            }
        }
    }
}

extension Stage {
    /// Two persons say that a payment was paid.
    fileprivate func bookedByPersons(_ daemon: DaemonProcess, _ id: String) async throws {
        let shown = try await payment(daemon, id)
        let operation = shown["operations"]?.items?.first?["id"] ?? .null
        let proposal: Json = [
            "verdict": ["is": "succeeded", "operation": operation, "amount": Stage.euros(7700)],
            "evidence": "in the statement", "seenVersion": shown["version"] ?? .null,
        ]
        let proposed = try await call(daemon, .post, "/v1/payments/\(id)/resolutions", proposal, key: "propose-\(id)")
        guard let resolution = proposed["resolutions"]?.items?.last?["id"]?.text,
            let version = proposed["version"]?.integer
        else { throw Failure(description: "no proposal in \(proposed.canonicalText)") }
        let second = try await newKey("second-person")
        _ = try await tool(daemon, ["operations", "approve", id, resolution, "--seen", String(version)], key: second)
        try await wait(daemon, id, for: "captured")
    }
}
