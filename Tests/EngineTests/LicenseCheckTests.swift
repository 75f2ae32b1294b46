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

/// The walk over a whole store: a sound one is clean, and every forged row is seen.
struct LicenseCheckTests {
    /// A payment that was captured by one message.
    private func captured() async throws -> (EngineHarness, StreamName) {
        let harness = try await EngineHarness()
        let id = try await harness.authorized("licences")
        await harness.command(harness.stream(id), "payment.capture", [:])
        try await harness.settle()
        return (harness, harness.stream(id))
    }

    private func report(_ harness: EngineHarness) async throws -> LicenseReport {
        try await LicenseCheck(store: harness.store, adapters: AdapterRegistry([EcommpayAdapter()])).verify()
    }

    @Test func `a lost capture and the question after it are clean`() async throws {
        let (harness, _) = try await captured()
        let report = try await report(harness)
        #expect(report.isClean, "\(report.breaches)")
        #expect(report.licenses == 2 && report.sends == 2 && report.streams == 1)
        #expect(report.rows == 1)
    }

    @Test func `a forgotten mark, a mark too many and a stray one are seen`() async throws {
        let (harness, stream) = try await captured()
        let marks = harness.store.sendingMarks
        harness.store.tamper { $0.marks[stream] = Array(marks.dropFirst()) }
        #expect(try await report(harness).breaches.map(\.rule) == [.unmarked])
        let again = SendingMark(
            stream: stream,
            effect: marks[0].effect,
            ordinal: 1,
            fence: marks[0].fence + 100,
            at: marks[0].at
        )
        harness.store.tamper { $0.marks[stream] = marks + [again] }
        #expect(try await report(harness).breaches.map(\.rule) == [.sentTwice])
        let unknown = StreamName(stream.merchant, .payment, Uuid(high: 0xBAD, low: 1))
        let stray = SendingMark(stream: unknown, effect: marks[0].effect, ordinal: 1, fence: 1, at: marks[0].at)
        harness.store.tamper { $0.marks = [stream: marks, unknown: [stray]] }
        #expect(try await report(harness).breaches.map(\.rule) == [.unlicensed])
    }

    @Test func `another licence whose account can't be read any more is no clean one`() async throws {
        let harness = try await EngineHarness()
        harness.wire.play { _ in .notSent(.unreachable) }
        let id = try await harness.authorized("unread")
        await harness.command(harness.stream(id), "payment.capture", [:])
        try await harness.settle()
        harness.clock.advance(by: .seconds(11))
        try await harness.settle()
        #expect(try await report(harness).isClean)
        let blind = LicenseCheck(store: harness.store, adapters: AdapterRegistry([]))
        let seen = try await blind.verify()
        #expect(Set(seen.breaches.map(\.rule)) == [.unreadable], "\(seen)")
    }

    @Test func `a log that lost its tail shows the sends that it does not license any more`() async throws {
        let (harness, stream) = try await captured()
        harness.store.tamper { hand in
            let history = hand.events[stream] ?? []
            let license = history.firstIndex { $0.type == "dispatch.licensed.v1" && $0.version > 3 } ?? 0
            hand.events[stream] = Array(history[..<license])
        }
        let rules = Set(try await report(harness).breaches.map(\.rule))
        #expect(rules == [.unlicensed, .rowUnlicensed])
    }

    @Test func `a row that nobody licensed and a licence without its row are seen`() async throws {
        let (harness, stream) = try await captured()
        let now = harness.clock.now
        let forged = NewEffect(
            id: Uuid(high: 0xBAD, low: 2),
            account: harness.account,
            ordinal: 1,
            template: [0],
            notBefore: now,
            sendBefore: now.adding(.seconds(60)),
            deadline: .seconds(30)
        )
        harness.store.tamper { $0.add(forged, to: stream) }
        #expect(try await report(harness).breaches.map(\.rule) == [.rowUnlicensed])
        harness.store.tamper { $0.drop(effect: forged.id, of: stream.merchant) }
        #expect(try await report(harness).isClean)
        await harness.command(harness.stream(PaymentId(stream.id)), "payment.sync", [:], key: "later")
        harness.clock.advance(by: .seconds(600))
        await harness.command(harness.stream(PaymentId(stream.id)), "payment.sync", [:], key: "much later")
        let waiting = try await harness.store.effects(after: nil, limit: 10).filter { $0.state == .ready }
        let row = try #require(waiting.first)
        harness.store.tamper { $0.drop(effect: row.id, of: stream.merchant) }
        #expect(try await report(harness).breaches.map(\.rule) == [.rowMissing])
    }
}
