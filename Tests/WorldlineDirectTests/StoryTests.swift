import Crypto
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import Telemetry
import TestKit
import Testing
import WorldlineDirect

/// Payments through the whole engine, with the provider's side played.
struct StoryTests {
    private static let address = "https://payment.preprod.example/hostedcheckout/page?x=1"
    private static let page: Json = [
        "hostedCheckoutId": "15c09dac", "redirectUrl": .string(address), "RETURNMAC": "fecab85c",
    ]

    @Test func `a payer is sent to the provider's page, pays, and is refunded in part`() async throws {
        let house = try await House()
        house.wire.play { _ in .answered(.json(201, Self.page)) }
        let id = try await house.create(.sale, .hosted)
        try await house.settle()
        #expect(try await house.payment(id).status == .requiresAction)
        #expect(try await house.payment(id).order?.handover.canonicalText.contains("hostedcheckout") == false)
        guard
            case .redirect(let url) = try await house.engine.handovers.render(
                StreamName(house.merchant, .payment, id.uuid)
            )
        else {
            Issue.record("no address")
            return
        }
        #expect(url == Self.address)
        let reference = try #require(try await house.payment(id).attempt?.reference)
        try await house.deliver(id, Message.payment("CAPTURED", 9, reference: reference))
        #expect(try await house.payment(id).status == .captured)
        house.wire.play { request in
            guard request.method == .post else {
                let entries = [
                    Message.entry(Shop.paymentId, "CAPTURED", 9, amount: 1999),
                    Message.entry("3254564310_1", "REFUNDED", 8, amount: 500),
                ]
                let payment = Message.payment("CAPTURED", 9, reference: reference, operations: entries)
                return .answered(.json(200, payment))
            }
            let refund: Json = [
                "id": "3254564310_1", "status": "REFUND_REQUESTED", "statusOutput": ["statusCode": 81],
                "refundOutput": ["amountOfMoney": Message.money(500)],
            ]
            return .answered(.json(201, refund))
        }
        await house.command(id, "payment.refund", ["amount": ["currency": "EUR", "value": 500]])
        try await house.settle()
        house.clock.advance(by: .seconds(120))
        try await house.settle()
        let payment = try await house.payment(id)
        #expect(payment.status == .partiallyRefunded)
        #expect(payment.amounts.refunded == 500)
        #expect(payment.openContradictions.isEmpty)
        let paths = house.wire.sent.map {
            $0.url.dropFirst("https://payment.preprod.direct.worldline-solutions.com".count)
        }
        #expect(paths.first == "/v2/PSPID01/hostedcheckouts")
        #expect(paths.contains("/v2/PSPID01/payments/3254564310_0/refund"))
        #expect(paths.last == "/v2/PSPID01/payments/3254564310_0/details")
        let report = try await house.engine.replay.verify()
        #expect(report.isClean, "\(report.differences)")
    }

    @Test func `a page whose answer was lost is asked for again under the same key`() async throws {
        let house = try await House()
        let posts = Locked(0)
        house.wire.play { request in
            guard request.method == .post else {
                let isPage = request.url.contains("/hostedcheckouts/")
                return .answered(.json(200, isPage ? ["status": "IN_PROGRESS"] : ["result": "OK"]))
            }
            let isFirst = posts.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? .sentNoAnswer(NoAnswer(.deadline)) : .answered(.json(201, Self.page))
        }
        let id = try await house.create(.sale, .hosted)
        for _ in 0..<6 {
            try await house.settle()
            house.clock.advance(by: .seconds(20))
        }
        #expect(try await house.payment(id).status == .requiresAction)
        let keys = house.wire.sent.filter { $0.method == .post }.map { $0.headers["X-GCS-Idempotence-Key"] }
        #expect(keys.count == 2)
        #expect(Set(keys).count == 1)
        #expect(house.wire.sent.contains { $0.url.hasSuffix("/services/testconnection") })
    }

    @Test func `a hold is captured in parts and its rest is given back`() async throws {
        let house = try await House()
        house.wire.play { _ in .answered(.json(201, Self.page)) }
        let id = try await house.create(.authorize, .hosted)
        try await house.settle()
        let reference = try #require(try await house.payment(id).attempt?.reference)
        try await house.deliver(id, Message.payment("PENDING_CAPTURE", 5, reference: reference))
        #expect(try await house.payment(id).status == .authorized)
        let entries = Locked([Message.entry(Shop.paymentId, "PENDING_CAPTURE", 5, amount: 1999)])
        house.wire.play { request in
            guard request.method == .get else {
                let isCapture = request.url.hasSuffix("/capture")
                let entry =
                    isCapture
                    ? Message.entry("3254564310_1", "CAPTURED", 9, amount: 500)
                    : Message.entry("3254564310_2", "CANCELLED", 6, amount: 1499)
                entries.withLock { $0.append(entry) }
                guard isCapture else {
                    let payment = Message.payment("CANCELLED", 61, reference: reference)
                    return .answered(.json(200, ["payment": payment]))
                }
                let capture: Json = [
                    "id": "3254564310_1", "status": "CAPTURE_REQUESTED", "statusOutput": ["statusCode": 91],
                    "captureOutput": ["amountOfMoney": Message.money(500)],
                ]
                return .answered(.json(201, capture))
            }
            let known = entries.withLock { $0 }
            return .answered(.json(200, Message.payment("CAPTURED", 9, reference: reference, operations: known)))
        }
        await house.command(id, "payment.capture", ["amount": ["currency": "EUR", "value": 500]])
        try await house.settle()
        house.clock.advance(by: .seconds(60))
        try await house.settle()
        #expect(try await house.payment(id).status == .partiallyCaptured)
        await house.command(id, "payment.void", [:])
        try await house.settle()
        house.clock.advance(by: .seconds(60))
        try await house.settle()
        let payment = try await house.payment(id)
        #expect(payment.status == .captured)
        #expect(payment.amounts.captured == 500)
        #expect(payment.amounts.held == 0)
        #expect(payment.openContradictions.isEmpty)
    }

    @Test func `an app's input passes through memory to the provider and is written nowhere`() async throws {
        let house = try await House()
        let blob = "aaaa.bbbb.cccc.dddd.eeee"
        let (payer, now) = (Uuid(high: 1, low: 7), house.clock.now)
        let hole = try #require(house.engine.once.keep(.string(blob), of: payer, merchant: house.merchant, at: now))
        house.wire.play { _ in .answered(.json(201, ["payment": Message.payment("REDIRECTED", 46, reference: "")])) }
        let id = try await house.create(.sale, .sdk, details: ["encryptedCustomerInput": hole])
        try await house.settle()
        let sent = try #require(house.wire.sent.first)
        #expect(String(decoding: sent.body, as: UTF8.self).contains("\"encryptedCustomerInput\":\"\(blob)\""))
        let history = try await house.store.load([(house.stream(id), 0)])[0]
        #expect(!history.isEmpty)
        #expect(history.allSatisfy { !String(decoding: $0.data, as: UTF8.self).contains("bbbb") })
        #expect(house.engine.once.value(of: hole, merchant: MerchantNumber(2), at: house.clock.now) == nil)
        let late = house.clock.now.adding(OnceCache.lifetime)
        #expect(house.engine.once.value(of: hole, merchant: house.merchant, at: late) == nil)
    }

    @Test func `an app's payment whose input is in no memory is never sent`() async throws {
        let house = try await House()
        let id = try await house.create(.sale, .sdk, details: Shop.appDetails)
        try await house.settle()
        #expect(try await house.payment(id).status == .created)
        // Another process may hold the value; after a lease nobody does.
        house.clock.advance(by: .seconds(16))
        try await house.settle()
        #expect(house.wire.sent.allSatisfy { $0.method == .get })
        #expect(try await house.payment(id).status == .failed)
    }

    @Test func `a refused opening fails the payment`() async throws {
        let house = try await House()
        house.wire.play { _ in .answered(.json(403, ["errors": [["errorCode": "9002"]]])) }
        let id = try await house.create(.sale, .hosted)
        try await house.settle()
        #expect(try await house.payment(id).status == .failed)
    }
}
