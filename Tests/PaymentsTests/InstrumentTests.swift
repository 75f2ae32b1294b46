import EventSourcing
import Kernel
import Payments
import Testing

struct InstrumentTests {
    private let id = InstrumentId(Samples.uuid(9))

    private func saved(
        _ fingerprint: String = "f1",
        year: Int = 2030,
        month: Int = 12,
        token: Json = Samples.sealed,
        customer: String? = "c-1"
    ) -> SavedInstrument {
        SavedInstrument(
            fact: InstrumentFact(
                token: token,
                fingerprint: fingerprint,
                masked: "431422******0056",
                scheme: "visa",
                expiryYear: year,
                expiryMonth: month
            ),
            account: Samples.accountId,
            customer: customer,
            payment: PaymentId(Samples.uuid(3))
        )
    }

    @Test func `a credential is saved once, however often its token is sealed`() throws {
        let events = try Instrument(id: id).decide(.save(saved()), Samples.context())
        #expect(events == [.saved(saved(), at: Samples.noon)])
        let instrument = Instrument.fold(id, events)
        #expect(instrument.isUsable)
        #expect(try instrument.decide(.save(saved(token: ["$sealed": "other"])), Samples.context()).isEmpty)
    }

    @Test func `a payment that saves a credential and takes money by it tells both at once`() throws {
        let charge = InstrumentCommand.Charge(by: Samples.uuid(3), at: Samples.noon)
        let command = InstrumentCommand.save(saved(), charged: charge)
        let charged = InstrumentEvent.charged(charge.by, at: charge.at)
        #expect(
            try Instrument(id: id).decide(command, Samples.context()) == [.saved(saved(), at: Samples.noon), charged]
        )
        let known = Instrument.fold(id, [.saved(saved(), at: .epoch)])
        #expect(try known.decide(command, Samples.context()) == [charged])
    }

    @Test func `a renewed card is recorded and another credential refused`() throws {
        let instrument = Instrument.fold(id, [.saved(saved(), at: .epoch)])
        #expect(try instrument.decide(.save(saved(year: 2035)), Samples.context()).count == 1)
        let code = refusal { () throws(Rejection) in try instrument.decide(.save(saved("f2")), Samples.context()) }
        #expect(code == "instrument_mismatch")
    }

    @Test func `what its payer allowed bounds the charges by a credential`() throws {
        let fact = saved().fact
        let bounded = SavedInstrument(
            fact: InstrumentFact(
                token: fact.token,
                fingerprint: fact.fingerprint,
                masked: fact.masked,
                scheme: fact.scheme,
                expiryYear: fact.expiryYear,
                expiryMonth: fact.expiryMonth,
                mandate: InstrumentFact.Mandate(
                    endsAt: Samples.noon.adding(.seconds(30 * 86_400)),
                    days: 7,
                    zoneHours: 3
                )
            ),
            account: Samples.accountId,
            customer: "c-1",
            payment: nil
        )
        var instrument = Instrument.fold(id, [.saved(bounded, at: Samples.noon)])
        // A later message that says nothing of it takes nothing back.
        #expect(try instrument.decide(.save(saved()), Samples.context()).isEmpty)
        func code(after days: Int64) -> String? {
            refusal { () throws(Rejection) in
                try instrument.checkUse(
                    by: Samples.terms(.sale, method: .instrument),
                    account: Samples.accountId,
                    at: Samples.noon.adding(.seconds(days * 86_400))
                )
            }
        }
        #expect(code(after: 0) == nil)
        instrument.evolve(.charged(Samples.uuid(3), at: Samples.noon))
        #expect(code(after: 6) == "mandate_too_soon")
        #expect(code(after: 7) == nil)
        #expect(code(after: 30) == "mandate_ended")
    }

    @Test func `a removed credential is not usable until it is saved again`() throws {
        var instrument = Instrument.fold(id, [.saved(saved(), at: .epoch)])
        for event in try instrument.decide(.remove(reason: "lost"), Samples.context()) { instrument.evolve(event) }
        #expect(!instrument.isUsable)
        #expect(try instrument.decide(.remove(reason: nil), Samples.context()).isEmpty)
        for event in try instrument.decide(.save(saved()), Samples.context()) { instrument.evolve(event) }
        #expect(instrument.isUsable)
        let code = refusal { () throws(Rejection) in
            try Instrument(id: id).decide(.remove(reason: nil), Samples.context())
        }
        #expect(code == "instrument_unknown")
    }

    @Test func `a credential that the provider gave up pays no more, by a word of its own`() throws {
        var instrument = Instrument.fold(id, [.saved(saved(), at: .epoch)])
        let report = InstrumentCommand.report(.invalid(code: "51"))
        for event in try instrument.decide(report, Samples.context()) { instrument.evolve(event) }
        #expect(instrument.status == .invalid)
        #expect(use(instrument) == "instrument_invalid")
        #expect(try instrument.decide(report, Samples.context()).isEmpty)
        for event in try instrument.decide(.save(saved()), Samples.context()) { instrument.evolve(event) }
        #expect(use(instrument) == nil)
    }

    @Test func `what the payer removed in the form needs no message to the provider`() throws {
        var instrument = Instrument.fold(id, [.saved(saved(), at: .epoch)])
        for event in try instrument.decide(.report(.removedByPayer), Samples.context()) { instrument.evolve(event) }
        #expect(instrument.status == .removed)
        #expect(instrument.removed?.by == Instrument.payer)
        #expect(instrument.removal == .removed)
    }

    @Test func `a removal without an answer is tried again, so often, and then left`() {
        var instrument = Instrument.fold(id, [.saved(saved(), at: .epoch), .removed(by: "a", reason: nil, at: .epoch)])
        let effect = instrument.removalEffect
        instrument.evolve(
            .removalLicensed(
                MessageLicense(
                    effect: effect,
                    ordinal: 1,
                    templateDigest: "00",
                    account: Samples.accountId,
                    accountVersion: 1,
                    adapterVersion: 1,
                    licensedAt: .epoch,
                    sendBefore: .distantFuture
                )
            )
        )
        for ordinal in 1...Instrument.repetition.tries {
            let lost = instrument.decide(
                .unknown(reason: "timeout"),
                effect: effect,
                ordinal: ordinal,
                at: Samples.noon
            )
            #expect((lost.repeats == nil) == (ordinal == Instrument.repetition.tries))
            for event in lost.events { instrument.evolve(event) }
            let again = instrument.decide(.removed, effect: effect, ordinal: ordinal, at: Samples.noon)
            #expect(again.events.isEmpty, "an answer counts once")
        }
        #expect(instrument.removal == .unknown)
        #expect(instrument.liveEffects.isEmpty)
    }

    private func use(
        _ instrument: Instrument,
        by customer: String? = "c-1",
        account: Uuid = Samples.accountId,
        at now: Timestamp = Samples.noon
    ) -> String? {
        let terms = Samples.terms(.sale, customer: customer)
        return refusal { () throws(Rejection) in try instrument.checkUse(by: terms, account: account, at: now) }
    }

    @Test func `a credential is used by the customer it was saved for and at its own account`() {
        let instrument = Instrument.fold(id, [.saved(saved(), at: .epoch)])
        #expect(use(instrument) == nil)
        #expect(use(instrument, by: "c-2") == "instrument_not_owned")
        #expect(use(instrument, by: nil) == "instrument_not_owned")
        #expect(use(instrument, account: Samples.uuid(0xACC1)) == "instrument_unknown")
        #expect(use(instrument, by: "c-2", account: Samples.uuid(0xACC1)) == "instrument_unknown")
        #expect(use(Instrument(id: id)) == "instrument_unknown")
    }

    @Test func `a credential that was saved without a customer has no owner`() {
        let instrument = Instrument.fold(id, [.saved(saved(customer: nil), at: .epoch)])
        #expect(use(instrument, by: "c-2") == nil)
        #expect(use(instrument, by: nil) == nil)
    }

    @Test func `a removed credential is refused by its own word, and to its owner only`() {
        let events: [InstrumentEvent] = [
            .saved(saved(), at: .epoch), .removed(by: "key:shop", reason: nil, at: .epoch),
        ]
        let instrument = Instrument.fold(id, events)
        #expect(use(instrument) == "instrument_removed")
        #expect(use(instrument, by: "c-2") == "instrument_not_owned")
        #expect(instrument.usableToken == nil)
    }

    @Test(arguments: [
        (2030, 12, "2031-01-01T11:59:59.999999Z", "2031-01-01T12:00:00Z"),
        (2028, 2, "2028-03-01T11:59:59.999999Z", "2028-03-01T12:00:00Z"),
    ])
    func `a card is used until its last month is over everywhere`(
        year: Int,
        month: Int,
        last: String,
        first: String
    ) throws {
        let instrument = Instrument.fold(id, [.saved(saved(year: year, month: month), at: .epoch)])
        #expect(use(instrument, at: try #require(Timestamp(last))) == nil)
        #expect(use(instrument, at: try #require(Timestamp(first))) == "instrument_expired")
    }

    @Test func `a removal tells those that wait, each once and a bounded number at a time`() {
        let uses = (1...Instrument.usesToldAtOnce + 1).map {
            InstrumentEvent.used(Samples.uuid(UInt64($0)), kind: .payment, holds: false, at: .epoch)
        }
        let start: [InstrumentEvent] = [
            .saved(saved(), at: .epoch), .used(Samples.uuid(0), kind: nil, holds: false, at: .epoch),
        ]
        let before = Instrument.fold(id, start + uses.prefix(3) + [.useEnded(Samples.uuid(2), at: .epoch)])
        var after = before
        #expect(after.usesToTell(since: before).isEmpty)
        after.evolve(.removed(by: "key", reason: nil, at: .epoch))
        #expect(after.usesToTell(since: before).map(\.stream) == [Samples.uuid(1), Samples.uuid(3)])
        var later = after
        later.evolve(.used(Samples.uuid(9), kind: .transfer, holds: true, at: .epoch))
        #expect(later.usesToTell(since: after).map(\.user) == [.transfer])

        var crowded = Instrument.fold(id, start + uses)
        let full = crowded
        crowded.evolve(.removed(by: "key", reason: nil, at: .epoch))
        #expect(crowded.usesToTell(since: full).count == Instrument.usesToldAtOnce)
    }

    @Test func `commands survive their stored form`() throws {
        let commands: [InstrumentCommand] = [
            .save(saved()),
            .save(saved(), charged: InstrumentCommand.Charge(by: Samples.uuid(3), at: Samples.noon)),
            .remove(reason: "lost"), .remove(reason: nil), .use(Samples.uuid(3)),
            .use(Samples.uuid(3), .payment), .use(Samples.uuid(4), .transfer),
            .report(.invalid(code: "51")), .report(.invalid(code: nil)), .report(.removedByPayer),
        ]
        for command in commands {
            #expect(try InstrumentCommand(name: command.name, command.json) == command)
        }
    }
}

struct ArrivalsTests {
    private let arrival = Arrival(
        input: Samples.uuid(4),
        references: [Arrival.Reference(kind: "payment", value: "ord-2")]
    )

    @Test func `an arrival is kept once`() {
        let events = Arrivals().decide(.keep(arrival), Samples.context())
        #expect(events == [.kept(arrival, at: Samples.noon)])
        #expect(Arrivals().after(events).decide(.keep(arrival), Samples.context()).isEmpty)
    }

    @Test func `commands survive their stored form`() throws {
        let command = ArrivalsCommand.keep(arrival)
        #expect(try ArrivalsCommand(name: command.name, command.json) == command)
    }
}
