import EventSourcing
import Kernel
import Payments
import Testing

/// What follows from asking a provider whether it still keeps a credential.
struct InstrumentCheckTests {
    private let id = InstrumentId(Samples.uuid(9))
    private let effect = EffectId(Samples.uuid(40))
    private let removalEffect = EffectId(Samples.uuid(41))

    private func license(_ effect: EffectId, _ ordinal: Int32 = 1) -> MessageLicense {
        MessageLicense(
            effect: effect,
            ordinal: ordinal,
            templateDigest: "00",
            account: Samples.accountId,
            accountVersion: 1,
            adapterVersion: 1,
            licensedAt: Samples.noon,
            sendBefore: Samples.noon
        )
    }

    private func instrument(_ more: [InstrumentEvent]) -> Instrument {
        let saved = SavedInstrument(
            fact: InstrumentFact(
                token: Samples.sealed,
                fingerprint: "f1",
                masked: nil,
                scheme: nil,
                expiryYear: 2030,
                expiryMonth: 12
            ),
            account: Samples.accountId,
            customer: "c-1",
            payment: nil
        )
        return Instrument.fold(id, [.saved(saved, at: .epoch)] + more)
    }

    private func after(_ listing: CredentialListing, _ instrument: Instrument) -> (Instrument, MessageLicense?) {
        var instrument = instrument
        let decision = instrument.decide(listing, effect: effect, at: Samples.noon)
        for event in decision.events { instrument.evolve(event) }
        return (instrument, decision.repeats)
    }

    @Test func `a credential that the provider no longer lists is marked as removed by the provider`() {
        let (gone, _) = after(.notListed, instrument([.checkLicensed(license(effect))]))
        #expect(gone.status == .removed && gone.removed?.by == Instrument.provider && gone.removal == .removed)
        #expect(gone.liveEffects.isEmpty && gone.usableToken == nil)
    }

    @Test func `one that is listed, or of which nothing was said, stays usable`() {
        for answer in [CredentialListing.listed, .unknown(reason: "HTTP 500")] {
            let (kept, _) = after(answer, instrument([.checkLicensed(license(effect))]))
            #expect(kept.isUsable && kept.listing?.answer == answer && kept.openCheck == nil)
        }
    }

    @Test func `an answer to a question that nobody asked decides nothing`() {
        #expect(instrument([]).decide(.notListed, effect: effect, at: Samples.noon).events.isEmpty)
    }

    @Test func `a lost answer to a removal is followed by the question and not by another removal`() {
        let pending = instrument([
            .removed(by: "root", reason: nil, at: Samples.noon), .removalLicensed(license(removalEffect)),
        ])
        let decision = pending.decide(
            .unknown(reason: "timeout"),
            effect: removalEffect,
            ordinal: 1,
            asksFirst: true,
            at: Samples.noon
        )
        #expect(decision.repeats == nil)
        var asked = pending
        for event in decision.events + [.checkLicensed(license(effect))] { asked.evolve(event) }
        // Its row stays for the licence that may follow.
        #expect(asked.liveEffects == [removalEffect, effect])
        let (gone, none) = after(.notListed, asked)
        #expect(gone.removal == .removed && none == nil && gone.removed?.by == "root")
        let (still, again) = after(.listed, asked)
        #expect(again?.ordinal == 2 && again?.effect == removalEffect && still.removal == nil)
        #expect(after(.unknown(reason: "x"), asked).1?.ordinal == 2)
    }

    @Test func `a removal that never got an answer is told as done once the provider lists it no longer`() {
        let doubtful = instrument([
            .removed(by: "root", reason: nil, at: Samples.noon), .removalEnded(.unknown, at: Samples.noon),
        ])
        #expect(doubtful.isCheckDue)
        var asked = doubtful
        asked.evolve(.checkLicensed(license(effect)))
        #expect(after(.notListed, asked).0.removal == .removed)
        #expect(after(.listed, asked).0.removal == .unknown)
    }

    @Test func `nothing is asked while a removal or another question is under way`() {
        let removing = instrument([
            .removed(by: "root", reason: nil, at: Samples.noon), .removalLicensed(license(removalEffect)),
        ])
        #expect(!removing.isCheckDue && !instrument([.checkLicensed(license(effect))]).isCheckDue)
        #expect(instrument([]).isCheckDue)
    }

    @Test func `days between two charges are the provider's calendar days`() throws {
        let mandate = InstrumentFact.Mandate(endsAt: nil, days: 14, zoneHours: 3)
        let fact = InstrumentFact(
            token: Samples.sealed,
            fingerprint: "f1",
            masked: nil,
            scheme: nil,
            expiryYear: nil,
            expiryMonth: nil,
            mandate: mandate
        )
        let saved = SavedInstrument(fact: fact, account: Samples.accountId, customer: "c-1", payment: nil)
        // Half past midnight in Moscow, on the second.
        let first = try #require(Timestamp("2026-03-01T21:30:00Z"))
        let charged = Instrument.fold(id, [.saved(saved, at: .epoch), .charged(Samples.uuid(3), at: first)])
        func isAllowed(_ text: String) throws -> Bool {
            let terms = Samples.terms(.sale, method: .instrument)
            let at = try #require(Timestamp(text))
            do throws(Rejection) {
                try charged.checkUse(by: terms, account: Samples.accountId, at: at)
                return true
            } catch { return false }
        }
        // Fourteen days later begins at 21:00Z on the fifteenth, before the same time of day has come.
        #expect(try !isAllowed("2026-03-15T20:59:59Z"))
        #expect(try isAllowed("2026-03-15T21:00:00Z"))
    }
}
