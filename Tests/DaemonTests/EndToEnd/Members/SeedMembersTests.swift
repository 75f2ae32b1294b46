import Http
import Kernel
import Sandbox
import Testing

/// What the providers' own guides let a shop say and hear, over the wire.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct SeedMembersTests {
    // MARK: Worldline

    @Test func `what the browser told goes to the provider as flags and numbers`() async throws {
        try await Stage.run("e2ebrowserflags") { stage, daemon in
            try await stage.addWorldline(daemon)
            let device: Json = ["colorDepth": 24, "javaEnabled": true, "javaScriptEnabled": false]
            let sale = try await stage.worldline(daemon, "flags", 900, details: ["payer": ["device": device]])
            try await stage.pressWorldline(daemon, sale, ["approve"])
            try await stage.wait(daemon, sale, for: "captured")
        }
    }

    @Test func `a device wallet pays by its payload, which is written nowhere`() async throws {
        try await Stage.run("e2ewallets") { stage, daemon in
            try await stage.addWorldline(daemon)
            let apple: Json = [
                "version": "EC_v1", "data": "applesecretdata", "signature": "c2ln",
                "header": ["ephemeralPublicKey": "a2V5", "publicKeyHash": "aGFzaA==", "transactionId": "ab12"],
            ]
            for (name, wallet) in [
                ("google", ["kind": "googlePay", "token": "googlesecretdata"]),
                ("apple", ["kind": "applePay", "token": apple]),
            ] as [(String, Json)] {
                let body: Json = [
                    "account": "worldline-eur", "amount": Stage.euros(700), "details": ["wallet": wallet],
                    "method": "wallet", "mode": "sale",
                ]
                let made = try await stage.call(daemon, .post, "/v1/payments", body, key: name)
                let id = try #require(made["id"]?.text)
                try await stage.wait(daemon, id, for: "captured")
                #expect(try await stage.worldlineLedger(daemon, id) == ["charge 700"])
                #expect(try await stage.tablesHolding("\(name)secretdata").isEmpty)
            }
            try await stage.verifyReplay()
        }
    }

    @Test func `a list of products shows a payer the cards that are theirs`() async throws {
        try await Stage.run("e2eaccountsonfile") { stage, daemon in
            let account = try await stage.addWorldline(daemon)
            _ = try await stage.savedWorldlineCard(daemon, "save")
            try await stage.control("/worldline/sandbox/merchants/PSPID01", ["listsAccounts": "true"])
            func cards(_ customer: String) async throws -> Int {
                let query = "?currency=EUR&amount=1999&country=BE\(customer)"
                let list = try await stage.call(daemon, .get, "/v1/accounts/\(account)/products\(query)")
                return (list["items"]?.items ?? []).reduce(0) { $0 + ($1["accountsOnFile"]?.items?.count ?? 0) }
            }
            try await stage.until("the list shows the payer's card") { () -> Stage.Look<Void> in
                try await cards("&customer=cust-1") == 1 ? .done(()) : .notYet("not listed yet")
            }
            #expect(try await cards("&customer=cust-2") == 0)
            #expect(try await cards("") == 0)
        }
    }

    // MARK: Dolyame

    @Test func `an app's unexpected event reaches the metric, the log and an operator`() async throws {
        try await Stage.run("e2eunexpected") { stage, daemon in
            try await stage.addDolyame(daemon)
            let body: Json = [
                "mode": "authorize", "account": "dolyame", "method": "sdk", "customer": "cust-1",
                "amount": ["currency": "RUB", "value": 700_000], "details": Stage.dolyameDetails,
            ]
            let made = try await stage.call(daemon, .post, "/v1/payments", body, key: "unexpected")
            let id = try #require(made["id"]?.text)
            let given = try await stage.appParameters(daemon, id, at: "payments")
            #expect(given["customer"] == given["customerInfo"])
            #expect(given.at("customerInfo", "birthday")?.text == "28.05.1991")
            let event: Json = ["unexpectedEvent": "noPartnerForClient"]
            try await stage.call(daemon, .post, "/v1/payments/\(id)/confirm", event, key: "event")
            try await stage.until("an operator is asked") { () -> Stage.Look<Void> in
                let payment = try await stage.payment(daemon, id)
                let owed = (payment["obligations"]?.items ?? []).contains {
                    $0["kind"] == "report" && $0["owner"] == "operator"
                }
                return owed ? .done(()) : .notYet(payment.canonicalText)
            }
            let metrics = try await stage.send(.get, daemon.address + "/metrics", HttpHeaders(), [])
            let counted = "paystream_app_reports_total{concern=\"configuration\",provider=\"dolyame\"} 1"
            #expect(String(decoding: metrics.body, as: UTF8.self).contains(counted))
            #expect(DaemonProcess.text(of: daemon.outputFile).contains("event:noPartnerForClient:configuration"))
            let ended: Json = ["result": "failure", "reason": "scoring"]
            try await stage.call(daemon, .post, "/v1/payments/\(id)/confirm", ended, key: "ended")
            let events = try await stage.call(daemon, .get, "/v1/payments/\(id)/events")
            #expect(events.canonicalText.contains("result:failure:scoring"))
        }
    }

    // MARK: ecommpay

    @Test func `an app's result comes with its error, its token and the payment that the SDK named`() async throws {
        try await Stage.run("e2eresults") { stage, daemon in
            func sdk(_ name: String) async throws -> (id: String, reference: String) {
                let body = Stage.newPayment(name, 1999, more: [("method", "sdk")])
                let made = try await stage.call(daemon, .post, "/v1/payments", body, key: name)
                let id = made["id"]?.text ?? ""
                return (id, try await stage.providerName(daemon, id))
            }
            let (id, reference) = try await sdk("result")
            func told(_ id: String, _ sum: Int64) -> Json {
                [
                    "sdk": "legacyIos",
                    "onPaymentResult": [
                        "payment": [
                            "status": "success", "type": "purchase", "id": .string(id),
                            "date": "2020-09-11T14:49:18+0000", "method": "card", "sum": .integer(sum),
                            "currency": "EUR",
                        ]
                    ],
                ]
            }
            let path = "/v1/payments/\(id)/confirm"
            for (name, body) in [("other", told("another", 1999)), ("less", told(reference, 1))] {
                #expect(try await stage.exchange(daemon, .post, path, body, key: name).status == 422)
            }
            try await stage.call(daemon, .post, path, told(reference, 1999), key: "told")
            let failed: Json = [
                "sdk": "legacyIos", "code": 501, "error": "no network", "token": "7e12077a71faf915bc4b",
            ]
            try await stage.call(daemon, .post, path, failed, key: "failed")
            let events = try await stage.call(daemon, .get, "/v1/payments/\(id)/events").canonicalText
            #expect(events.contains("legacyIos:onPaymentResult:success"))
            #expect(events.contains("legacyIos:501:token:error:no network"))
            #expect(try await stage.tablesHolding("7e12077a71faf915bc4b").isEmpty)
        }
    }

    @Test func `a receipt that makes another sum than the payment is refused`() async throws {
        try await Stage.run("e2ereceipt") { stage, daemon in
            for (name, amount, status) in [("right", 1999, 201), ("wrong", 1998, 422)] as [(String, Int64, Int)] {
                let details: Json = [
                    "payer": ["email": "payer@example.org"],
                    "items": [["name": "Boots", "amount": .integer(amount), "quantity": 1]],
                ]
                let body = Stage.newPayment(name, 1999, more: [("details", details)])
                let answer = try await stage.exchange(daemon, .post, "/v1/payments", body, key: name)
                #expect(answer.status / 100 == status / 100, "\(name): \(answer.status)")
            }
        }
    }

    // MARK: SberPay

    @Test func `a key of 1024 bits is refused as what it is`() async throws {
        try await Stage.run("e2eshortkey") { stage, daemon in
            let account: Json = [
                "mode": "test", "name": "short", "provider": "sberpay", "secrets": ["apiSecret": "new-password"],
                "settings": [
                    "dialect": "ecom", "userName": "new", "callbackMode": "rsa",
                    "callbackPublicKey": .string(Self.shortKey),
                ],
            ]
            let answer = try await stage.exchange(daemon, .post, "/v1/accounts", account, key: "short")
            #expect(answer.status == 422)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("key_shorter_than_2048_bits"))
        }
    }

    private static let shortKey = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC/P55Q2LuCkkV8mtqW/sJH6C6H
        gJP14KfC75Ckm6KByV/f1b2TIW9qgK4qgN8YG8ydxXV7T+o4i0Jc/eJUdh9kpGAr
        a+A1mzCnPmHnmtadWA0Jhdo6H5OnhfTYhEUV117Ox2nBuu86+8FL7bfDSFG7fj0Q
        IpTrnqcRAAjeMavzFwIDAQAB
        -----END PUBLIC KEY-----
        """
}
