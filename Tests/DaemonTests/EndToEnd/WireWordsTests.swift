import Http
import Kernel
import TestKit
import Testing

/// What is refused over HTTP, and in which words.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct WireWordsTests {
    /// A sentence that tells somebody to do something.
    private static let advice = [
        "Send ", "Correct ", "GET ", "Read ", "Use ", "Let ", "Check ", "Wait ", "Ask ", "Name ", "Begin ", "Repeat ",
        "'paystream ",
    ]

    private static func closes(_ detail: String) -> Bool {
        let sentences = detail.split(separator: ". ").map(String.init)
        return sentences.count > 1 && detail.last == "." && advice.contains { sentences.last?.hasPrefix($0) == true }
    }

    @Test func `every problem says what is wrong, closes with what to do and leads to its page`() async throws {
        try await Stage.run("e2ewords") { stage, daemon in
            let bearer = [("Authorization", "Bearer " + stage.token)]
            let path = daemon.address + "/v1/payments"
            let json = bearer + [("Content-Type", "application/json")]
            let asked: [(Int, HttpMethod, String, [(String, String)], [UInt8])] = [
                (431, .get, path, bearer + (0..<120).map { ("X-Field-\($0)", "a") }, []),
                (431, .get, path, bearer + [("X-Long", String(repeating: "a", count: 17_000))], []),
                (414, .get, path + "?reference=" + String(repeating: "a", count: 9_000), bearer, []),
                (413, .post, path, json, [UInt8](repeating: 0x20, count: 70_000)),
                (415, .post, path, bearer + [("Content-Type", "text/plain"), ("Idempotency-Key", "a")], [0x7B]),
                (415, .post, path, json + [("Content-Encoding", "gzip")], [0x7B]),
                (404, .get, daemon.address + "/nowhere", [], []), (405, .put, path, json, []),
                (401, .get, path, [], []), (400, .post, path, json + [("Idempotency-Key", "a")], [0x7B]),
                (400, .post, path, json, Array("{}".utf8)),
            ]
            for (status, method, url, headers, body) in asked {
                let answer = try await stage.send(method, url, HttpHeaders(headers), body)
                #expect(answer.status == status, "\(method.rawValue) \(url.prefix(60))")
                let problem = try Json(answer.body)
                let detail = problem["detail"]?.text ?? ""
                #expect(Self.closes(detail), "\(status): \(detail)")
                let type = problem["type"]?.text ?? ""
                let page = try await stage.send(.get, daemon.address + type, HttpHeaders(), [])
                let html = String(decoding: page.body, as: UTF8.self)
                #expect(page.status == 200 && page.headers["Content-Type"] == "text/html; charset=utf-8", "\(type)")
                #expect(html.contains("<h1>\(problem["code"]?.text ?? "")</h1>"), "\(type)")
            }
        }
    }

    @Test(arguments: [
        ("reference", "order\u{200B}-1042"), ("reference", "\u{202E}2401-redro"), ("reference", " \u{00A0}"),
        ("customer", "ann\u{FEFF}"), ("customer", "   "), ("description", "boots\u{2066}"), ("reference", "a\u{00AD}b"),
    ])
    func `a name that people could not tell from another is refused`(member: String, text: String) async throws {
        try await Stage.run("e2einvisible") { stage, daemon in
            let body = Stage.newPayment("invisible", 7700).setting([member], .string(text))
            let refused = try await stage.exchange(daemon, .post, "/v1/payments", body, key: "invisible")
            let told = try Json(refused.body)
            #expect(refused.status == 422 && told["path"]?.text == member, "\(told.canonicalText)")
            #expect(["control_character", "text_empty"].contains(told["code"]?.text ?? ""))
            let good = Stage.newPayment("visible", 7700).setting([member], "می\u{200C}خواهم 1042")
            let taken = try await stage.exchange(daemon, .post, "/v1/payments", good, key: "visible")
            #expect(taken.status < 300, "\(String(decoding: taken.body, as: UTF8.self))")
        }
    }

    @Test func `conditions name versions in lists, and a star stands alone`() async throws {
        try await Stage.run("e2econditions") { stage, daemon in
            let id = try await stage.paid(daemon, "conditions", 7700)
            let path = "/v1/payments/\(id)"
            let tag = try #require(try await stage.exchange(daemon, .get, path).headers["ETag"])
            let reads: [(String, String, Int)] = [
                ("If-None-Match", tag, 304), ("If-None-Match", "\"a\", W/\(tag)", 304), ("If-None-Match", "*", 304),
                ("If-None-Match", "\"a\", \"b\"", 200), ("If-None-Match", "\"a\", *", 200), ("If-Match", tag, 200),
                ("If-Match", "\"a\",\(tag)", 200), ("If-Match", "*", 200), ("If-Match", "\"a\", \"9999\"", 412),
                ("If-Match", "W/\(tag)", 412), ("If-Match", "\"9999\", *", 412),
            ]
            for (name, value, status) in reads {
                let answer = try await stage.exchange(daemon, .get, path, headers: [(name, value)])
                #expect(answer.status == status, "\(name): \(value)")
            }
            let commands: [(String, String, Int)] = [
                ("If-None-Match", "*", 400), ("If-None-Match", tag, 400), ("If-Match", "\"9999\", *", 412),
                ("If-Match", "\"9999\", \(tag)", 202),
            ]
            for (name, value, status) in commands {
                let answer = try await stage.exchange(
                    daemon,
                    .post,
                    path + "/sync",
                    key: "sync-\(stage.next())",
                    headers: [(name, value)]
                )
                #expect(
                    answer.status / 100 == status / 100 && (status < 300 || answer.status == status),
                    "\(name): \(value)"
                )
            }
        }
    }

    @Test func `an account's address takes names, and a card's number in it is refused and not said back`() async throws
    {
        try await Stage.run("e2eaddresses") { stage, daemon in
            let id = try await stage.paid(daemon, "addresses", 7700)
            let account = try #require(try await stage.call(daemon, .get, "/v1/accounts")["items"]?.items?.first)
            let full = try #require(account["notificationUrl"]?.text)
            let json = HttpHeaders([("Content-Type", "application/json")])
            let byNumber = try await stage.send(.post, full, json, Array("{}".utf8))
            let named = daemon.address + "/v1/notifications/ecommpay/demo/" + Stage.account
            let byName = try await stage.send(.post, named, json, Array("{}".utf8))
            #expect(byName.status == byNumber.status && byName.body == byNumber.body && byName.status != 404)
            for place in ["ecommpay/nobody/\(Stage.account)", "ecommpay/demo/nobody", "dolyame/demo/\(Stage.account)"] {
                let url = daemon.address + "/v1/notifications/" + place
                #expect(try await stage.send(.post, url, json, Array("{}".utf8)).status == 404, "\(place)")
            }
            let reference = try #require(try await stage.payment(daemon, id).at("attempt", "reference")?.text)
            let back = daemon.address + "/v1/return/demo/\(Stage.account)/"
            #expect(try await stage.send(.get, back + reference, HttpHeaders(), []).status == 200)
            for card in ["4111111111111111", "4111-1111-1111-1111"] {
                for (method, url) in [
                    (HttpMethod.get, back + card), (.post, back + card),
                    (.get, daemon.address + "/v1/return/demo/\(card)/x"),
                    (.post, daemon.address + "/v1/notifications/ecommpay/demo/\(card)"),
                ] {
                    let refused = try await stage.send(method, url, HttpHeaders(), [])
                    let text = String(decoding: refused.body, as: UTF8.self)
                    #expect(refused.status == 422 && text.contains("card_data_refused"), "\(url): \(text)")
                    #expect(!text.contains("1111"), "\(text)")
                }
                #expect(try await stage.tablesHolding(card).isEmpty)
            }
        }
    }

    @Test func `the metrics are for the machine itself, or behind a door of their own`() async throws {
        try await Stage.run("e2emetricsdoor") { stage, daemon in
            let url = daemon.address + "/metrics"
            #expect(try await stage.send(.get, url, HttpHeaders(), []).status == 200)
            for name in ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP", "X-Forwarded-Proto"] {
                let answer = try await stage.send(.get, url, HttpHeaders([(name, "192.0.2.7")]), [])
                #expect(answer.status == 404, "\(name)")
                #expect(!String(decoding: answer.body, as: UTF8.self).contains("paystream_"))
            }
            let other = try await stage.serve(more: ["PAYSTREAM_METRICS_LISTEN": "127.0.0.1:0"])
            #expect(try await stage.send(.get, other.address + "/metrics", HttpHeaders(), []).status == 404)
            let door = try await stage.until("the door is named in the log") {
                let text = DaemonProcess.text(of: other.outputFile)
                let line = text.split(separator: "\n").first { $0.contains("metrics listen") }.map(String.init)
                let address = line.flatMap { try? Json(text: $0)["address"]?.text }
                return address.map { .done($0) } ?? .notYet(text)
            }
            let page = try await stage.send(.get, door + "/metrics", HttpHeaders(), [])
            #expect(page.status == 200 && String(decoding: page.body, as: UTF8.self).contains("paystream_build_info"))
            #expect(try await stage.send(.get, door + "/v1/payments", HttpHeaders(), []).status == 404)
        }
    }

    @Test func `what becomes of late occurrences is told to calendars alone`() async throws {
        try await Stage.run("e2ecatchup") { stage, daemon in
            let terms: Json = [
                "account": .string(Stage.account), "amount": Stage.euros(700), "kind": "oneClick",
                "policy": ["catchUp": ["mode": "none"]],
            ]
            let refused = try await stage.exchange(daemon, .post, "/v1/schedules", terms, key: "late")
            let told = try Json(refused.body)
            #expect(refused.status == 422 && told["path"] == "policy.catchUp", "\(told.canonicalText)")
            #expect(told["code"] == "value_not_allowed", "\(told.canonicalText)")
        }
    }
}
