import Crypto
import Engine
import EventSourcing
import Kernel
import Payments
import ProviderKit
import Schedules
import TestKit

extension SubscriptionWorld {
    /// A wish of a backend that is not told the end of yet.
    private struct Wish: Sendable {
        let input: InputRecord
        var at: Timestamp
    }

    /// Plays the world to its end.
    func run() async -> WorldReport {
        do {
            var wishes = try await begin()
            state.withLock { $0.isStormy = true }
            try await live(&wishes)
            state.withLock { $0.isStormy = false }
            await SubscriptionVerdict(self).judge()
        } catch {
            violate("play: \(error)")
        }
        return state.withLock(\.report)
    }

    // MARK: What goes before

    /// An account, and for each subscriber a saved card and an active schedule; answers what they will wish.
    private func begin() async throws -> [Wish] {
        let engine = boot()
        let configuration = AccountConfiguration(
            name: wire.provider.name,
            provider: wire.provider.name,
            mode: .test,
            settings: wire.provider.settings,
            secrets: vault.seal(secrets: wire.secrets, account: Self.account, merchant: Self.merchant),
            currencies: nil
        )
        let account = StreamName(Self.merchant, .account, Self.account)
        try await demand(AccountCommand.Name.configure.rawValue, configuration.json, on: account, engine)
        var wishes: [Wish] = []
        for number in 0..<plan.subscribers {
            let saved = InstrumentCommand.save(try await savedCard(number))
            try await demand(saved.name.rawValue, saved.json, on: cardStream(number), engine)
            let create = ScheduleCommand.create(try terms(number))
            try await demand(create.name.rawValue, create.json, on: schedule(number), engine)
            let first = Activation(
                payment: PaymentId(Uuid(high: 1, low: UInt64(number + 1))),
                mode: .verify,
                instrument: card(number),
                series: nil
            )
            let activate = ScheduleCommand.activate(first)
            try await demand(activate.name.rawValue, activate.json, on: schedule(number), engine)
            wishes += plannedWishes(number)
        }
        return wishes.sorted { $0.at < $1.at }
    }

    private func savedCard(_ number: Int) async throws -> SavedInstrument {
        let sealed = try await vault.seal(
            ["token": .string("0123456789abcdef0123456789abcdef00\(10 + number)")],
            paths: ["token"],
            subject: Self.account,
            merchant: Self.merchant
        )
        let fact = InstrumentFact(
            token: sealed["token"] ?? .null,
            fingerprint: "f-\(number)",
            masked: "431422******0056",
            scheme: "visa",
            expiryYear: 2040,
            expiryMonth: 12
        )
        return SavedInstrument(fact: fact, account: Self.account, customer: "customer-\(number)", payment: nil)
    }

    private func terms(_ number: Int) throws -> ScheduleTerms {
        guard let start = CivilDate("2027-01-16"), let time = TimeOfDay(hour: Int64(10 + number % 3), minute: 0) else {
            throw HostileFailure(what: "calendar")
        }
        let scene = wire.scenes.first { $0.kind == .sale && $0.method == .instrument }
        return ScheduleTerms(
            kind: .regular,
            runner: .paystream,
            presence: .unattended,
            account: Self.account,
            instrument: card(number),
            fallback: nil,
            customer: "customer-\(number)",
            reference: "subscription \(number)",
            description: nil,
            amount: Money(state.withLock { $0.random.number(100...5000) }, currency),
            rule: ScheduleRule(
                cadence: .every(1, .day),
                start: start,
                time: time,
                zone: "Test/East",
                end: RuleEnd(count: plan.occurrences)
            ),
            mandate: Mandate(),
            activation: .verify,
            activateBy: self.time.now.adding(.seconds(86_400)),
            policy: FiringPolicy(),
            details: scene?.details ?? [:],
            metadata: [:]
        )
    }

    private func plannedWishes(_ number: Int) -> [Wish] {
        func sometime() -> Timestamp {
            let span = Duration.seconds(Int64(plan.occurrences + 2) * 86_400)
            return Self.start.adding(state.withLock { $0.random.duration(upTo: span) })
        }
        func wish(_ name: String, _ body: Json, _ stream: StreamName, _ at: Timestamp) -> Wish {
            Wish(input: input(name, body, on: stream, key: "\(name)-\(number)"), at: at)
        }
        func wish(_ command: ScheduleCommand, _ at: Timestamp) -> Wish {
            wish(command.name.rawValue, command.json, schedule(number), at)
        }
        var wishes: [Wish] = []
        let faults = plan.faults
        func wants(_ perMille: Int) -> Bool { state.withLock { $0.random.chance(perMille) } }
        if wants(faults.cancellation) { wishes.append(wish(.cancel(reason: "moved away"), sometime())) }
        if wants(faults.removal) {
            let remove = InstrumentCommand.remove(reason: "lost")
            wishes.append(wish(remove.name.rawValue, remove.json, cardStream(number), sometime()))
        }
        if wants(faults.pause) {
            let at = sometime()
            wishes.append(wish(.pause(reason: "holidays"), at))
            wishes.append(wish(.resume(.skip), at.adding(.seconds(100_000))))
        }
        return wishes
    }

    // MARK: Time

    private func live(_ wishes: inout [Wish]) async throws {
        let end = Self.start.adding(SubscriptionPlan.life)
        var engine = boot()
        for _ in 0..<SubscriptionPlan.moments where state.withLock(\.report.violations.isEmpty) {
            arriveLate()
            for index in wishes.indices where wishes[index].at <= time.now {
                let isTaken = await submit(wishes[index].input, engine)
                // A client that hears nothing uses its key again.
                let again = !isTaken || strikes(plan.faults.retriedKey)
                let wait = Duration.seconds(state.withLock { $0.random.number(1...120) })
                wishes[index].at = again ? time.now.adding(wait) : .distantFuture
            }
            wishes.removeAll { $0.at == .distantFuture }
            let isHeld = await work(engine)
            if state.withLock(\.isDead) {
                time.advance(by: .seconds(state.withLock { $0.random.number(1...90) }))
                engine = boot()
                continue
            }
            if isHeld {
                time.advance(by: .seconds(5))
                continue
            }
            let late = state.withLock { $0.stragglers.map(\.at).min() }
            let due = store.nextDue(after: time.now, grace: Upkeep.grace)
            guard let next = [due, wishes.map(\.at).min(), late].compactMap(\.self).min(), next <= end else { return }
            time.advance(to: next)
        }
        if state.withLock(\.report.violations.isEmpty) { violate("the world never rests") }
    }

    /// Lets the node work until it finds nothing to do at this moment, or dies; answers whether something is due that it holds
    /// back, as where a provider is given a rest.
    private func work(_ engine: Engine) async -> Bool {
        for _ in 0..<Self.turns {
            let due = store.due(at: time.now, grace: Upkeep.grace)
            guard !state.withLock(\.isDead), due.mail || due.effects || due.chores else { return false }
            // A task of its own: a node that dies takes it along.
            let done = await Task { await step(engine, due.mail, due.chores, due.effects) }.value
            if done == nil { time.advance(by: .seconds(1)) }
            if done == 0 { return true }
        }
        violate("the node never rests at \(time.now)")
        return false
    }

    /// Does what is due; answers how much that was, nothing where it failed.
    private func step(_ engine: Engine, _ mail: Bool, _ chores: Bool, _ effects: Bool) async -> Int? {
        var done = 0
        do throws(StoreFailure) {
            if mail { done += try await engine.mail.run() }
            if chores { done += try await engine.upkeep.runOnce() }
            guard effects else { return done }
            for ready in try await engine.sender.prepare() {
                done += 1
                await engine.sender.send(ready)
            }
            return done
        } catch {
            return nil
        }
    }

    /// Steps within one moment.
    private static let turns = 2000

    // MARK: Commands

    private func demand(_ name: String, _ body: Json, on stream: StreamName, _ engine: Engine) async throws {
        time.advance(by: .milliseconds(1))
        guard await submit(input(name, body, on: stream, key: "\(name)-\(stream.id)"), engine) else {
            throw HostileFailure(what: name)
        }
    }

    private func input(_ name: String, _ body: Json, on stream: StreamName, key: String) -> InputRecord {
        let bytes = body.canonical
        var meta =
            InputMeta.command(
                actor: Actor(id: "backend", isOperator: false),
                account: Self.account,
                traceparent: nil,
                correlation: nil
            )
            .members ?? JsonObject([])
        meta["mac"] = .string(Hex.encode(Digest.sha256(bytes)))
        return InputRecord(
            id: CommandIntake.inputId(Self.merchant, key: key),
            stream: stream,
            kind: .command,
            name: name,
            meta: Json.object(meta).canonical,
            body: bytes,
            receivedAt: time.now
        )
    }

    /// Whether the command was taken or refused: whatever else became of it is not known.
    private func submit(_ input: InputRecord, _ engine: Engine) async -> Bool {
        let result = await Task { await engine.commands.take(input, mac: Digest.sha256(input.body)) }.value
        trace("\(input.name) of \(input.stream.id): \(result)")
        switch result {
        case .accepted, .rejected, .pending: return true
        case .keyConflict:
            violate("a repeated key conflicts: \(input.name)")
            return true
        case .unavailable: return false
        }
    }
}
