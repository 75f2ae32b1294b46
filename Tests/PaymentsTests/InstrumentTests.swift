import EventSourcing
import Kernel
import Payments
import Testing

struct InstrumentTests {
    private let id = InstrumentId(Samples.uuid(9))

    private func saved(_ fingerprint: String = "f1", year: Int = 2030, token: Json = Samples.sealed) -> SavedInstrument
    {
        SavedInstrument(
            fact: InstrumentFact(
                token: token,
                fingerprint: fingerprint,
                masked: "431422******0056",
                scheme: "visa",
                expiryYear: year,
                expiryMonth: 12
            ),
            account: Samples.accountId,
            customer: "c-1",
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

    @Test func `a renewed card is recorded and another credential refused`() throws {
        let instrument = Instrument.fold(id, [.saved(saved(), at: .epoch)])
        #expect(try instrument.decide(.save(saved(year: 2035)), Samples.context()).count == 1)
        let code = refusal { () throws(Rejection) in try instrument.decide(.save(saved("f2")), Samples.context()) }
        #expect(code == "instrument_mismatch")
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

    @Test func `commands survive their stored form`() throws {
        for command in [InstrumentCommand.save(saved()), .remove(reason: "lost"), .remove(reason: nil)] {
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
        #expect(Arrivals.fold(events).decide(.keep(arrival), Samples.context()).isEmpty)
    }

    @Test func `commands survive their stored form`() throws {
        let command = ArrivalsCommand.keep(arrival)
        #expect(try ArrivalsCommand(name: command.name, command.json) == command)
    }
}
