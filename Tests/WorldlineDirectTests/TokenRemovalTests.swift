import Engine
import EventSourcing
import Http
import Kernel
import Payments
import TestKit
import Testing
import WorldlineDirect

/// A saved card that is removed here is deleted at the provider, too.
struct TokenRemovalTests {
    private let id = InstrumentId(Uuid(high: 0x1257, low: 9))

    private func removed(
        answers: [Int],
        by command: InstrumentCommand = .remove(reason: nil)
    ) async throws -> (Instrument, [OutgoingRequest]) {
        let house = try await House()
        let left = Locked(answers)
        house.wire.play { _ in
            let status = left.withLock { $0.isEmpty ? 500 : $0.removeFirst() }
            return .answered(HttpResponse(status: status, contentType: "application/json", body: []))
        }
        let token = try await house.vault.seal(
            ["t": "tok-42"],
            paths: ["t"],
            subject: Uuid(high: 0x5B, low: 1),
            merchant: house.merchant
        )
        let fact = InstrumentFact(
            token: token["t"] ?? .null,
            fingerprint: "f-1",
            masked: "431422******0056",
            scheme: "visa",
            expiryYear: 2030,
            expiryMonth: 12
        )
        let saved = SavedInstrument(fact: fact, account: house.account, customer: "c", payment: nil)
        for command in [InstrumentCommand.save(saved), command] {
            try await house.instrument(id, command)
        }
        for _ in 0..<8 {
            try await house.settle()
            house.clock.advance(by: .seconds(200))
        }
        let stream = StreamName(house.merchant, .instrument, id.uuid)
        let history = try await house.store.load([(stream, 0)])[0]
        #expect(try await house.engine.replay.verify().isClean)
        let instrument = Instrument.fold(id, try history.map { try InstrumentEvent($0) })
        return (instrument, house.wire.sent)
    }

    @Test func `the token goes into the address and nowhere else, and its deletion ends the removal`() async throws {
        let (instrument, sent) = try await removed(answers: [204])
        #expect(instrument.removal == .removed)
        #expect(sent.count == 1)
        let request = try #require(sent.first)
        #expect(request.method == .delete)
        #expect(request.url.hasSuffix("/v2/PSPID01/tokens/tok-42"))
        #expect(request.body.isEmpty)
    }

    @Test func `an answer that says nothing is followed by another try, and an unknown token is a removed one`()
        async throws
    {
        let (instrument, sent) = try await removed(answers: [503, 404])
        #expect(instrument.removal == .removed)
        #expect(sent.count == 2)
    }

    @Test func `a provider that never says is left alone after some tries`() async throws {
        let (instrument, sent) = try await removed(answers: [])
        #expect(instrument.removal == .unknown)
        #expect(sent.filter { $0.method == .delete }.count == Int(Instrument.repetition.tries))
        // Before each further try the provider was asked what it keeps.
        #expect(sent.filter { $0.method == .get }.count == Int(Instrument.repetition.tries) - 1)
    }

    @Test func `a token that the provider does not find any more is marked, and one that it shows stays`() async throws
    {
        let (gone, sent) = try await removed(answers: [404], by: .check)
        #expect(gone.status == .removed && gone.removed?.by == Instrument.provider && gone.removal == .removed)
        #expect(sent.map(\.method) == [.get])
        #expect(sent.first?.url.hasSuffix("/v2/PSPID01/tokens/tok-42") == true)
        let (kept, _) = try await removed(answers: [200], by: .check)
        #expect(kept.isUsable && kept.listing?.answer == .listed)
        let (unsure, asked) = try await removed(answers: [503], by: .check)
        #expect(unsure.isUsable && unsure.listing?.answer == .unknown(reason: "HTTP 503") && asked.count == 1)
    }

    @Test func `a deletion whose answer was lost is not repeated while the token is not there any more`() async throws {
        let (instrument, sent) = try await removed(answers: [502, 404])
        #expect(instrument.removal == .removed)
        #expect(sent.map(\.method) == [.delete, .get])
        let (again, more) = try await removed(answers: [502, 200, 204])
        #expect(again.removal == .removed)
        #expect(more.map(\.method) == [.delete, .get, .delete])
    }

    @Test func `a refusal is told as one`() async throws {
        let (instrument, sent) = try await removed(answers: [403])
        #expect(instrument.removal == .refused(code: "HTTP 403"))
        #expect(instrument.status == .removed)
        #expect(sent.count == 1)
    }
}
