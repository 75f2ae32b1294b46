import Decisions
import Ecommpay
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import TestKit
import Testing

/// A node sends what it has licensed itself without a claim, and what becomes of that beside claims.
struct LicensedMessageTests {
    /// An authorized payment whose capture is licensed, and the page that its node marks of it.
    private func licensedCapture(_ harness: EngineHarness, _ key: String) async throws -> (PaymentId, [LeasedEffect]) {
        let id = try await harness.authorized(key)
        _ = harness.engine.notifier.takeOutgoing()
        await harness.command(harness.stream(id), "payment.capture", [:])
        let outgoing = harness.engine.notifier.takeOutgoing()
        #expect(!outgoing.mustClaim && outgoing.licensed.count == 1)
        return (id, outgoing.licensed)
    }

    private func captures(_ harness: EngineHarness) -> Int {
        harness.wire.sent.count { $0.url.hasSuffix("/capture") }
    }

    private func accept(_ harness: EngineHarness, _ id: PaymentId) async throws {
        let reference = try #require(try await harness.payment(id).attempt?.reference)
        harness.wire.play { _ in CallbackOperation.accepted(reference) }
    }

    @Test func `what a node has licensed is marked and sent without a claim`() async throws {
        let claims = Locked(0)
        let harness = try await EngineHarness(faults: { call in
            if call == .claimEffects { claims.withLock { $0 += 1 } }
            return nil
        })
        let (id, licensed) = try await licensedCapture(harness, "own")
        claims.withLock { $0 = 0 }
        let (page, left) = try await harness.engine.sender.prepare(licensed: licensed)
        #expect(page.count == 1 && left.isEmpty)
        try await accept(harness, id)
        await harness.engine.sender.send(page[0])
        #expect(claims.withLock { $0 } == 0)
        #expect(try await harness.payment(id).operations.last?.dispatches.map(\.outcome) == [.accepted])
        #expect(captures(harness) == 1)
        try await harness.settle()
        #expect(captures(harness) == 1)
        let check = LicenseCheck(store: harness.store, adapters: AdapterRegistry([EcommpayAdapter()]))
        let report = try await check.verify()
        #expect(report.isClean, "\(report.breaches)")
        #expect(try await harness.engine.replay.verify().isClean)
    }

    @Test func `what another node has claimed meanwhile is sent once, by that node`() async throws {
        let harness = try await EngineHarness()
        let (id, licensed) = try await licensedCapture(harness, "theirs")
        let theirs = try await harness.neighbour().sender.prepare()
        #expect(theirs.count == 1)
        let (page, left) = try await harness.engine.sender.prepare(licensed: licensed)
        #expect(page.isEmpty && left.isEmpty)
        try await accept(harness, id)
        await harness.neighbour().sender.send(theirs[0])
        try await harness.settle()
        #expect(captures(harness) == 1)
    }

    @Test func `whoever dies before the mark leaves the message to others, at once`() async throws {
        let harness = try await EngineHarness()
        let (id, licensed) = try await licensedCapture(harness, "died")
        let neighbour = harness.neighbour()
        #expect(licensed.count == 1)
        let theirs = try await neighbour.sender.prepare()
        #expect(theirs.count == 1)
        try await accept(harness, id)
        await neighbour.sender.send(theirs[0])
        #expect(try await harness.payment(id).operations.last?.dispatches.map(\.outcome) == [.accepted])
    }

    @Test func `whoever dies behind the mark may have sent it, and it is not sent again`() async throws {
        let harness = try await EngineHarness()
        let (id, licensed) = try await licensedCapture(harness, "marked")
        #expect(try await harness.engine.sender.prepare(licensed: licensed).page.count == 1)
        #expect(try await harness.neighbour().sender.prepare().isEmpty)
        harness.clock.advance(by: EffectSender.margin + EcommpayAdapter().declaration.requestDeadline + Scheduler.grace)
        harness.clock.advance(by: .microseconds(1))
        #expect(try await harness.neighbour().scheduler.runOnce() == 1)
        _ = try await harness.engine.mail.run()
        let dispatch = try #require(try await harness.payment(id).operations.last?.dispatches.first)
        #expect(dispatch.outcome == .unknown(reason: "sender vanished"))
        #expect(captures(harness) == 0)
    }

    @Test func `evidence that closes the operation revokes what is licensed and not marked`() async throws {
        let harness = try await EngineHarness()
        let (id, licensed) = try await licensedCapture(harness, "revoked")
        _ = try await harness.store.admit([
            try await harness.callback(
                id,
                CallbackOperation(id: 2, type: "capture", status: "success", minor: 1000),
                status: "success"
            )
        ])
        _ = try await harness.engine.mail.run()
        #expect(try await harness.engine.sender.prepare(licensed: licensed).page.isEmpty)
        try await harness.settle()
        #expect(captures(harness) == 0)
        #expect(try await harness.payment(id).status == .captured)
    }

    @Test func `more than there are places for is left to claims`() {
        let notifier = CommitNotifier()
        let stream = StreamName(MerchantNumber(1), .payment, Uuid(high: 1, low: 1))
        let message = LeasedEffect(
            lease: EffectLease(stream: stream, id: Uuid(high: 2, low: 2), fence: 1),
            effect: NewEffect(
                id: Uuid(high: 2, low: 2),
                account: Uuid(high: 3, low: 3),
                ordinal: 1,
                template: [],
                notBefore: .epoch,
                sendBefore: .epoch,
                deadline: .seconds(1)
            ),
            leaseUntil: .epoch
        )
        for _ in 0..<SendingPlaces.standard { notifier.committed(stream, version: 1, position: 1, ready: [message]) }
        #expect(notifier.hasOutgoing)
        notifier.committed(stream, version: 2, position: 2, ready: [message, message])
        let page = notifier.takeOutgoing(atMost: 20)
        #expect(page.licensed.count == 20 && page.mustClaim && notifier.hasOutgoing)
        let rest = notifier.takeOutgoing()
        #expect(rest.licensed.count == SendingPlaces.standard - 20 && !rest.mustClaim)
        #expect(!notifier.hasOutgoing)
        notifier.committed(stream, version: 3, position: 3, mustClaim: true)
        #expect(notifier.takeOutgoing().mustClaim, "what is made ready again is found by a claim")
    }
}
