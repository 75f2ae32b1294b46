import Crypto
import Decisions
import Engine
import EventSourcing
import Kernel
import Payments

/// People around the house, and chance.
extension House {
    // MARK: Chance

    func wants(_ perMille: Int) -> Bool { state.withLock { $0.random.chance(perMille) } }

    func number(_ range: ClosedRange<Int64>) -> Int64 { state.withLock { $0.random.number(range) } }

    func duration(upTo longest: Duration) -> Duration { state.withLock { $0.random.duration(upTo: longest) } }

    func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(number(0...Int64(elements.count - 1)))]
    }

    /// Whether a fault strikes; none does before the storm and behind it.
    func strikes(_ perMille: Int) -> Bool {
        state.withLock { state in
            guard state.isStormy, perMille > 0, state.random.chance(perMille) else { return false }
            state.report.faults += 1
            return true
        }
    }

    func trace(_ line: @autoclosure () -> String) {
        guard isTracing else { return }
        let text = "\(time.now) \(line())"
        state.withLock { $0.report.trace.append(text) }
    }

    func violate(_ what: String) {
        trace("VIOLATION \(what)")
        state.withLock { if $0.report.violations.count < 20 { $0.report.violations.append(what) } }
    }

    // MARK: Planned acts

    /// Plans what happens at a time.
    func plan(at time: Timestamp, _ act: @escaping @Sendable (Engine) async -> Timestamp?) {
        state.withLock { state in
            state.planned += 1
            state.plannedActs.append(PlannedAct(number: state.planned, at: time, act: act))
        }
    }

    /// Plans what a backend asks for, one command after the other; it uses a key again where it hears nothing.
    func wish(_ inputs: [InputRecord], at time: Timestamp) {
        let left = Locked(inputs)
        plan(at: time) { [self] engine in
            guard let input = left.withLock(\.first) else { return nil }
            let isTaken = await submit(input, engine)
            let again = !isTaken || strikes(plan.faults.retriedKey)
            let wait = Duration.seconds(number(1...120))
            let isOver = left.withLock { left in
                if !again { left.removeFirst() }
                return left.isEmpty
            }
            return isOver ? nil : self.time.now.adding(wait)
        }
    }

    /// Everything whose time came, in the order in which it was planned; what is planned meanwhile has its turn behind it.
    func runPlannedActs(_ engine: Engine) async {
        for number in state.withLock({ $0.plannedActs.map(\.number) }) {
            let found = state.withLock { state in state.plannedActs.first { $0.number == number } }
            guard let due = found, due.at <= time.now else { continue }
            let next = await due.act(engine)
            state.withLock { state in
                guard let index = state.plannedActs.firstIndex(where: { $0.number == number }) else { return }
                if let next { state.plannedActs[index].at = next } else { state.plannedActs.remove(at: index) }
            }
        }
    }

    // MARK: Commands

    /// Asks for what the world can't begin without.
    func demand(_ name: String, _ body: Json, on stream: StreamName, _ engine: Engine) async throws {
        time.advance(by: .milliseconds(1))
        guard await submit(input(name, body, on: stream, key: "\(name)-\(stream.id)"), engine) else {
            throw HouseFailure(what: name)
        }
    }

    func input(_ name: String, _ body: Json, on stream: StreamName, key: String, by person: String? = nil)
        -> InputRecord
    {
        input(name, body.canonical, [:], on: stream, key: key, by: person)
    }

    func input(
        _ name: String,
        _ bytes: [UInt8],
        _ members: [String: Json],
        on stream: StreamName,
        key: String,
        by person: String? = nil
    ) -> InputRecord {
        let plain = InputMeta.command(
            actor: Actor(id: person ?? "backend", isOperator: person != nil),
            account: Self.account,
            traceparent: nil,
            correlation: nil
        )
        var meta = (try? Json(plain))?.members ?? JsonObject([])
        meta["mac"] = .string(Hex.encode(Digest.sha256(bytes)))
        for (name, value) in members.sorted(by: { $0.key < $1.key }) { meta[name] = value }
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
    @discardableResult
    func submit(_ input: InputRecord, _ engine: Engine) async -> Bool {
        let result = await Task { await engine.commands.take(input, macs: [Digest.sha256(input.body)]) }.value
        trace("\(input.name) of \(input.stream.id): \(result)")
        switch result {
        case .accepted, .rejected, .pending: return true
        case .keyConflict:
            violate("a repeated key conflicts: \(input.name)")
            return true
        case .idTaken:
            violate("an id was given twice: \(input.name)")
            return true
        case .unavailable: return false
        }
    }

    // MARK: Saved cards

    /// Saves a credential, as the answer of a provider or a backend would bring it.
    func save(
        _ id: InstrumentId,
        token: String,
        masked: String = "431422******0056",
        scheme: String = "visa",
        login: String? = nil,
        customer: String,
        _ engine: Engine
    ) async throws {
        let command = try await saving(id, token: token, masked: masked, scheme: scheme, login: login, customer)
        try await demand(command.name.rawValue, command.json, on: card(id), engine)
    }

    func saving(
        _ id: InstrumentId,
        token: String,
        masked: String,
        scheme: String,
        login: String?,
        _ customer: String
    ) async throws -> InstrumentCommand {
        let document = Json.compact([("login", login.map(Json.string)), ("token", .string(token))])
        let sealed = try await vault.seal(
            document,
            paths: ["login", "token"],
            subject: Self.account,
            merchant: Self.merchant
        )
        let fact = InstrumentFact(
            token: sealed["token"] ?? .null,
            fingerprint: "f-\(id)",
            masked: masked,
            scheme: scheme,
            expiryYear: login == nil ? 2040 : nil,
            expiryMonth: login == nil ? 12 : nil,
            login: sealed["login"]
        )
        return .save(SavedInstrument(fact: fact, account: Self.account, customer: customer, payment: nil))
    }

    func card(_ id: InstrumentId) -> StreamName { StreamName(Self.merchant, .instrument, id.uuid) }
}
