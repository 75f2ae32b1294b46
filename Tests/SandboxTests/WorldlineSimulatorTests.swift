import Http
import Kernel
import Sandbox
import Testing
import WorldlineDirect

/// The simulated provider, spoken to with the adapter's signature: both were written from the document and not from each
/// other.
struct WorldlineSimulatorTests {
    @Test func `a request that is not signed by the account's key is forbidden`() throws {
        var shop = WorldlineShop()
        #expect(shop.call(.get, "services/testconnection").status == 200)
        #expect(shop.call(.get, "services/testconnection", secret: "another").status == 403)
        shop.now = shop.now.adding(.seconds(400))
        #expect(shop.call(.get, "services/testconnection", signedAt: shop.now.adding(.seconds(-301))).status == 403)
    }

    @Test func `a misspelled member is refused and named`() throws {
        var shop = WorldlineShop()
        var body = shop.payment(1000).members
        body?["oder"] = [:]
        let answer = shop.call(.post, "payments", .object(try #require(body)))
        #expect(answer.status == 400)
        #expect(try Json(answer.bytes)["errors"]?.items?.first?["propertyName"]?.text == "oder")
    }

    @Test func `a key answers the same again, and 409 while the first request is at work`() throws {
        var shop = WorldlineShop()
        shop.control("faults", ["fault": "slow", "on": "payment", "milliseconds": 2000])
        let body = shop.payment(1000)
        let first = shop.call(.post, "payments", body, key: "k-1")
        #expect(first.status == 201)
        #expect(first.delay == .seconds(2))
        let busy = shop.call(.post, "payments", body, key: "k-1")
        #expect(busy.status == 409)
        #expect(try Json(busy.bytes)["errors"]?.items?.first?["errorCode"]?.text == "30001002")
        shop.now = shop.now.adding(.seconds(3))
        let again = shop.call(.post, "payments", shop.payment(9999), key: "k-1")
        #expect(again.bytes == first.bytes)
        #expect(again.headers["X-GCS-Idempotence-Request-Timestamp"] != nil)
        #expect(shop.simulator.payments.count == 1)
        #expect(shop.call(.post, "payments", shop.payment(1), key: String(repeating: "k", count: 41)).status == 400)
    }

    @Test func `an encrypted input pays once`() throws {
        var shop = WorldlineShop()
        let body = shop.payment(1000)
        #expect(shop.call(.post, "payments", body).status == 201)
        #expect(shop.call(.post, "payments", body).status == 400)
    }

    @Test func `a hold is captured in parts, and the last one gives the rest back`() throws {
        var shop = WorldlineShop()
        let id = try shop.paid(1000, mode: "PRE_AUTHORIZATION", card: "frictionless")
        for (minor, isFinal) in [(300, false), (200, true)] as [(Int64, Bool)] {
            let body: Json = ["amount": .integer(minor), "isFinal": .bool(isFinal)]
            let answer = shop.call(.post, "payments/\(id)/capture", body)
            #expect(try Json(answer.bytes).at("statusOutput", "statusCode")?.integer == 91)
        }
        #expect(shop.call(.post, "payments/\(id)/capture").status == 409)
        shop.pass(.seconds(1))
        #expect(shop.ledger == ["hold 1000", "capture 300", "capture 200", "release 500"])
        #expect(shop.call(.post, "payments/\(id)/cancel").status == 409)
        let details = try Json(shop.call(.get, "payments/\(id)/details").bytes)
        #expect(
            details["Operations"]?.items?.compactMap { $0["status"]?.text } == [
                "PENDING_CAPTURE", "CAPTURED", "CAPTURED",
            ]
        )
        #expect(details["Operations"]?.items?.last?["id"]?.text == "\(id.dropLast(3))002")
    }

    @Test func `refunds stop at what was captured, and a wrong state is an unknown id`() throws {
        var shop = WorldlineShop()
        let id = try shop.paid(1000, mode: "SALE", card: "frictionless")
        let part: Json = ["amountOfMoney": ["amount": 700, "currencyCode": "EUR"]]
        #expect(shop.call(.post, "payments/\(id)/refund", part).status == 404)
        shop.pass(.seconds(1))
        #expect(shop.call(.post, "payments/\(id)/refund", part).status == 201)
        #expect(shop.call(.post, "payments/\(id)/refund", part).status == 400)
        shop.pass(.seconds(1))
        #expect(shop.ledger == ["charge 1000", "refund 700"])
    }

    @Test func `the payer confirms at the bank, or fails there`() throws {
        var shop = WorldlineShop()
        for (button, ending) in [("pass", "CAPTURED"), ("fail", "REJECTED"), ("abandon", "CANCELLED")] {
            let id = try shop.paid(1000, mode: "SALE", card: "challenge")
            #expect(shop.play("GET", "/worldline/3ds/\(id)").status == 200)
            let back = shop.play("POST", "/worldline/3ds/\(id)", Array("action=\(button)".utf8))
            #expect(back.location?.hasPrefix("https://shop.example/return?RETURNMAC=") == true)
            shop.pass(.seconds(1))
            #expect(try Json(shop.call(.get, "payments/\(id)").bytes)["status"]?.text == ending)
        }
    }

    @Test func `a page takes several tries and ends with the one that paid`() throws {
        var shop = WorldlineShop()
        let body: Json = [
            "hostedCheckoutSpecificInput": ["returnUrl": "https://shop.example/return"], "order": shop.order(1000),
        ]
        let opened = try Json(shop.call(.post, "hostedcheckouts", body).bytes)
        let id = try #require(opened["hostedCheckoutId"]?.text)
        #expect(shop.play("GET", "/worldline/checkout/\(id)").status == 200)
        let declined = shop.play("POST", "/worldline/checkout/\(id)", Array("action=decline".utf8))
        #expect(declined.location == "/worldline/checkout/\(id)")
        let paid = shop.play("POST", "/worldline/checkout/\(id)", Array("action=approve".utf8))
        #expect(paid.location?.contains("hostedCheckoutId=\(id)") == true)
        shop.pass(.seconds(1))
        let read = try Json(shop.call(.get, "hostedcheckouts/\(id)").bytes)
        #expect(read["status"]?.text == "PAYMENT_CREATED")
        #expect(read.at("createdPaymentOutput", "paymentStatusCategory")?.text == "SUCCESSFUL")
        #expect(shop.ledger == ["charge 1000"])
        #expect(shop.simulator.payments.count == 2)
    }

    @Test func `a card is stored once, used by its token, and told to be forgotten`() throws {
        var shop = WorldlineShop()
        let id = try shop.paid(1000, mode: "SALE", card: "frictionless", more: [("tokenize", true)])
        let output = try Json(shop.call(.get, "payments/\(id)").bytes)
        let token = try #require(output.at("paymentOutput", "cardPaymentMethodSpecificOutput", "token")?.text)
        let again = try shop.paid(1000, mode: "SALE", card: "frictionless", more: [("tokenize", true)])
        #expect(String(decoding: shop.call(.get, "payments/\(again)").bytes, as: UTF8.self).contains(token))
        var body = try #require(shop.payment(500).members)
        body["encryptedCustomerInput"] = nil
        body["cardPaymentMethodSpecificInput"] = ["authorizationMode": "SALE", "token": .string(token)]
        #expect(shop.call(.post, "payments", .object(body)).status == 201)
        #expect(shop.call(.delete, "tokens/\(token)").status == 204)
        #expect(shop.call(.post, "payments", .object(body)).status == 400)
        let session = try Json(shop.call(.post, "sessions", ["tokens": [.string(token)]]).bytes)
        #expect(session["invalidTokens"]?.items == [.string(token)])
    }

    @Test func `events go out under the newest key, in lists where the portal says so`() throws {
        var shop = WorldlineShop()
        shop.control("merchants/PSPID01", ["webhookUrl": "https://shop.example/hook"])
        _ = try shop.paid(1000, mode: "SALE", card: "frictionless")
        shop.pass(.seconds(1))
        #expect(shop.events.map(\.types) == [["payment.capture_requested"], ["payment.captured"]])
        #expect(shop.events.allSatisfy { $0.key == "wk-1" && $0.isGenuine })
        shop.events = []
        shop.control(
            "merchants/PSPID01",
            ["webhookKeyId": "wk-2", "webhookSecret": "second", "batch": 2]
        )
        _ = try shop.paid(1000, mode: "SALE", card: "frictionless")
        shop.pass(.seconds(1))
        #expect(shop.events.map(\.types) == [["payment.capture_requested", "payment.captured"]])
        #expect(shop.events.map(\.key) == ["wk-2"])
    }

    @Test func `an event that is not taken comes again after ten minutes, five times`() throws {
        var shop = WorldlineShop()
        shop.control("merchants/PSPID01", ["webhookUrl": "https://shop.example/hook"])
        shop.replies = [.status(503), .noAnswer, .status(400), .status(500), .status(302), .status(500)]
        _ = shop.call(.post, "webhooks/sendtest", [:])
        shop.pass(.seconds(1))
        for pause: Int64 in [600, 3600, 7200, 28_800, 86_400] {
            shop.pass(.seconds(pause - 2))
            let before = shop.events.count
            shop.pass(.seconds(2))
            #expect(shop.events.count == before + 1)
        }
        #expect(shop.events.map(\.retry) == ["0", "1", "2", "3", "4", "5"])
        #expect(shop.simulator.nextDue == nil)
    }

    @Test func `an address is checked with a value that must come back`() throws {
        var shop = WorldlineShop()
        let asked = shop.control("merchants/PSPID01/verify", ["url": "https://shop.example/hook"])
        #expect(asked.status == 202)
        shop.pass(.seconds(1))
        #expect(shop.echoes.count == 1)
    }

    @Test func `a journal's line keeps the headers`() throws {
        let request = SandboxRequest(method: "POST", path: "/v2/x/payments", headers: ["date": "now", "x-gcs-a": "1"])
        var time = Timestamp.epoch
        let line = SandboxInput.request(request).line(at: Timestamp(seconds: 5))
        #expect(SandboxInput(line: line, time: &time) == .request(request))
    }
}

/// A merchant that signs as the adapter does, and takes events.
struct WorldlineShop {
    struct Event {
        let types: [String]
        let key: String
        let retry: String
        let isGenuine: Bool
    }

    var simulator: WorldlineSimulator
    var now = Timestamp(seconds: 1_795_165_503)
    var events: [Event] = []
    var echoes: [[UInt8]] = []
    /// What the next deliveries are answered; 200 where nothing is left.
    var replies: [DeliveryReply] = []
    private static let secrets = ["wk-1": Secret("first"), "wk-2": Secret("second")]

    init() {
        let merchant = WorldlineMerchant(
            id: "PSPID01",
            apiKeys: [WorldlineMerchant.Key(id: "KEY", secret: Secret("api-secret"))],
            webhookKeys: [WorldlineMerchant.Key(id: "wk-1", secret: Secret("first"))]
        )
        simulator = WorldlineSimulator(
            WorldlineSimulator.Configuration(
                merchants: [merchant],
                address: "http://sandbox.example",
                startedAt: Timestamp(seconds: 1_795_165_000)
            )
        )
    }

    var ledger: [String] { simulator.ledger.entries.map { "\($0.kind.rawValue) \($0.amount.minor)" } }

    mutating func call(
        _ method: HttpMethod,
        _ path: String,
        _ body: Json? = nil,
        key: String? = nil,
        secret: String = "api-secret",
        signedAt: Timestamp? = nil
    ) -> SandboxAnswer {
        var headers = HttpHeaders([("Date", HttpDate.text(signedAt ?? now))])
        if body != nil { headers.append("Content-Type", "application/json") }
        headers.append("X-GCS-ServerMetaInfo", "e30=")
        if let key { headers.append("X-GCS-Idempotence-Key", key) }
        let target = "/v2/PSPID01/\(path)"
        let signature = Authorization.header(
            method: method.rawValue,
            target: target,
            headers: headers,
            keyId: "KEY",
            secret: Secret(secret)
        )
        headers.append("Authorization", signature)
        let fields = headers.fields.map { ($0.name.lowercased(), $0.value) }
        return play(method.rawValue, target, body?.compactBytes ?? [], Dictionary(fields) { first, _ in first })
    }

    @discardableResult
    mutating func control(_ path: String, _ body: Json) -> SandboxAnswer {
        play("POST", "/worldline/sandbox/\(path)", body.compactBytes)
    }

    mutating func play(
        _ method: String,
        _ path: String,
        _ body: [UInt8] = [],
        _ headers: [String: String] = [:]
    ) -> SandboxAnswer {
        let request = SandboxRequest(method: method, path: path, body: body, headers: headers)
        let actions = simulator.received(request, at: now)
        take(actions)
        for case .answer(let answer) in actions { return answer }
        return SandboxAnswer(status: 0, contentType: "", body: .bytes([]))
    }

    /// Lets the time pass, with everything that becomes due on the way.
    mutating func pass(_ time: Duration) {
        let end = now.adding(time)
        while let due = simulator.nextDue, due <= end {
            now = max(now, due)
            take(simulator.timeReached(due))
        }
        now = end
    }

    private mutating func take(_ actions: [SandboxAction]) {
        for case .deliver(let delivery) in actions {
            if case .echo(let value) = delivery.kind { echoes.append(value) } else { note(delivery) }
            let reply = replies.isEmpty ? DeliveryReply.status(200) : replies.removeFirst()
            take(simulator.deliveryEnded(delivery.attempt, reply, at: now))
        }
    }

    private mutating func note(_ delivery: SandboxDelivery) {
        let body = (try? Json(delivery.body)) ?? .null
        let key = delivery.headers["X-GCS-KeyId"] ?? ""
        let signature = Self.secrets[key].map { WorldlineSignature.sign(delivery.body, $0) }
        events.append(
            Event(
                types: (body.items ?? [body]).compactMap { $0["type"]?.text },
                key: key,
                retry: delivery.headers["retry-count"] ?? "",
                isGenuine: signature == delivery.headers["X-GCS-Signature"]
            )
        )
    }

    func order(_ minor: Int64) -> Json {
        [
            "amountOfMoney": ["amount": .integer(minor), "currencyCode": "EUR"],
            "references": ["merchantReference": "pay-7"],
        ]
    }

    /// A payment with an input that the app makes now.
    mutating func payment(
        _ minor: Int64,
        mode: String = "SALE",
        card: String = "frictionless",
        more: [(String, Json)] = []
    ) -> Json {
        let session = (try? Json(call(.post, "sessions", [:]).bytes)) ?? .null
        let body: Json = ["card": .string(card), "session": session]
        let input = (try? Json(play("POST", "/worldline/app", body.compactBytes).bytes)) ?? .null
        let secure: Json = ["redirectionData": ["returnUrl": "https://shop.example/return"]]
        var members = JsonObject([("authorizationMode", .string(mode)), ("threeDSecure", secure)])
        for (name, value) in more { members[name] = value }
        return [
            "cardPaymentMethodSpecificInput": .object(members),
            "encryptedCustomerInput": input["encryptedCustomerInput"] ?? .null, "order": order(minor),
        ]
    }

    /// Pays, and gives the payment's id.
    mutating func paid(_ minor: Int64, mode: String, card: String, more: [(String, Json)] = []) throws -> String {
        let body = payment(minor, mode: mode, card: card, more: more)
        return try #require(try Json(call(.post, "payments", body).bytes).at("payment", "id")?.text)
    }
}
