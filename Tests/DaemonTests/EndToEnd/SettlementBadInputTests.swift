import Http
import Kernel
import Settlement
import SystemKit
import Testing

/// Settlement files that are broken, hostile or somebody else's: each is a clear error, nothing is lost, nothing is told.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct SettlementBadInputTests {
    private static let header =
        "payment_id,operation_id,operation_type,operation_status,amount,currency,commission,operation_date\n"
    private static func line(_ amount: String, _ operation: String = "1", payment: String = "x") -> String {
        "\(payment),\(operation),sale,success,\(amount),EUR,0.10,2026-11-21 10:00:00\n"
    }

    @Test func `a broken file is refused whole, with its line, and nothing of it is kept`() async throws {
        try await Stage.run("settledbroken") { stage, daemon in
            let good = Self.header + Self.line("19.99")
            let cases: [(String, String, Int64?)] = [
                (good + Self.line("1,00"), "columnCount", 3), (good + Self.line("\"1,00\""), "amountMalformed", 3),
                (good + Self.line("1e5"), "amountMalformed", 3), (good + Self.line("-0"), "amountMalformed", 3),
                (good + Self.line("99999999999999999999"), "amountOverflow", 3),
                (good + Self.line("=1+1"), "amountMalformed", 3),
                (good.replacing("EUR", with: "EUX"), "currencyUnknown", 2),
                (good.replacing("operation_id", with: "operation"), "columnMissing", 1),
                (good + "\"" + String(repeating: "x", count: 3 << 20), "lineTooLong", 3), ("", "headerMissing", nil),
            ]
            for (text, code, line) in cases {
                let (status, body) = try await stage.bring(daemon, Array(text.utf8))
                #expect(status == 422 && body["fault"]?.text == code, "\(code): \(status) \(body)")
                #expect(body["line"]?.integer == line, "\(body)")
                #expect(!body.canonicalText.contains("1+1"), "no cell is repeated")
            }
            // A packed file that was cut, and one that is a thousand times as long unpacked.
            let packed = try await stage.packed(good + String(repeating: Self.line("1.00"), count: 2000))
            for count in [20, packed.count / 2, packed.count - 1] {
                let (status, body) = try await stage.bring(
                    daemon,
                    Array(packed.prefix(count)),
                    type: "application/gzip"
                )
                #expect(status == 422 && body["fault"] == "gzipCut", "\(count): \(body)")
            }
            let bomb = try await stage.packed(stage.long(33 << 20, good))
            #expect(bomb.count < 100_000)
            let blown = try await stage.bring(daemon, bomb, type: "application/gzip")
            #expect(blown.status == 422 && blown.body["fault"] == "contentTooLarge", "\(blown)")
            let many = try await stage.bring(daemon, [UInt8](repeating: 0x61, count: SettlementLimits.uploadBytes + 1))
            #expect(many.status == 413, "\(many)")
            for more in ["&from=2026-11-21", "&from=2026-11-22&before=2026-11-21", "&size=1"] {
                #expect(try await stage.bring(daemon, Array(good.utf8), more: more).status == 400, "\(more)")
            }
            #expect(try await stage.bring(daemon, Array(good.utf8), more: "&corrects=stl_1").status == 422)
            let outside = try await stage.bring(daemon, Array(good.utf8), more: "&from=2026-11-22&before=2026-11-23")
            #expect(outside.status == 422 && outside.body["code"] == "settlement_file_invalid", "\(outside)")
            #expect(try await stage.bring(daemon, Array(good.utf8), account: "nobody").status == 422)
            #expect(try await stage.bring(daemon, Array(good.utf8), type: "text/html").status == 415)
            for table in ["file", "line", "match", "exception", "entry", "act"] {
                #expect(try await stage.count("paystream.settlement_\(table)") == 0, "\(table)")
            }
            // The good one is good.
            let plain = try await stage.bring(daemon, packed, type: "application/gzip")
            #expect(plain.status == 201 && plain.body["lines"] == 2001, "\(plain)")
        }
    }

    @Test func `another merchant's lines tell nothing of it, and its people see nothing of ours`() async throws {
        try await Stage.run("settledforeign") { stage, daemon in
            let paid = try await stage.paid(daemon, "ours", 7700)
            try await stage.booked("captured", 1)
            let file = try await stage.settlementFile("/sandbox/settlement?account=42")
            // A neighbour with the same provider brings our file.
            try await stage.command(["merchants", "create", "neighbour"])
            let printed = try await stage.command([
                "keys", "--merchant", "neighbour", "--scopes", "commands,read,audit,admin", "create", "n",
            ])
            let key = try #require(printed.split(separator: "\n").first { $0.hasPrefix("psk_") }.map(String.init))
            let account: Json = [
                "mode": "test", "name": .string(Stage.account), "provider": "ecommpay",
                "secrets": ["secretKey": "other"],
                "settings": [
                    "currencies": ["EUR"], "gateUrl": .string(stage.sandbox), "projectId": 43,
                    "paymentPageUrl": .string(stage.sandbox + "/payment"),
                ],
            ]
            let made = try await stage.asks(daemon, .post, "/v1/accounts", account, key: key)
            #expect((200..<300).contains(made.status), "\(String(decoding: made.body, as: UTF8.self))")
            let (status, body) = try await stage.bring(daemon, file, key: key)
            #expect(status == 201 && body["matched"] == 0 && body["exceptions"] == 1, "\(body)")
            let seen = try await stage.asks(daemon, .get, "/v1/settlement-exceptions", nil, key: key)
            let items = try #require(try Json(seen.body)["items"]?.items)
            #expect(items.map { $0["class"] } == ["missingHere"] && items[0]["payment"] == nil)
            let one = try await stage.asks(
                daemon,
                .get,
                "/v1/settlement-exceptions/\(items[0]["id"]?.text ?? "")",
                nil,
                key: key
            )
            #expect(try Json(one.body)["candidates"]?.items?.isEmpty == true)
            #expect(!String(decoding: one.body, as: UTF8.self).contains(paid))
            // Ours matches, and neither sees the other's.
            let ours = try await stage.bring(daemon, file)
            #expect(ours.status == 201 && ours.body["matched"] == 1, "\(ours.body)")
            for path in [
                "settlement-files/\(ours.body["id"]?.text ?? "")",
                "settlement-exceptions/exc_" + String(repeating: "0", count: 32),
            ] {
                #expect(try await stage.asks(daemon, .get, "/v1/\(path)", nil, key: key).status == 404, "\(path)")
            }
            let id = items[0]["id"]?.text ?? ""
            for (path, body) in [
                ("assign", ["owner": "us"]), ("proposals", ["verdict": ["is": "adjust"], "reason": "x"]),
                ("proposals/1/approve", [:] as Json),
            ] {
                let answer = try await stage.exchange(daemon, .post, "/v1/settlement-exceptions/\(id)/\(path)", body)
                #expect(answer.status == 404, "\(path)")
            }
            let corrects = try await stage.bring(daemon, file, more: "&corrects=\(body["id"]?.text ?? "")")
            #expect(corrects.status == 422, "another's file is none of ours: \(corrects)")
        }
    }

    @Test func `formulas, card numbers and directions of text do no harm to whoever exports them`() async throws {
        try await Stage.run("settledformula") { stage, daemon in
            let text =
                Self.header + Self.line("1.00", "=HYPERLINK(1)", payment: "@SUM(A1)")
                + Self.line("2.00", "4444333322221111")
                + Self.line("3.00", "+1", payment: "\"a,\"\"b\"") + "x,9,-2+3,success,1.00,EUR,,2026-11-21 10:00:00\n"
            let (status, body) = try await stage.bring(daemon, Array(text.utf8))
            #expect(status == 201, "\(body)")
            let csv = try await stage.exchange(daemon, .get, "/v1/reports/exceptions?mode=test&format=csv").body
            let lines = String(decoding: csv, as: UTF8.self).split(separator: "\r\n")
            #expect(lines.count == 5)
            for cell in lines.flatMap({ $0.split(separator: ",") }) {
                #expect(!"=+@".contains(cell.first ?? " "), "\(cell)")
            }
            #expect(lines.contains { $0.contains("'=HYPERLINK(1)") } && lines.contains { $0.contains("'@SUM(A1)") })
            #expect(try await stage.count("paystream.settlement_line WHERE provider_reference LIKE '%33332222%'") == 0)
            #expect(try await stage.count("paystream.settlement_line WHERE provider_reference = '444433…1111'") == 1)
        }
    }

    @Test
    func `a file over HTTP has as many lines as a request has time for, and a longer one is refused with that bound`()
        async throws
    {
        try await Stage.run("settledlines") { stage, daemon in
            let plain: Json = [
                "name": "plain", "format": "csv", "zone": "UTC", "kind": "captured", "currency": "EUR",
                "columns": ["amount": "a", "at": "d"],
            ]
            try await stage.call(daemon, .put, "/v1/accounts/\(Stage.account)/settlement-mapping", plain)
            let line = Array("1,2026-11-20T00:00:00Z\n".utf8)
            let most = SettlementLimits.uploadLines
            let file = Array("a,d\n".utf8) + Array(repeatElement(line, count: most + 1).joined())
            let (status, body) = try await stage.bring(daemon, file)
            #expect(status == 422 && body["fault"] == "tooManyLines", "\(body)")
            #expect(body["detail"]?.text?.contains("\(most)") == true, "\(body)")
            #expect(try await stage.count("paystream.settlement_line") == 0)
        }
    }

    @Test func `a mapping is kept whole or not at all`() async throws {
        try await Stage.run("settledmapping") { stage, daemon in
            let place = "/v1/accounts/\(Stage.account)/settlement-mapping"
            let standard = try await stage.call(daemon, .get, place)
            #expect(standard["version"] == 0)
            let good = try #require(standard["mapping"]?.members)
            for (member, value) in [
                ("zone", "Europe/Nowhere" as Json), ("format", "xml"), ("delimiter", "::"), ("decimal", ";"),
                ("columns", [:]), ("kinds", ["sale": "gone"]), ("dates", "dd"), ("windowDays", 1000), ("moon", 1),
                ("currency", "EUR"), ("tariff", ["captured": ["basisPoints": 10_001]]),
            ] {
                var broken = good
                broken[member] = value
                let answer = try await stage.exchange(daemon, .put, place, .object(broken))
                #expect(answer.status == 422, "\(member): \(String(decoding: answer.body, as: UTF8.self))")
            }
            #expect(try await stage.call(daemon, .get, place)["version"] == 0)
            #expect(try await stage.call(daemon, .put, place, .object(good))["version"] == 1)
            #expect(try await stage.call(daemon, .put, place, .object(good))["version"] == 1, "the same is no new one")
        }
    }
}

extension Stage {
    /// The same request with another key.
    fileprivate func asks(_ daemon: DaemonProcess, _ method: HttpMethod, _ path: String, _ body: Json?, key: String)
        async throws -> HttpResponse
    {
        let headers = HttpHeaders([
            ("Authorization", "Bearer " + key), ("Content-Type", "application/json"), ("Idempotency-Key", "k"),
        ])
        return try await send(method, daemon.address + path, headers, body?.compactBytes ?? [])
    }

    /// So many bytes of lines that are as long as a line may be, and lack columns.
    fileprivate func long(_ bytes: Int, _ beginning: String) -> String {
        let line =
            "x," + String(repeating: "y", count: SettlementLimits.lineBytes - 100) + ",sale,failed,1,EUR,,never\n"
        return beginning + String(repeating: line, count: bytes / line.utf8.count + 1)
    }

    /// The text by `gzip`.
    fileprivate func packed(_ text: String) async throws -> [UInt8] {
        let path = try keep("plain-\(next())", Array(text.utf8))
        let words = ["-9", "-n", "-c", path]
        let child = try ChildProcess.start("gzip", words, environment: [:], outputFile: path + ".gz")
        guard try await DaemonProcess.ending(of: child) == .exited(0), let bytes = SmallFile.read(path + ".gz") else {
            throw Failure(description: "\(path) can't be packed")
        }
        return bytes
    }
}
