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

/// A database that goes back to a backup while the provider's books go on.
struct RestoreTests {
    @Test func `a message that waited in the backup and left afterwards is asked about and not sent again`()
        async throws
    {
        let harness = try await EngineHarness()
        let id = try await harness.authorized("restore")
        let reference = try #require(try await harness.payment(id).attempt?.reference)
        await harness.command(harness.stream(id), "payment.capture", [:])
        let backup = harness.store.backup()
        harness.wire.play { _ in CallbackOperation.accepted(reference) }
        try await harness.settle()
        #expect(harness.wire.sent.count { $0.url.hasSuffix("/capture") } == 1)
        harness.store.restore(backup)
        harness.store.beginRecovery()
        let authorization = CallbackOperation(id: 1, type: "auth", status: "success", minor: 1000)
        let capture = CallbackOperation(id: 2, type: "capture", status: "success", minor: 1000)
        harness.wire.play { _ in
            CallbackOperation.statusAnswer([authorization, capture], reference: reference, status: "success")
        }
        let node = harness.neighbour()
        for _ in 0..<60 {
            harness.clock.advance(by: .seconds(20))
            try await harness.settle(at: node)
        }
        #expect(harness.wire.sent.count { $0.url.hasSuffix("/capture") } == 1)
        let payment = try await harness.payment(id)
        #expect(payment.amounts.captured == 1000)
        #expect(payment.recovery?.epoch.number == 1)
        #expect(payment.obligations.isEmpty)
        #expect(try await node.replay.verify().isClean)
        let licenses = LicenseCheck(store: harness.store, adapters: AdapterRegistry([EcommpayAdapter()]))
        #expect(try await licenses.verify().breaches.isEmpty)
    }

    /// The window of a message ended in the backup, it left in lost time, and nobody told the daemon of the restore.
    @Test func `a message whose window is over is not taken for unsent by the first who looks`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.authorized("restore")
        let reference = try #require(try await harness.payment(id).attempt?.reference)
        await harness.command(harness.stream(id), "payment.capture", [:])
        let backup = harness.store.backup()
        harness.wire.play { _ in CallbackOperation.accepted(reference) }
        try await harness.settle()
        harness.clock.advance(by: .seconds(3600))
        harness.store.restore(backup)
        let node = harness.neighbour()
        let refused: StoreFailure?
        do throws(StoreFailure) {
            _ = try await node.scheduler.runOnce()
            refused = nil
        } catch { refused = error }
        #expect(refused?.code == .moved)
        let authorization = CallbackOperation(id: 1, type: "auth", status: "success", minor: 1000)
        let capture = CallbackOperation(id: 2, type: "capture", status: "success", minor: 1000)
        harness.wire.play { _ in
            CallbackOperation.statusAnswer([authorization, capture], reference: reference, status: "success")
        }
        _ = try await node.book.epoch()
        for _ in 0..<60 {
            harness.clock.advance(by: .seconds(20))
            try await harness.settle(at: node)
        }
        let payment = try await harness.payment(id)
        #expect(payment.amounts.captured == 1000)
        #expect(!payment.operations.contains { if case .notExecuted = $0.state { true } else { false } })
        #expect(harness.wire.sent.count { $0.url.hasSuffix("/capture") } == 1)
    }

    /// A standby takes over without the newest events while daemons run; another node has gone on there to the same version.
    @Test func `a daemon that remembers lost events decides on those that there are`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.authorized("restore")
        let stream = harness.stream(id)
        let backup = harness.store.backup()
        await harness.command(stream, "payment.capture", ["amount": ["currency": "EUR", "value": 300]])
        let lost = try await harness.engine.streamCache.known([stream])[0]
        harness.store.restore(backup)
        let other = harness.neighbour()
        for number in 0..<9 {
            let version = try await harness.store.load([(stream, 0)])[0].count
            if version >= lost.version { break }
            await harness.command(stream, "payment.sync", [:], key: "sync-\(number)", at: other)
            harness.clock.advance(by: .seconds(30))
        }
        #expect(try await harness.store.load([(stream, 0)])[0].count >= lost.version)
        let outcome = await harness.command(stream, "payment.capture", ["amount": ["currency": "EUR", "value": 900]])
        guard case .decided = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let held = try await harness.engine.streamCache.known([stream])[0]
        #expect(held.events == (try await harness.store.load([(stream, 0)])[0]))
        #expect(try await harness.payment(id).operations.compactMap(\.requested?.minor) == [1000, 900])
        #expect(try await harness.neighbour().replay.verify().isClean)
    }

    /// A dump is put back where the log was while a daemon runs, and nobody tells of it.
    @Test func `what a daemon remembers is not read on behind another event`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.authorized("dump")
        let stream = harness.stream(id)
        let dump = harness.store.backup()
        await harness.command(stream, "payment.capture", ["amount": ["currency": "EUR", "value": 300]])
        let lost = try await harness.engine.streamCache.known([stream])[0]
        harness.store.restore(dump, isElsewhere: false)
        let other = harness.neighbour()
        for number in 0..<9 {
            let version = try await harness.store.load([(stream, 0)])[0].count
            if version > lost.version { break }
            await harness.command(stream, "payment.sync", [:], key: "sync-\(number)", at: other)
            try await harness.settle(at: other)
            harness.clock.advance(by: .seconds(30))
        }
        #expect(try await harness.store.load([(stream, 0)])[0].count > lost.version, "the log went on behind it")
        #expect(try await harness.engine.streamCache.known([stream])[0].version == lost.version)
        await harness.command(stream, "payment.capture", ["amount": ["currency": "EUR", "value": 600]])
        let held = try await harness.engine.streamCache.known([stream])[0]
        #expect(held.events == (try await harness.store.load([(stream, 0)])[0]))
        let amounts = try await harness.payment(id).operations.compactMap(\.requested?.minor)
        #expect(amounts.last == 600 && !amounts.contains(300), "\(amounts)")
        #expect(try await harness.neighbour().replay.verify().isClean)
    }

    @Test func `a command that is retried after the restore waits for what the provider says`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.authorized("restore")
        let reference = try #require(try await harness.payment(id).attempt?.reference)
        let backup = harness.store.backup()
        harness.wire.play { _ in CallbackOperation.accepted(reference) }
        await harness.command(harness.stream(id), "payment.capture", [:], key: "once")
        try await harness.settle()
        harness.store.restore(backup)
        harness.store.beginRecovery()
        let authorization = CallbackOperation(id: 1, type: "auth", status: "success", minor: 1000)
        let capture = CallbackOperation(id: 2, type: "capture", status: "success", minor: 1000)
        harness.wire.play { _ in
            CallbackOperation.statusAnswer([authorization, capture], reference: reference, status: "success")
        }
        let node = harness.neighbour()
        await harness.command(harness.stream(id), "payment.capture", [:], key: "once", at: node)
        for _ in 0..<60 {
            try await harness.settle(at: node)
            harness.clock.advance(by: .seconds(20))
        }
        #expect(harness.wire.sent.count { $0.url.hasSuffix("/capture") } == 1)
        #expect(try await harness.payment(id).amounts.captured == 1000)
        #expect(try await harness.payment(id).obligations.isEmpty)
        #expect(try await node.replay.verify().isClean)
    }
}
