import Engine
import EventSourcing
import Kernel
import Payments
import Schedules

/// A house whose schedules charge saved cards at one provider, over the provider's real wire format; a stand-in keeps the
/// provider's own books.
final class SubscriptionWorld: HousePlot {
    /// Customers, each with a saved card and a schedule that charges it day after day.
    static let subscribers = 3
    /// Occurrences of each schedule.
    static let occurrences = 4

    let house: House
    let wire: any HostileWire
    let books = Locked(SubscriptionBooks())

    init(_ plan: WorldPlan, _ wire: any HostileWire, isTracing: Bool) throws {
        self.wire = wire
        house = try House(plan, wire.provider, wire.secrets, isTracing: isTracing)
    }

    // MARK: What goes before

    /// For each subscriber a saved card and an active schedule, and what they will wish.
    func begin(_ engine: Engine) async throws {
        var wishes: [(input: InputRecord, at: Timestamp)] = []
        for number in 0..<Self.subscribers {
            try await house.save(
                card(number),
                token: "0123456789abcdef0123456789abcdef00\(10 + number)",
                customer: "customer-\(number)",
                engine
            )
            let create = ScheduleCommand.create(try terms(number))
            try await house.demand(create.name.rawValue, create.json, on: schedule(number), engine)
            let first = Activation(
                payment: PaymentId(Uuid(high: 1, low: UInt64(number + 1))),
                mode: .verify,
                instrument: card(number),
                series: nil
            )
            let activate = ScheduleCommand.activate(first)
            try await house.demand(activate.name.rawValue, activate.json, on: schedule(number), engine)
            wishes += plannedWishes(number)
        }
        for wish in wishes.sorted(by: { $0.at < $1.at }) { house.wish([wish.input], at: wish.at) }
    }

    private func terms(_ number: Int) throws -> ScheduleTerms {
        guard let start = CivilDate("2027-01-16"), let time = TimeOfDay(hour: Int64(10 + number % 3), minute: 0) else {
            throw HouseFailure(what: "calendar")
        }
        let scene = wire.scenes.first { $0.kind == .sale && $0.method == .instrument }
        return ScheduleTerms(
            kind: .regular,
            runner: .paystream,
            presence: .unattended,
            account: House.account,
            instrument: card(number),
            fallback: nil,
            customer: "customer-\(number)",
            reference: "subscription \(number)",
            description: nil,
            amount: Money(house.number(100...5000), house.currency),
            rule: ScheduleRule(
                cadence: .every(1, .day),
                start: start,
                time: time,
                zone: "Test/East",
                end: RuleEnd(count: Self.occurrences)
            ),
            mandate: Mandate(),
            activation: .verify,
            activateBy: house.time.now.adding(.seconds(86_400)),
            policy: FiringPolicy(),
            details: scene?.details ?? [:],
            metadata: [:]
        )
    }

    private func plannedWishes(_ number: Int) -> [(input: InputRecord, at: Timestamp)] {
        func sometime() -> Timestamp {
            House.start.adding(house.duration(upTo: .seconds(Int64(Self.occurrences + 2) * 86_400)))
        }
        var wishes: [(input: InputRecord, at: Timestamp)] = []
        func add(_ name: String, _ body: Json, _ stream: StreamName, _ at: Timestamp) {
            wishes.append((house.input(name, body, on: stream, key: "\(name)-\(number)"), at))
        }
        func add(_ command: ScheduleCommand, _ at: Timestamp) {
            add(command.name.rawValue, command.json, schedule(number), at)
        }
        let faults = house.plan.faults
        if house.wants(faults.cancellation) { add(.cancel(reason: "moved away"), sometime()) }
        if house.wants(faults.removal) {
            let remove = InstrumentCommand.remove(reason: "lost")
            add(remove.name.rawValue, remove.json, house.card(card(number)), sometime())
        }
        if house.wants(faults.pause) {
            let at = sometime()
            add(.pause(reason: "holidays"), at)
            add(.resume(.skip), at.adding(.seconds(100_000)))
        }
        return wishes
    }

    // MARK: Streams

    func schedule(_ number: Int) -> StreamName {
        StreamName(House.merchant, .schedule, Uuid(high: 0x5CED, low: UInt64(number + 1)))
    }

    private func card(_ number: Int) -> InstrumentId {
        InstrumentId(Uuid(high: 0x1257, low: UInt64(number + 1)))
    }

    func judge() async throws -> Int { try SubscriptionVerdict(self).judge() }
}
