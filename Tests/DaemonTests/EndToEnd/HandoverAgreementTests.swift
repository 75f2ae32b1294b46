import Glibc
import Http
import Kernel
import Sandbox
import Testing

/// Whoever asks what the payer has to do gets one answer: the payment, its next action and its app parameters agree.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct HandoverAgreementTests {
    @Test func `ecommpay: through every outcome of the page, and in the app`() async throws {
        try await Stage.run("e2eagreeecommpay") { stage, daemon in
            var ids: [String] = []
            for magic in EcommpayMagicAmount.allCases {
                let body = Stage.newPayment("m\(magic.rawValue)", magic.minor)
                let made = try await stage.call(daemon, .post, "/v1/payments", body, key: "m\(magic.rawValue)")
                let id = try #require(made["id"]?.text)
                #expect(try await stage.agree(daemon, id) == "requiresAction redirect")
                try await stage.openPage(daemon, id)
                try await stage.agree(daemon, id)
                ids.append(id)
            }
            var said: Set<String> = []
            for _ in 0..<3 { for id in ids { said.insert(try await stage.agree(daemon, id)) } }
            let kinds = Set(said.map { String($0.split(separator: " ").last ?? "") })
            #expect(kinds.isSuperset(of: ["redirect", "clarify", "retryInForm", "wait", "none"]), "\(said)")

            let app = Stage.newPayment("app", 1999, more: [("method", "sdk")])
            let made = try await stage.call(daemon, .post, "/v1/payments", app, key: "app")
            let id = try #require(made["id"]?.text)
            #expect(try await stage.agree(daemon, id) == "requiresAction sdk")
            let given = try await stage.appParameters(daemon, id, at: "payments")
            let play: Json = ["sdk": "ios", "parameters": given, "scenario": "three_ds"]
            try await stage.control("/sandbox/app/ecommpay", play)
            _ = try await stage.agree(daemon, id, until: "captured")

            let other = Stage.newPayment("unwanted", 1999, more: [("method", "sdk")])
            let unwanted = try await stage.call(daemon, .post, "/v1/payments", other, key: "unwanted")["id"]?.text ?? ""
            try await stage.call(daemon, .post, "/v1/payments/\(unwanted)/void", [:], key: "void")
            try await stage.agree(daemon, unwanted)
        }
    }

    /// What was licensed is shown as it was, whatever was saved, configured or moved since.
    @Test func `ecommpay: a saved card's page outlives another address`() async throws {
        try await Stage.run("e2elicensedpage") { stage, first in
            var daemon = first
            let card = try await stage.ecommpayCard(daemon, "card")
            let more: [(String, Json)] = [
                ("customer", "cust-1"), ("instrument", .string(card)), ("method", "instrument"),
            ]
            let body = Stage.newPayment("later", 7700, more: more)
            let id = try #require(try await stage.call(daemon, .post, "/v1/payments", body, key: "later")["id"]?.text)
            #expect(try await stage.agree(daemon, id) == "requiresAction redirect")
            let page = try await stage.call(daemon, .get, "/v1/payments/\(id)/next-action")["url"]

            try await stage.end(daemon, SIGTERM)
            daemon = try await stage.serve()
            #expect(try await stage.agree(daemon, id) == "requiresAction redirect")
            #expect(try await stage.call(daemon, .get, "/v1/payments/\(id)/next-action")["url"] == page)
            try await stage.openPage(daemon, id)
            _ = try await stage.agree(daemon, id, until: "captured")
            try await stage.verifyReplay()
        }
    }

    /// The removal reaches the payments that wait with the card, on a page and in an app; saving the card again brings none back.
    @Test func `a removed card asks nobody to pay by it any more`() async throws {
        try await Stage.run("e2eremovedcard") { stage, daemon in
            let card = try await stage.ecommpayCard(daemon, "card")
            let more: [(String, Json)] = [
                ("customer", "cust-1"), ("instrument", .string(card)), ("method", "instrument"),
            ]
            let body = Stage.newPayment("page", 7700, more: more)
            let page = try #require(try await stage.call(daemon, .post, "/v1/payments", body, key: "page")["id"]?.text)
            #expect(try await stage.agree(daemon, page) == "requiresAction redirect")
            let url = try await stage.call(daemon, .get, "/v1/payments/\(page)/next-action")["url"]?.text ?? ""
            try await stage.remove(daemon, card, under: page)
            // The payer's browser had the page already: what it pays goes back, and the card does not.
            let opened = try await stage.send(.get, url, HttpHeaders([("Accept", "text/html")]), [])
            #expect(opened.status < 400)
            let word = try await stage.until("\(page) is given back") {
                let status = try await stage.payment(daemon, page)["status"]?.text ?? "?"
                return ["refunded", "voided"].contains(status) ? .done(status) : .notYet(status)
            }
            _ = try await stage.instrument(daemon, card, is: "removed")
            #expect(try await stage.ecommpayCard(daemon, "again") == card)
            #expect(try await stage.agree(daemon, page) == "\(word) none")

            try await stage.addPortmone(daemon, ["tokenChargeMode": "sdk"])
            let (_, token) = try await stage.saveCard(daemon)
            let app = try await stage.portmone(daemon, "app", 1000, instrument: token)
            #expect(try await stage.agree(daemon, app) == "requiresAction sdk")
            try await stage.remove(daemon, token, under: app)
            try await stage.verifyReplay()
        }
    }

    @Test func `Dolyame: order and app`() async throws {
        try await Stage.run("e2eagreedolyame") { stage, daemon in
            try await stage.addDolyame(daemon)
            for (choice, end) in [("approve", "authorized"), ("decline", "failed"), ("abandon", "expired")] {
                let (id, url) = try await stage.dolyame(daemon, choice)
                #expect(try await stage.agree(daemon, id) == "requiresAction redirect")
                try await stage.choose(choice, at: url)
                _ = try await stage.agree(daemon, id, until: end)
            }
            let body: Json = [
                "mode": "authorize", "account": "dolyame", "method": "sdk", "customer": "cust-1",
                "amount": ["currency": "RUB", "value": 700_000], "details": Stage.dolyameDetails,
            ]
            let id = try await stage.call(daemon, .post, "/v1/payments", body, key: "sdk")["id"]?.text ?? ""
            #expect(try await stage.agree(daemon, id) == "requiresAction sdk")
            let given = try await stage.appParameters(daemon, id, at: "payments")
            try await stage.control("/dolyame/app", ["parameters": given, "ending": 2])
            try await stage.call(daemon, .post, "/v1/payments/\(id)/sync", [:], key: "sync")
            _ = try await stage.agree(daemon, id, until: "authorized")
        }
    }

    @Test func `Portmone: page, app, saved card and the payer's bank`() async throws {
        try await Stage.run("e2eagreeportmone") { stage, daemon in
            try await stage.addPortmone(
                daemon,
                ["walletMode": "relay", "applePayMerchantId": "merchant.example", "tokenChargeMode": "sdk"]
            )
            let page = try await stage.portmone(daemon, "page", 1000)
            _ = try await stage.agree(daemon, page, until: "requiresAction")
            try await stage.press(daemon, page, ["threeDS"])
            try await stage.call(daemon, .post, "/v1/payments/\(page)/sync", [:], key: "sync")
            try await stage.agree(daemon, page)
            try await stage.press(daemon, page, ["pass"])
            _ = try await stage.agree(daemon, page, until: "captured")

            let app = try await stage.portmone(daemon, "app", 1000, method: "sdk")
            #expect(try await stage.agree(daemon, app) == "requiresAction sdk")
            _ = try await stage.playApp(daemon, app, "approve", at: "payments")
            try await stage.call(daemon, .post, "/v1/payments/\(app)/sync", [:], key: "app-sync")
            _ = try await stage.agree(daemon, app, until: "captured")

            let (_, instrument) = try await stage.saveCard(daemon)
            let saved = try await stage.portmone(daemon, "saved", 1000, instrument: instrument)
            #expect(try await stage.agree(daemon, saved) == "requiresAction sdk")

            let details: Json = ["wallet": ["kind": "applePay", "token": "blob-3ds-1"]]
            let wallet = try await stage.portmone(daemon, "bank", 4500, method: "wallet", details: details)
            let said = try await stage.agree(daemon, wallet, until: "requiresAction")
            #expect(said.contains("requiresAction sdk"), "\(said)")
            _ = try await stage.passBank(daemon, wallet, "pass")
            _ = try await stage.agree(daemon, wallet, until: "captured")
        }
    }

    @Test(arguments: ["ecom", "legacy"])
    func `SberPay: page, app, and a link that was lost`(dialect: String) async throws {
        try await Stage.run("e2eagreesber\(dialect)") { stage, daemon in
            try await stage.addSberPay(daemon, dialect)
            // First, as the fault is the next look's, whichever order that is about.
            let other = try await stage.sberPay(daemon, "other", 2100, at: dialect)
            _ = try await stage.agree(daemon, other, until: "requiresAction")
            try await stage.sberPayFault("otherAmount", on: "getOrderStatusExtended")
            let amounts = try await stage.misdirected(daemon, other)
            #expect(amounts == ["contradicted"], "\(amounts)")

            let page = try await stage.sberPay(daemon, "page", 1900, at: dialect)
            _ = try await stage.agree(daemon, page, until: "requiresAction")
            try await stage.press(daemon, page, ["decline"])
            try await stage.call(daemon, .post, "/v1/payments/\(page)/sync", [:], key: "sync")
            try await stage.agree(daemon, page)
            try await stage.press(daemon, page, ["approve"])
            _ = try await stage.agree(daemon, page, until: "captured")

            let details: Json = ["app": ["osType": "ios", "deepLink": "shopapp://pay"]]
            let more: [(String, Json)] = [("method", "sdk"), ("details", details)]
            if dialect == "ecom" {
                let app = try await stage.sberPay(daemon, "app", 2500, more)
                let said = try await stage.agree(daemon, app, until: "requiresAction")
                #expect(said.contains("requiresAction sdk"), "\(said)")
            }
            try await stage.sberPayFault("errorAfter", on: "register")
            let lost = try await stage.sberPay(daemon, "lost", 2600, at: dialect)
            let words = try await stage.agree(daemon, lost, until: "failed")
            #expect(words.allSatisfy { !$0.hasSuffix("redirect") }, "\(words)")
        }
    }

    @Test func `SberPay: an address that is missing, or none of the web`() async throws {
        try await Stage.run("e2enoaddress") { stage, daemon in
            let provider = try stage.toldProvider()
            try await stage.addSberPay(daemon, "legacy", [("baseUrl", .string(provider.address + "/sberpay"))])
            provider.tell(.changed { $0.replacing("\"formUrl\":", with: "\"noUrl\":") }, times: .max, on: "register")
            let missing = try await stage.sberPay(daemon, "missing", 1900, at: "legacy")
            let words = try await stage.agree(daemon, missing, until: "failed")
            #expect(words.allSatisfy { !$0.hasSuffix("redirect") }, "\(words)")

            provider.forget()
            let script = "\"formUrl\":\"javascript:alert(1)//"
            provider.tell(.changed { $0.replacing("\"formUrl\":\"", with: script) }, times: .max, on: "register")
            let scripted = try await stage.sberPay(daemon, "script", 1900, at: "legacy")
            let nowhere = try await stage.agree(daemon, scripted, until: "failed")
            #expect(nowhere.allSatisfy { !$0.hasSuffix("redirect") }, "\(nowhere)")
        }
    }

    @Test func `what can never be given again is told as that, and not as something to ask for later`() async throws {
        try await Stage.run("e2epermanent") { stage, daemon in
            let made = try await stage.call(daemon, .post, "/v1/payments", Stage.newPayment("page", 7700), key: "page")
            let id = try #require(made["id"]?.text)
            #expect(try await stage.agree(daemon, id) == "requiresAction redirect")
            func answers(_ daemon: DaemonProcess, _ reason: String, _ status: Int) async throws {
                let next = try await stage.exchange(daemon, .get, "/v1/payments/\(id)/next-action")
                let action = (try? Json(next.body)) ?? .null
                #expect(next.status == 200 && action["type"] == "none", "\(action.canonicalText)")
                #expect(action["reason"]?.text == reason && action["url"] == nil, "\(action.canonicalText)")
                let given = try await stage.exchange(daemon, .post, "/v1/payments/\(id)/app-parameters", [:])
                #expect(given.status == status && (try? Json(given.body))?["code"]?.text == reason)
            }
            try await stage.end(daemon, SIGTERM)
            try await stage.execute("UPDATE paystream.subject_key SET wrapped = NULL, destroyed_at = now()")
            let back = try await stage.serve(onPortOf: daemon)
            try await answers(back, "personal_data_erased", 410)
            try await stage.verifyReplay()
        }
    }

    @Test func `Worldline: page, 3-D Secure in the app, and the end of a page`() async throws {
        try await Stage.run("e2eagreeworldline") { stage, daemon in
            let account = try await stage.addWorldline(daemon)
            let page = try await stage.worldline(daemon, "page", 1000)
            _ = try await stage.agree(daemon, page, until: "requiresAction")
            try await stage.pressWorldline(daemon, page, ["approve"])
            _ = try await stage.agree(daemon, page, until: "captured")
            for (word, end) in [("pass", "captured"), ("fail", "failed")] {
                let input = try await stage.appInput(daemon, account, card: "challenge")
                let app = try await stage.appPayment(daemon, word, 1200, input)
                let said = try await stage.agree(daemon, app, until: "requiresAction")
                #expect(said.contains("requiresAction redirect"), "\(said)")
                try await stage.press(try await stage.worldlinePage(daemon, app), word)
                _ = try await stage.agree(daemon, app, until: end)
            }
            let unwanted = try await stage.worldline(daemon, "unwanted", 1000)
            _ = try await stage.agree(daemon, unwanted, until: "requiresAction")
            try await stage.call(daemon, .post, "/v1/payments/\(unwanted)/void", [:], key: "void")
            #expect(try await stage.agree(daemon, unwanted).hasSuffix("wait"))
        }
    }
}
