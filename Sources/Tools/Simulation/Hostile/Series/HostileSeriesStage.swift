import Crypto
import Ecommpay
import Engine
import EventSourcing
import Kernel
import Payments
import ProviderKit
import Schedules
import TestKit

/// One installation around one schedule whose series the provider knows.
struct HostileSeriesStage {
    /// How the names of the provider's own debits begin.
    static let theirs = "p-"
    private static let zone = "Test/East"

    private let play: HostileSeriesCase
    let house: HostileInstallation
    let standIn: HostileSeriesStandIn
    let currency: Currency
    private let stream = StreamName(HostileInstallation.merchant, .schedule, Uuid(high: 0x5CED, low: 1))
    private let first = PaymentId(Uuid(high: 0x9A1, low: 1))

    init(_ play: HostileSeriesCase) throws {
        guard let currency = Currency("EUR") else { throw HostileFailure(what: "currency") }
        self.currency = currency
        self.play = play
        let provider = SimulatedProvider(
            adapter: EcommpayAdapter(),
            settings: [
                "currencies": ["EUR"], "pollCapSeconds": 14_400, "projectId": 42, "seriesZone": .string(Self.zone),
            ],
            currency: "EUR"
        )
        var made: HostileSeriesStandIn?
        house = try HostileInstallation(provider) { time, can in
            let lag = can.recovery.absenceProof(of: .sale).map { $0 * 4 / 5 } ?? .seconds(720)
            let standIn = HostileSeriesStandIn(play, time, currency, lag: lag)
            made = standIn
            return standIn
        }
        guard let made else { throw HostileFailure(what: "no stand-in") }
        standIn = made
    }

    private func money(_ minor: Int64) -> Money { Money(minor, currency) }

    // MARK: What goes before

    /// A schedule that its first payment has made active.
    func prepare() async throws {
        try await house.configure(EcommpayTableWire().secrets)
        let terms = try terms()
        try await command(.create(terms))
        let plain = PaymentTerms(
            mode: .sale,
            method: .hosted,
            amount: money(100),
            reference: "first",
            description: nil,
            customer: "customer",
            instrument: nil,
            expiresAt: house.time.now.adding(.seconds(3600)),
            details: terms.details,
            metadata: [:],
            occurrence: OccurrenceName(schedule: stream.id, ordinal: 0)
        )
        let settings = HostileInstallation.settings(house.provider)
        let enrolled = try house.provider.adapter.recurring?.enrol(plain, in: terms, settings) ?? plain
        let create = PaymentCommand.create(enrolled)
        try await house.command(create.name.rawValue, create.json, on: payment(first))
        guard let name = try await payment(first.uuid).attempt?.reference else { throw HostileFailure(what: "attempt") }
        standIn.change { $0.take(name, 100, currency, at: house.time.now) }
        try await tell(HostileSeriesWords.callback(name, 100, number: 1, type: "sale", at: house.time.now))
        try await house.live(for: .seconds(600))
        guard try await schedule().status == .active else {
            throw HostileFailure(what: "not active; \(standIn.now.trace.joined(separator: "\n"))")
        }
    }

    private func terms() throws -> ScheduleTerms {
        guard let start = CivilDate("2027-01-16"), let end = CivilDate("2027-01-16"),
            let time = TimeOfDay(hour: 10, minute: 0)
        else { throw HostileFailure(what: "calendar") }
        return ScheduleTerms(
            kind: .regular,
            runner: play.scene == .debit ? .paystream : .provider,
            presence: .unattended,
            account: HostileInstallation.account,
            instrument: nil,
            fallback: nil,
            customer: "customer",
            reference: "subscription",
            description: nil,
            amount: money(HostileSeriesStandIn.minor),
            rule: ScheduleRule(
                cadence: .every(1, .month),
                start: start,
                time: time,
                zone: Self.zone,
                end: play.scene == .debit ? RuleEnd(lastDate: end) : RuleEnd()
            ),
            mandate: Mandate(),
            activation: .sale,
            activateBy: house.time.now.adding(.seconds(86_400)),
            policy: FiringPolicy(),
            details: ["payer": ["email": "payer@example.org", "ipAddress": "192.0.2.7"]],
            metadata: [:]
        )
    }

    // MARK: What is asked of it

    /// The message under test is asked for.
    func begin() async throws {
        switch play.scene {
        case .cancel: try await command(.cancel(reason: "moved away"))
        case .update: try await command(.change(ScheduleChange(amount: money(HostileSeriesStandIn.changed))))
        case .debit, .callback: return
        }
    }

    private func command(_ command: ScheduleCommand) async throws {
        try await house.command(command.name.rawValue, command.json, on: stream)
    }

    /// When the day of the first debit is over, with all that a provider declares.
    static let day = Duration.seconds(2 * 86_400)

    /// On its day the provider debits what goes on by its books, and tells it.
    func debit() async throws {
        guard play.scene != .debit else { return }
        if play.truth == .undone, play.scene != .callback {
            standIn.change { state in
                if play.scene == .cancel { state.isActive = true } else { state.minor = HostileSeriesStandIn.minor }
            }
        }
        guard standIn.now.isActive else { return }
        let number = play.scene == .callback && play.truth == .twice ? 2 : 1
        let minor = standIn.now.minor + (play.scene == .callback && play.truth == .otherAmount ? 300 : 0)
        for place in 1...number {
            let name = "\(Self.theirs)\(place)"
            standIn.change { state in
                state.take(name, minor, currency, at: house.time.now)
                state.firstAt = house.time.now
                if state.debits.isEmpty { state.sendings += 1 }
            }
            let told = HostileSeriesWords.callback(name, minor, number: 1, type: "recurring", at: house.time.now)
            guard play.scene == .callback else {
                try await tell(told)
                continue
            }
            switch play.answer {
            case .lost: continue
            case .odd(let odd):
                try await tell(HostileSeriesWords.odd(odd, told))
                if odd == "told-twice" { try await tell(told) }
            case .success, .refusal, .status, .half: try await tell(told)
            }
        }
    }

    private func tell(_ callback: Json) async throws {
        let body = callback.compactBytes
        let input = InputRecord(
            id: .version5(namespace: stream.id, name: "\(house.time.now.microseconds) \(callback.canonicalText)"),
            stream: payment(first),
            kind: .notification,
            name: "ecommpay.notification",
            meta: Json.object(JsonObject([("trust", "verified")])).canonical,
            body: body,
            receivedAt: house.time.now
        )
        _ = try await house.store.admit([input])
        try await house.live(for: .seconds(1))
    }

    /// Gives back what was taken, and lets every question be answered by the truth from now on.
    func rest() async throws {
        standIn.change { state in
            if play.truth == .undone, play.scene == .callback || play.scene == .debit {
                let names = state.debits + state.ledgers.keys.filter { $0.hasPrefix(Self.theirs) }
                for name in names { state.ledgers[name]?.undo(.sale, at: house.time.now) }
            }
            state.isFrank = true
        }
        for id in try payments().keys.sorted() where id != first.uuid {
            // Somebody asks; what is closed for good may refuse it.
            _ = await house.ask(
                PaymentCommand.sync.name.rawValue,
                PaymentCommand.sync.json.canonical,
                on: payment(PaymentId(id))
            )
        }
        try await house.live(for: Self.day)
    }

    // MARK: What became of it

    private func payment(_ id: PaymentId) -> StreamName { StreamName(HostileInstallation.merchant, .payment, id.uuid) }

    private func payment(_ id: Uuid) async throws -> Payment {
        guard let found = try payments()[id] else { throw HostileFailure(what: "no payment") }
        return found
    }

    func payments() throws -> [Uuid: Payment] {
        var payments: [Uuid: Payment] = [:]
        for event in house.store.recorded(from: 0) where event.stream.kind == .payment {
            payments[event.stream.id, default: Payment(id: PaymentId(event.stream.id))]
                .evolve(try PaymentEvent(event))
        }
        return payments
    }

    func schedule() async throws -> Schedule {
        let events = try await house.store.load([(stream, 0)])[0]
        return Schedule.fold(
            ScheduleId(stream.id),
            try events.map { try ScheduleEvent($0) }
        )
    }
}
