import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Portmone
import ProviderKit
import Sandbox

/// A house whose backend pays users' bills in bulk by the sandbox's Portmone, unattended; batches name each other's bills.
final class BillWorld: HousePlot {
    static let batches = 3
    private static let user = "Login"
    private static let card = InstrumentId(Uuid(high: 0x1257, low: 1))
    /// From the answer that left something open to the persons who look into it; what was slow has arrived by then.
    private static let patience = Duration.seconds(7200)
    private static let pause = Duration.seconds(1800)
    /// When the last batch comes.
    private static let longest = Duration.seconds(40_000)

    let house: House
    let portmone: PlayedPortmone
    private let credentials = Locked(1)
    /// Bills by their ids with their sums, as the user has them.
    private let known: [(id: String, minor: Int64)]
    private let acts = Locked(0)
    /// Payers' steps that were taken.
    private let answered = Locked<Set<String>>([])

    init(_ plan: WorldPlan, isTracing: Bool) throws {
        let bills = Json.compact([
            ("callsInFlight", .integer(Int64(1 + plan.seed % 3))),
            ("credentialCodesProveUnpaid", .bool(plan.seed % 2 == 0)), ("perCall", .integer(Int64(2 + plan.seed % 4))),
            ("priced", .bool(plan.seed % 5 < 2)), ("spacingMs", 500),
        ])
        let provider = SimulatedProvider(
            adapter: PortmoneAdapter(),
            settings: PlayedPortmone.settings([("bills", bills), ("bulkMode", "serverToken")]),
            currency: "UAH"
        )
        let house = try House(plan, provider, PlayedPortmone.secrets, isTracing: isTracing)
        self.house = house
        portmone = PlayedPortmone(house)
        known = (1...20).map { number in
            // A bill does what its name says; most are paid.
            let word = house.wants(600) ? "water" : house.pick(PortmoneBillWord.allCases).rawValue
            // One hryvnia less is a sum, too.
            return ("\(word)-\(number)", house.number(200...90_000))
        }
    }

    func receive(_ request: OutgoingRequest) -> HttpResponse { portmone.receive(request) }

    func batch(_ number: Int) -> StreamName {
        StreamName(House.merchant, .billBatch, Uuid(high: 0xBA7C, low: UInt64(number + 1)))
    }

    private func credentials(_ number: Int) -> InstrumentId {
        InstrumentId(Uuid(high: 0xC4ED, low: UInt64(number)))
    }

    // MARK: What is asked for

    func begin(_ engine: Engine) async throws {
        try await house.save(Self.card, token: "3138F0", customer: "customer", engine)
        let command = try await savedCredentials(1)
        try await house.demand(command.name.rawValue, command.json, on: house.card(credentials(1)), engine)
        for number in 0..<Self.batches {
            let at = House.start.adding(house.duration(upTo: house.wants(500) ? .seconds(60) : Self.longest))
            house.plan(at: at) { [self] _ in
                upload(number)
                return nil
            }
        }
        if house.wants(house.plan.faults.removal) {
            house.plan(at: House.start.adding(house.duration(upTo: .seconds(3000)))) { [self] _ in
                _ = portmone.ask("/portmone/sandbox/users", ["login": .string(Self.user), "password": "another"])
                return nil
            }
        }
        house.plan(at: House.start.adding(Self.pause)) { [self] engine in
            let isOver = await lookAfter(engine) && house.time.now > House.start.adding(Self.longest)
            return isOver ? nil : house.time.now.adding(Self.pause)
        }
    }

    private func upload(_ number: Int) {
        do { house.wish(try inputs(number), at: house.time.now) } catch { house.violate("batch \(number): \(error)") }
    }

    private func savedCredentials(_ number: Int) async throws -> InstrumentCommand {
        try await house.saving(
            credentials(number),
            token: portmone.users[Self.user]?.credentials ?? "",
            masked: "Lo***",
            scheme: InstrumentFact.credentialsScheme,
            login: Self.user,
            "customer"
        )
    }

    /// A batch in its pages; it may name bills of other batches, and one of its own twice.
    private func inputs(_ number: Int) throws -> [InputRecord] {
        let facts = AccountFacts(
            id: House.account,
            name: house.provider.name,
            provider: house.provider.name,
            mode: .test,
            version: 1
        )
        let settings = AccountSettings(
            account: facts,
            values: house.provider.settings,
            notificationUrl: "",
            returnUrl: ""
        )
        guard let terms = try house.provider.adapter.bills?.terms(settings) else { throw HouseFailure(what: "bills") }
        let head = BillBatchHead(
            account: House.account,
            mode: terms.mode,
            currency: terms.currency,
            instrument: Self.card,
            credentials: credentials(credentials.withLock { $0 }),
            customer: "customer",
            reference: "batch \(number)",
            isPriced: terms.isPriced,
            isByWallet: false,
            limits: terms.limits
        )
        let stream = batch(number)
        var inputs = [command(.create(head), on: stream, "create")]
        for page in 1...Int(house.number(1...2)) {
            // A page names no bill twice.
            var bills = (0..<house.number(2...6)).map { _ in house.pick(known) }.sorted { $0.id < $1.id }
            bills = zip(bills, [nil] + bills.map(Optional.some)).filter { $0.0.id != $0.1?.id }.map(\.0)
            let lines = bills.map(line).joined(separator: "\n")
            inputs.append(
                house.input(
                    BillBatchCommand.Name.addPage.rawValue,
                    Array((lines + "\n").utf8),
                    ["page": .integer(Int64(page))],
                    on: stream,
                    key: "\(stream.id)-page-\(page)"
                )
            )
        }
        return inputs + [command(.submit(count: nil, total: nil), on: stream, "submit")]
    }

    private func line(_ bill: (id: String, minor: Int64)) -> String {
        let json: Json = ["amount": Money(bill.minor, house.currency).json, "id": .string(bill.id)]
        return json.canonicalText
    }

    private func command(_ command: BillBatchCommand, on stream: StreamName, _ key: String) -> InputRecord {
        house.input(command.name.rawValue, command.json, on: stream, key: "\(stream.id)-\(key)")
    }

    // MARK: Who looks after it

    /// The backend goes on with what rests, payers act, and two persons resolve what nobody knows by the provider's books.
    ///
    /// Answers whether nothing is left to look after.
    private func lookAfter(_ engine: Engine) async -> Bool {
        do {
            var isOver = true
            for number in 0..<Self.batches {
                try await lookAfter(number, engine)
                let batch = try read(number)
                if batch.head != nil, batch.phase != .ended || !batch.live.isEmpty { isOver = false }
            }
            return try await resolve(engine) && isOver
        } catch {
            house.violate("looking after bills: \(error)")
            return true
        }
    }

    private func lookAfter(_ number: Int, _ engine: Engine) async throws {
        let batch = try read(number)
        if let (chunk, bill) = batch.waiting, house.wants(500), answered.withLock({ $0.insert(bill).inserted }) {
            let action: Json = house.wants(700) ? "pass" : "fail"
            guard let told = portmone.ask("/portmone/sandbox/bills", ["bill": .string(bill), "action": action]),
                let bills = told["bills"]
            else { return }
            let stream = StreamName(House.merchant, .chunk, chunk)
            let claim = ChunkCommand.Name.claim.rawValue
            house.wish([house.input(claim, ["bills": bills], on: stream, key: "claim-\(bill)")], at: house.time.now)
        }
        guard batch.phase == .paused else { return }
        var given: InstrumentId?
        if batch.trouble == .credentialsStale {
            let newest = credentials.withLock { number in
                number += 1
                return number
            }
            let command = try await savedCredentials(newest)
            let stream = house.card(credentials(newest))
            let saved = house.input(command.name.rawValue, command.json, on: stream, key: "\(stream.id)")
            guard await house.submit(saved, engine) else { return }
            given = credentials(newest)
        }
        await house.submit(self.command(.resume(credentials: given), on: self.batch(number), key()), engine)
    }

    private func key() -> String {
        acts.withLock { acts in
            acts += 1
            return "act-\(acts)"
        }
    }

    func read(_ number: Int) throws -> BillBatch {
        let stream = batch(number)
        return BillBatch.fold(
            BillBatchId(stream.id),
            try house.events(of: stream).map { try BillBatchEvent($0) }
        )
    }

    /// Every bill of the log, with when it was last reported.
    func bills() throws -> [(stream: StreamName, bill: Bill, reported: Timestamp?)] {
        var found: [StreamName: (bill: Bill, reported: Timestamp?)] = [:]
        for event in house.log where event.stream.kind == .bill {
            let read = try BillEvent(event)
            found[event.stream, default: (Bill(), nil)].bill.evolve(read)
            if case .reported(_, _, _, let at) = read { found[event.stream]?.reported = at }
        }
        return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value.bill, $0.value.reported) }
    }

    private func resolve(_ engine: Engine) async throws -> Bool {
        var isOver = true
        for (stream, bill, reported) in try bills() where bill.standing?.outcome.isKnown != true {
            isOver = false
            guard let reported, reported.adding(Self.patience) < house.time.now, let line = bill.reservation?.line
            else {
                continue
            }
            house.state.withLock { $0.report.operatorActs += 1 }
            let paid = paid(line.id)
            let verdict: BillOutcome = paid == nil ? .cancelled : .paid
            // A payer may have acted since the first person looked.
            let open = bill.proposals.values.filter {
                !bill.approved.contains($0.id) && $0.seenVersion >= bill.evidenceVersion && $0.outcome == verdict
            }
            if let proposal = open.min(by: { $0.id < $1.id }) {
                await decide(.approve(proposal.id, seen: bill.version), on: stream, by: "bob", engine)
            } else {
                let books = "the provider's books"
                await decide(
                    .propose(verdict, paid: paid, evidence: books, seen: bill.version),
                    on: stream,
                    by: "ann",
                    engine
                )
            }
        }
        return isOver
    }

    private func decide(_ command: BillCommand, on stream: StreamName, by person: String, _ engine: Engine) async {
        await house.submit(
            house.input(command.name.rawValue, command.json, on: stream, key: key(), by: person),
            engine
        )
    }

    /// The amount that the provider took for a bill.
    func paid(_ id: String) -> Money? { portmone.ledger.first { $0.operation == id }?.amount }

    func judge() throws -> Int { try BillVerdict(self).judge() }
}
