import Http
import Kernel
import Postgres
import Sandbox
import TestKit
import Testing

/// Cards and wallets at the simulated Portmone: test cards, saved cards, their ends, wallets with the payer's bank.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct PortmoneCardTests {
    @Test func `both test cards end as the provider says, with commission and receipt`() async throws {
        try await Stage.run("e2ecards") { stage, daemon in
            try await stage.addPortmone(daemon, ["declineIsFinal": true])
            let good = try await stage.portmone(daemon, "good", 1000)
            try await stage.type(daemon, good, card: "4444333322221111")
            let paid = try await stage.wait(daemon, good, for: "captured")
            #expect(paid.at("commission", "value")?.integer == 50)
            let receipt = paid["receipts"]?.items?.first
            #expect(receipt?["payee"]?.text == "Sandbox")
            #expect(receipt?["authorizationCode"]?.text == "TESTPM")
            #expect(receipt?["contract"]?.text == "Order good")
            #expect(receipt?["retrievalReference"]?.text?.isEmpty == false)
            let row = try await stage.until("the read model shows the receipt") {
                let answer = try await stage.exchange(daemon, .get, "/v1/payments/\(good)/read-model")
                let row = (try? Json(answer.body)) ?? .null
                return row["receipts"] == paid["receipts"] ? .done(row) : .notYet(row.canonicalText)
            }
            #expect(row.at("commission", "value")?.integer == 50)

            let bad = try await stage.portmone(daemon, "bad", 1000)
            try await stage.type(daemon, bad, card: "4111111111111111")
            try await stage.wait(daemon, bad, for: "failed")
            #expect(try await stage.portmoneLedger(daemon, bad).isEmpty)
            try await stage.verifyReplay()
        }
    }

    @Test func `a saved card pays with and without CVV, and its hold of one hryvnia enters no books`() async throws {
        try await Stage.run("e2esaved") { stage, daemon in
            try await stage.addPortmone(
                daemon,
                [
                    "tokenChargeMode": "sdk", "billAmountWcvv": "100.00",
                    "permissions": ["withoutCvv": true, "biometrics": false],
                ]
            )
            let (card, instrument) = try await stage.saveCard(daemon)
            #expect(try await stage.portmoneLedger(daemon, card).first == "hold 100")
            let refused = try await stage.exchange(daemon, .post, "/v1/payments/\(card)/capture", [:], key: "never")
            #expect(refused.status == 422)

            for (name, minor, skips) in [("without", Int64(9999), true), ("with", 10_000, false)] {
                let details: Json = skips ? ["withoutCvv": true] : [:]
                let id = try await stage.portmone(daemon, name, minor, instrument: instrument, details: details)
                let parameters = try await stage.appParameters(daemon, id, at: "payments")
                #expect(parameters["call"]?.text == "payByToken")
                let body: Json = ["action": "approve", "parameters": parameters]
                let answer = try await stage.control("/portmone/sandbox/app", body)
                #expect(answer["cvvAsked"]?.flag == !skips)
                try await stage.call(daemon, .post, "/v1/payments/\(id)/sync", [:], key: "\(name)-sync")
                try await stage.wait(daemon, id, for: "captured")
            }
            let equal = try await stage.exchange(
                daemon,
                .post,
                "/v1/payments",
                stage.portmoneBody("equal", 10_000, instrument: instrument, details: ["withoutCvv": true]),
                key: "equal"
            )
            #expect(equal.status == 422)
            // The saving hold ends by itself, half an hour of the simulator later.
            _ = try await stage.until("the hold of one hryvnia is given back") {
                let entries = try await stage.portmoneLedger(daemon, card)
                return entries == ["hold 100", "release 100"] ? .done(true) : .notYet("\(entries)")
            }
            try await stage.call(daemon, .post, "/v1/payments/\(card)/sync", [:], key: "card-sync")
            let after = try await stage.wait(daemon, card, for: "tokenized")
            #expect(after.at("amounts", "captured")?.integer ?? 0 == 0)
            #expect(after["contradictions"] == nil)
            try await stage.verifyReplay()
        }
    }

    @Test func `a saved card is listed, ends when the provider declines it for good, and is removed here alone`()
        async throws
    {
        try await Stage.run("e2einstruments") { stage, daemon in
            try await stage.addPortmone(
                daemon,
                ["declineIsFinal": true, "declineCodes": ["51": "instrumentInvalid"]]
            )
            let (_, instrument) = try await stage.saveCard(daemon)
            let sale = try await stage.portmone(daemon, "declined", 500, instrument: instrument)
            try await stage.press(daemon, sale, ["decline"])
            try await stage.wait(daemon, sale, for: "failed")
            let ended = try await stage.instrument(daemon, instrument, is: "invalid")
            #expect(ended["uses"]?.integer == 1)
            #expect(ended.at("ended", "code")?.text == "51")
            let body = stage.portmoneBody("again", 500, instrument: instrument)
            let again = try await stage.exchange(daemon, .post, "/v1/payments", body, key: "again")
            #expect((try? Json(again.body))?["code"]?.text == "instrument_invalid")

            let listed = try await stage.until("the customer's card is listed") {
                let page = try await stage.call(daemon, .get, "/v1/instruments?customer=cust-1&status=invalid")
                return page["items"]?.items?.count == 1 ? .done(page) : .notYet(page.canonicalText)
            }
            #expect(listed["items"]?.items?.first?["id"]?.text == instrument)
            #expect(
                try await stage.call(daemon, .get, "/v1/instruments?customer=nobody")["items"]?.items?.isEmpty == true
            )
            let told = try await stage.command(["instruments", "--merchant", "demo", "remove", instrument])
            #expect(told.contains("done"))
            let removed = try await stage.instrument(daemon, instrument, is: "removed")
            #expect(removed.at("removal", "atProvider")?.text == "notSupported")
            try await stage.verifyReplay()
        }
    }

    @Test func `a wallet passes the payer's bank, and neither its token nor the bank's answer is written down`()
        async throws
    {
        try await Stage.run("e2ewallet") { stage, daemon in
            try await stage.addPortmone(
                daemon,
                ["walletMode": "relay", "applePayMerchantId": "merchant.example", "declineIsFinal": true]
            )
            for (name, token, word, expected) in [
                ("apple", "blob-plain-7f", "", "captured"), ("bank", "blob-3ds-7f", "pass", "captured"),
                ("nobank", "blob-3ds-8f", "fail", "failed"),
            ] {
                let details: Json = ["wallet": ["kind": "applePay", "token": .string(token)]]
                let id = try await stage.portmone(daemon, name, 4500, method: "wallet", details: details)
                if !word.isEmpty { try await stage.passBank(daemon, id, word) }
                try await stage.wait(daemon, id, for: expected)
                guard expected == "captured" else { continue }
                // A look may show the money before the answer brings the receipt.
                try await stage.until("\(name) has its receipt") { () -> Stage.Look<Void> in
                    let shown = try await stage.payment(daemon, id)
                    let url = shown["receipts"]?.items?.first?["url"]?.text
                    return url?.contains("/receipts/") == true ? .done(()) : .notYet(shown.canonicalText)
                }
            }
            let found = try await stage.occurrences(of: ["blob-plain-7f", "blob-3ds-7f", "pass-", "fail-"])
            #expect(found.isEmpty, "\(found)")
            let sql: Json = stage.portmoneBody(
                "sql",
                4500,
                method: "wallet",
                details: ["wallet": ["kind": "applePay", "token": "blob-sql"]]
            )
            let refused = try await stage.enqueued("payment.create", key: "sql", sql)
            #expect(refused["state"]?.text == "refused" || refused["state"]?.text == "rejected", "\(refused)")
            try await stage.verifyReplay()
        }
    }

    @Test(arguments: ["autoCancel", "autoCancelVanishing"])
    func `a charge that the provider cancels by itself is found as a reversal, not as a contradiction`(mode: String)
        async throws
    {
        try await Stage.run("e2e\(mode.lowercased())") { stage, daemon in
            try await stage.addPortmone(daemon, ["autoCancelSeconds": 32], mode: "live-autocancel")
            try await stage.control("/portmone/sandbox/merchants/1185", ["mode": .string(mode)])
            let sale = try await stage.portmone(daemon, "brief", 800)
            try await stage.press(daemon, sale, ["approve"])
            try await stage.wait(daemon, sale, for: "captured")
            let back = try await stage.wait(daemon, sale, for: "refunded")
            #expect(back["contradictions"] == nil)
            #expect(back["operations"]?.items?.last?["origin"]?.text == "provider")
            #expect(try await stage.portmoneLedger(daemon, sale) == ["charge 800", "refund 800"])
        }
    }

    @Test func `the provider's flag opens a dispute, and a person ends it by the case`() async throws {
        try await Stage.run("e2edispute") { stage, daemon in
            try await stage.addPortmone(daemon)
            let sale = try await stage.portmone(daemon, "disputed", 900)
            try await stage.press(daemon, sale, ["approve"])
            try await stage.wait(daemon, sale, for: "captured")
            let name = try await stage.providerName(daemon, sale)
            try await stage.control("/portmone/sandbox/orders/1185/\(name)/chargeback", [:])
            _ = try await stage.until("the flag is seen") {
                let key = "look-\(stage.next())"
                let asked = try await stage.call(daemon, .post, "/v1/payments/\(sale)/sync", [:], key: key)
                return asked["status"]?.text == "disputed" ? .done(true) : .notYet(asked.canonicalText)
            }
            let other = try await stage.portmone(daemon, "case", 700)
            try await stage.press(daemon, other, ["approve"])
            try await stage.wait(daemon, other, for: "captured")
            let opened = ["disputes", "--merchant", "demo", "open", "CB-7", other, "2.50", "UAH"]
            #expect(try await stage.command(opened).contains("done"))
            try await stage.wait(daemon, other, for: "disputed")
            let list = try await stage.until("both are listed") {
                let text = try await stage.command(["disputes", "--merchant", "demo", "list"])
                return text.contains(sale) && text.contains(other) ? .done(text) : .notYet(text)
            }
            #expect(list.contains("2.50 UAH"))
            let tooMuch = try await stage.exchange(
                daemon,
                .post,
                "/v1/payments/\(other)/refund",
                ["amount": Stage.hryvnias(500)],
                key: "too-much"
            )
            #expect((try? Json(tooMuch.body))?["code"]?.text == "amount_exceeds_available")
            #expect(
                try await stage.command(["disputes", "--merchant", "demo", "lost", "CB-7", other]).contains("done")
            )
            let lost = try await stage.payment(daemon, other)
            #expect(lost.at("amounts", "chargedBack")?.integer == 250)
            try await stage.verifyReplay()
        }
    }

    @Test func `a file of disputes is taken once, and not at all where a line is wrong`() async throws {
        try await Stage.run("e2edisputefile") { stage, daemon in
            let sale = try await stage.paid(daemon, "imported", 7700)
            let file = stage.folder + "/disputes.ndjson"
            func take(_ lines: [Json]) async throws -> String {
                try FileBytes.write(lines.flatMap { $0.compactBytes + [UInt8(ascii: "\n")] }, to: file)
                return try await stage.command(["disputes", "--merchant", "demo", "import", file])
            }
            let opened: Json = [
                "case": "CB-9", "payment": .string(sale), "amount": ["value": 700, "currency": "EUR"], "reason": "10.4",
            ]
            let lost: Json = ["case": "CB-9", "payment": .string(sale), "stage": "lost"]
            await #expect(throws: (any Error).self) { try await take([opened, ["case": "CB-10", "sum": 5]]) }
            #expect(try await stage.payment(daemon, sale)["status"] == "captured")
            for _ in 1...2 {
                let told = try await take([opened, lost])
                #expect(told.split(separator: "\n").filter { $0.contains("done") }.count == 2)
            }
            let seen = try await stage.payment(daemon, sale)
            #expect(seen["disputes"]?.items?.map { $0["stage"]?.text } == ["lost"])
            #expect(seen.at("amounts", "chargedBack")?.integer == 700)
            try await stage.verifyReplay()
        }
    }

    @Test func `a split payment is captured whole and goes back whole`() async throws {
        try await Stage.run("e2esplit") { stage, daemon in
            try await stage.addPortmone(daemon)
            let parts: Json = [
                ["payeeId": "1", "amount": 600, "description": "goods"], ["payeeId": "2", "amount": 400],
            ]
            let sale = try await stage.portmone(daemon, "split", 1000, details: ["split": parts])
            try await stage.press(daemon, sale, ["approve"])
            try await stage.wait(daemon, sale, for: "captured")
            let part = try await stage.exchange(
                daemon,
                .post,
                "/v1/payments/\(sale)/refund",
                ["amount": Stage.hryvnias(100)],
                key: "part"
            )
            #expect(part.status == 422)
            try await stage.call(daemon, .post, "/v1/payments/\(sale)/refund", [:], key: "whole")
            try await stage.wait(daemon, sale, for: "refunded")
            let wrong = stage.portmoneBody("wrong", 999, details: ["split": parts])
            #expect(try await stage.exchange(daemon, .post, "/v1/payments", wrong, key: "wrong").status == 422)
        }
    }
}

extension Stage {
    /// Types a card on the page and pays.
    func type(_ daemon: DaemonProcess, _ id: String, card: String) async throws {
        try await wait(daemon, id, for: "requiresAction")
        guard let url = try await call(daemon, .get, "/v1/payments/\(id)/next-action")["url"]?.text else {
            throw Failure(description: "no page")
        }
        let headers = HttpHeaders([("Content-Type", "application/x-www-form-urlencoded")])
        let answer = try await send(.post, url, headers, Array("action=pay&card=\(card)".utf8))
        guard answer.status == 303 else { throw Failure(description: "card: \(answer.status)") }
    }

    /// Saves a card on the page; gives the payment and the instrument.
    func saveCard(_ daemon: DaemonProcess) async throws -> (payment: String, instrument: String) {
        let card = try await portmone(daemon, "card", nil, mode: "tokenize")
        try await press(daemon, card, ["approve"])
        let saved = try await wait(daemon, card, for: "tokenized")
        guard let instrument = saved["savedInstruments"]?.items?.first?.text else {
            throw Failure(description: "no instrument in \(saved.canonicalText)")
        }
        _ = try await self.instrument(daemon, instrument, is: "usable")
        return (card, instrument)
    }

    func instrument(_ daemon: DaemonProcess, _ id: String, is status: String) async throws -> Json {
        try await until("\(id) is \(status)") {
            let answer = try await self.exchange(daemon, .get, "/v1/instruments/\(id)")
            let shown = (try? Json(answer.body)) ?? .null
            return shown["status"]?.text == status ? .done(shown) : .notYet(shown.canonicalText)
        }
    }

    /// Goes to the payer's bank with what the app was given, lets its page post the answer back, and gives that answer.
    @discardableResult
    func passBank(_ daemon: DaemonProcess, _ id: String, _ word: String) async throws -> String {
        try await wait(daemon, id, for: "requiresAction")
        let given = try await appParameters(daemon, id, at: "payments")
        guard let acs = given["acsUrl"]?.text, let md = given["md"]?.text, let back = given["termUrl"]?.text else {
            throw Failure(description: "no bank in \(given.canonicalText)")
        }
        let headers = HttpHeaders([("Content-Type", "application/x-www-form-urlencoded")])
        let form = FormEncoding.encode([("MD", md), ("PaReq", given["paReq"]?.text ?? ""), ("TermUrl", back)])
        let page = try await send(.post, acs, headers, Array(form.utf8))
        guard page.status == 200 else { throw Failure(description: "bank: \(page.status)") }
        let said = "\(word)-\(md.dropFirst(3))"
        let answer = FormEncoding.encode([("MD", md), ("PaRes", said)])
        let returned = try await send(.post, back, headers, Array(answer.utf8))
        guard returned.status == 200 else { throw Failure(description: "return: \(returned.status)") }
        return said
    }

    /// Gives a command to the SQL entrance.
    @discardableResult
    func enqueue(_ name: String, key: String, _ body: Json) async throws -> Uuid {
        try await withDatabase { connection in
            try await connection.query(
                "SELECT paystream.enqueue('demo', $1, $2, $3)",
                [.text(key), .text(name), .json(body.canonical)]
            ) { row throws(PostgresFailure) in try row.uuid(0) }[0]
        }
    }

    /// Runs a command of the SQL entrance to its outcome.
    func enqueued(_ name: String, key: String, _ body: Json) async throws -> Json {
        let id = try await enqueue(name, key: key, body)
        return try await until("\(name) has its outcome") {
            let states = try await self.withDatabase { connection in
                try await connection.query(
                    "SELECT state, coalesce(code, '') FROM paystream.outcome($1)",
                    [.uuid(id)]
                ) { row throws(PostgresFailure) in (try row.text(0), try row.text(1)) }
            }
            let shown: Json = ["state": .string(states[0].0), "code": .string(states[0].1)]
            return ["pending", "admitted"].contains(states[0].0) ? .notYet(shown.canonicalText) : .done(shown)
        }
    }

    /// Which of the words stand in any input, event, effect or decision.
    func occurrences(of words: [String]) async throws -> [String] {
        var found: [String] = []
        for word in words {
            for (table, column) in [("input", "body"), ("input", "meta"), ("event", "data"), ("decision", "context")] {
                let count = try await withDatabase { connection in
                    try await connection.query(
                        "SELECT count(*) FROM paystream.\(table) t WHERE position($1 IN t::text) > 0",
                        [.text(word)]
                    ) { row throws(PostgresFailure) in try row.int64(0) }[0]
                }
                if count > 0 { found.append("\(word) in \(table).\(column)") }
            }
        }
        return found
    }
}
