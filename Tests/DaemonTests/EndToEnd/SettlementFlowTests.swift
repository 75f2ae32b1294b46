import Glibc
import Http
import Kernel
import Settlement
import Testing

/// Settlement from payment to conservation: daemons as processes, PostgreSQL, the sandbox's files.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct SettlementFlowTests {
    private static let mapping = "/v1/accounts/\(Stage.account)/settlement-mapping"

    @Test func `seeded mistakes of every class are found, each once, and resolved by two persons`() async throws {
        try await Stage.run("settled") { stage, daemon in
            let second = try await stage.newKey("second")
            for number in 0..<10 { _ = try await stage.paid(daemon, "p\(number)", Int64(number) * 10_000 + 7700) }
            let back = try await stage.paid(daemon, "back", 7700)
            try await stage.call(daemon, .post, "/v1/payments/\(back)/refund", ["amount": Stage.euros(700)], key: "r")
            try await stage.booked("captured", 11)
            try await stage.booked("refunded", 1)
            try await stage.call(daemon, .put, Self.mapping, try Stage.ecommpayMapping())

            let place = "/sandbox/settlement?account=42&mistakes=all&seed=7&payout=true"
            let plan = try await stage.control(place + "&plan=true")
            #expect(plan["planted"]?.items?.count == 7)
            let file = try await stage.settlementFile(place)
            let (status, imported) = try await stage.bring(daemon, file)
            #expect(status == 201, "\(imported)")
            let again = try await stage.bring(daemon, file)
            #expect(again.status == 200 && again.body["id"] == imported["id"], "the same file changes nothing")
            let found = try await stage.exceptions(daemon)
            let classes = found.compactMap { $0["class"]?.text }.sorted()
            #expect(
                classes == [
                    "amount", "currency", "currency", "duplicate", "fee", "missingHere", "missingThere", "unknownKind",
                ]
            )
            Self.finds(plan["planted"]?.items ?? [], in: found)
            let position = try await stage.call(daemon, .get, "/v1/reports/reconciliation?mode=test")["position"]
            let open = try await stage.exchange(daemon, .get, "/v1/reports/reconciliation?mode=test")
            try await stage.conserves(daemon)

            let assigned = "/v1/settlement-exceptions/\(found[0]["id"]?.text ?? "")/assign"
            #expect(try await stage.call(daemon, .post, assigned, ["owner": "anna"])["owner"] == "anna")
            #expect(try await stage.exceptions(daemon, "&owner=anna").count == 1)
            for exception in found {
                let isWord = exception["class"] == "unknownKind"
                let verdict: Json = ["is": isWord ? "disregard" : "adjust"]
                try await stage.resolve(daemon, exception, verdict, second: second)
                try await stage.conserves(daemon)
            }
            #expect(try await stage.exceptions(daemon).isEmpty)
            let rows = try await stage.report(daemon, "reconciliation")
            #expect(rows.allSatisfy { $0["open"] == 0 && $0["timing"] == 0 }, "\(rows)")
            // What we say is owed is what the file comes to.
            for row in try await stage.report(daemon, "settlement") {
                #expect(row["closing"] == row["filed"], "\(row)")
            }
            // As of then it is as it was.
            let then = "/v1/reports/reconciliation?mode=test&asOf=\(position?.integer ?? 0)"
            #expect(try await stage.exchange(daemon, .get, then).body == open.body)
            let ended = try await stage.exceptions(daemon, "&open=false")
            #expect(ended.count == 8)
            let one = "/v1/settlement-exceptions/\(ended[0]["id"]?.text ?? "")"
            let history = try await stage.call(daemon, .get, one)["history"]?.items?.compactMap { $0["step"]?.text }
            #expect(history?.first == "opened" && history?.suffix(3).first == "proposed", "\(history ?? [])")
            try await stage.verifyViews()
        }
    }

    /// Each mistake at the operation at which it was made.
    private static func finds(_ planted: [Json], in found: [Json]) {
        for mistake in planted {
            let word = mistake["mistake"]?.text
            let names = found.filter { $0["class"]?.text == word }.compactMap { $0["providerReference"]?.text }
            #expect(names.contains(mistake["operation"]?.text ?? ""), "\(mistake) \(names)")
        }
    }

    @Test func `what is late is a matter of timing until a later file brings it, and the command line does the same`()
        async throws
    {
        try await Stage.run("settledlate") { stage, daemon in
            for number in 0..<3 { _ = try await stage.paid(daemon, "p\(number)", Int64(number) * 10_000 + 7700) }
            try await stage.booked("captured", 3)
            try await stage.call(daemon, .put, Self.mapping, try Stage.ecommpayMapping(delayDays: 5))
            let place = "/sandbox/settlement?account=42"
            // A plan names what its file has, where there are fewer lines than mistakes, too.
            let plan = try await stage.control(place + "&mistakes=all&seed=3&plan=true")
            let full = String(decoding: try await stage.settlementFile(place + "&mistakes=all&seed=3"), as: UTF8.self)
            #expect(plan["lines"]?.integer == Int64(full.split(separator: "\r\n").count - 1), "\(plan) \(full)")
            for planted in plan["planted"]?.items ?? [] {
                let isThere = full.contains(planted["operation"]?.text ?? "?")
                #expect(isThere == (planted["mistake"] != "missingThere"), "\(planted) \(full)")
            }
            let file = try await stage.settlementFile(place + "&mistakes=missingThere&seed=3")
            #expect(try await stage.bring(daemon, file).status == 201)
            let found = try await stage.exceptions(daemon)
            #expect(found.map { $0["class"] } == ["timing"])
            try await stage.conserves(daemon)
            // A whole file of the same lines: what was there is there twice, and what was late is there.
            let whole = try stage.keep("whole.csv", try await stage.settlementFile(place + "&payout=true"))
            let command = ["reconcile", "import", whole, "--account", Stage.account, "--json"]
            let imported = try Json(text: try await stage.command(command))
            #expect(imported["lines"] == 4 && imported["matched"] == 1 && imported["exceptions"] == 2, "\(imported)")
            #expect(try await stage.command(Array(command.dropLast())).contains("nothing changed"))
            let listed = try await stage.command(["reconcile", "exceptions"])
            #expect(listed.contains("duplicate") && !listed.contains("timing"))
            let first = try await stage.call(daemon, .get, "/v1/settlement-exceptions/\(found[0]["id"]?.text ?? "")")
            #expect(first["outcome"] == "matched")
            try await stage.conserves(daemon)
            // It is the first file, corrected: then nothing is there twice.
            let id = try await stage.call(daemon, .get, "/v1/settlement-files")["items"]?.items?.last?["id"]?.text ?? ""
            let third = try stage.keep("third.csv", try await stage.settlementFile(place))
            let words = ["reconcile", "import", third, "--account", Stage.account, "--corrects", id, "--json"]
            #expect(try Json(text: try await stage.command(words))["corrects"] == .string(id))
            try await stage.conserves(daemon)
            let table = try await stage.command(["report", "reconciliation", "--mode", "test"])
            #expect(table.contains("DIFFERENCE") && !table.contains("COMPLETE"))
            #expect(try await stage.command(["reconcile", "files"]).contains(id))
            let mappings = try await stage.command(["reconcile", "mappings"])
            #expect(mappings.contains("ecommpay operations") && mappings.contains("csv"))
            #expect(
                try Json(text: try await stage.command(["reconcile", "mappings", "standard", "portmone"]))["zone"]
                    == "Europe/Kyiv"
            )
        }
    }

    @Test func `every provider's file is read by the mapping that comes with it, and all of it matches`() async throws {
        try await Stage.run("settledall") { stage, daemon in
            try await stage.addPortmone(daemon)
            try await stage.addWorldline(daemon)
            try await stage.addSberPay(daemon, "ecom")
            try await stage.addDolyame(daemon)
            try await stage.payEverywhere(daemon)
            try await stage.booked("captured", 4)
            try await stage.booked("refunded", 4)
            for (account, place) in [
                ("portmone-uah", "/portmone/sandbox/settlement"), ("worldline-eur", "/worldline/sandbox/settlement"),
                (Stage.sberPayAccount("ecom"), "/sberpay/sandbox/settlement"),
                ("dolyame", "/dolyame/control/settlement"),
            ] {
                let file = try stage.keep("\(account).csv", try await stage.settlementFile(place + "?payout=true"))
                let words = ["reconcile", "import", file, "--account", account, "--json"]
                let imported = try Json(text: try await stage.command(words))
                #expect(imported["matched"] == 2 && imported["exceptions"] == 0, "\(account): \(imported)")
            }
            #expect(try await stage.exceptions(daemon).isEmpty)
            try await stage.conserves(daemon)
            // A report is made where the books have come to, which a busy machine may be behind.
            try await stage.until("all of it was paid out") {
                let rows = try await stage.report(daemon, "settlement").filter {
                    $0["account"] != .string(Stage.account)
                }
                let isPaid = rows.allSatisfy { $0["closing"] == 0 && $0["payouts"] != 0 }
                return rows.count == 4 && isPaid ? .done(()) : .notYet("\(rows)")
            }
        }
    }
}

extension Stage {
    /// Holds the statement of conservation and the trial balance, when the books, which a busy machine may be
    /// behind with, have come to something.
    func conserves(_ daemon: DaemonProcess) async throws {
        let rows = try await until("rows of conservation") {
            let rows = try await report(daemon, "reconciliation")
            return rows.isEmpty ? .notYet("no row") : .done(rows)
        }
        guard rows.allSatisfy({ $0["difference"] == 0 }) else {
            throw Failure(description: "money is lost: \(rows)")
        }
        let balances = try await report(daemon, "balance")
        for (currency, rows) in Dictionary(grouping: balances, by: { $0["currency"] }) {
            guard rows.reduce(Int64(0), { $0 + ($1["balance"]?.integer ?? .max) }) == 0 else {
                throw Failure(description: "debits are not credits in \(currency?.text ?? "")")
            }
        }
    }

    /// A payment and a part of it given back, at each provider but the first.
    fileprivate func payEverywhere(_ daemon: DaemonProcess) async throws {
        func giveBack(_ id: String, _ body: Json) async throws {
            try await call(daemon, .post, "/v1/payments/\(id)/refund", body, key: "back-\(id)")
        }
        let portmone = try await portmone(daemon, "sale", 1000)
        try await press(daemon, portmone, ["approve"])
        try await wait(daemon, portmone, for: "captured")
        try await giveBack(portmone, ["amount": Stage.hryvnias(250)])
        let worldline = try await worldline(daemon, "wsale", 2000)
        try await pressWorldline(daemon, worldline, ["approve"])
        try await wait(daemon, worldline, for: "captured")
        try await giveBack(worldline, ["amount": Stage.euros(500)])
        let sber = try await sberPay(daemon, "ssale", 3000)
        try await press(daemon, sber, ["approve"])
        try await wait(daemon, sber, for: "captured")
        try await giveBack(sber, ["amount": Stage.roubles(700)])
        let dolyame = try await dolyame(daemon, "dsale")
        try await choose("approve", at: dolyame.url)
        try await wait(daemon, dolyame.id, for: "authorized")
        try await call(daemon, .post, "/v1/payments/\(dolyame.id)/capture", [:], key: "dc")
        try await wait(daemon, dolyame.id, for: "captured")
        try await giveBack(dolyame.id, Stage.dolyamePart)
    }

    /// Writes bytes into a file of this stage.
    func keep(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = "\(folder)/\(name)"
        guard let file = fopen(path, "w") else { throw Failure(description: "\(path) can't be written") }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
        return path
    }
}
