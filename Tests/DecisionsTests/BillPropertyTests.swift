import Crypto
import Decisions
import EventSourcing
import Kernel
import Payments
import Portmone
import ProviderKit
import TestKit
import Testing

/// Batches of bills over the real deciders, with a provider that answers as it likes and a queue that repeats itself.
struct BillPropertyTests {
    @Test(arguments: (1...40).map { UInt64($0) })
    func `no bill is asked for again that may have been paid, whatever is lost, repeated or late`(seed: UInt64) throws {
        var world = BillWorld(seed: seed)
        try world.begin(batch: 1, ids: (1...9).map { "b-\($0)" })
        try world.begin(batch: 2, ids: ["b-3", "c-1", "b-7", "c-2", "b-8"])
        try world.run()
        #expect(world.breaches.isEmpty, "\(world.breaches)")
        for number: UInt64 in [1, 2] {
            let batch = try world.batch(number)
            // Nothing hangs: every bill has an outcome, or the batch says why it rests.
            #expect(batch.phase == .ended || batch.phase == .paused || batch.waiting != nil, "\(batch.status)")
            #expect(batch.live.count <= 2)
        }
        // What was proved to be paid is what the provider took.
        for (bill, standing) in try world.standings() where standing.outcome == .paid {
            #expect(world.taken[bill] != nil)
        }
    }
}

extension BillPropertyTests {
    @Test(arguments: (1...60).map { UInt64($0) })
    func `after a restore no bill is asked for again until somebody has looked`(seed: UInt64) throws {
        var world = BillWorld(seed: seed)
        try world.begin(batch: 1, ids: (1...9).map { "b-\($0)" })
        try world.begin(batch: 2, ids: ["b-3", "c-1", "b-7", "c-2", "b-8"])
        try world.run(steps: Int(seed) * 2)
        let backup = world.backup()
        try world.run(steps: 5000)
        try world.restore(backup)
        try world.begin(batch: 1, ids: (1...9).map { "b-\($0)" })
        try world.begin(batch: 2, ids: ["b-3", "c-1", "b-7", "c-2", "b-8"])
        try world.run()
        #expect(world.breaches.isEmpty, "\(world.breaches)")
        for number: UInt64 in [1, 2] {
            let batch = try world.batch(number)
            #expect(batch.phase == .ended || batch.phase == .paused || batch.waiting != nil, "\(batch.status)")
        }
    }
}

/// Streams, a queue and a provider in memory; randomness decides what happens next.
private struct BillWorld {
    private var random: SplitMix64
    private var streamCache: [StreamName: [RecordedEvent]] = [:]
    private var queue: [InputRecord] = []
    private var decided: Set<Uuid> = []
    private var bodies: [Uuid: [UInt8]] = [:]
    /// Messages that may be sent: effect, ordinal, stream, bills.
    private var ready: [(effect: EffectId, ordinal: Int32, stream: StreamName, bills: [(String, String)])] = []
    private var templates: [EffectId: [(String, String)]] = [:]
    /// Answers that come later than their place.
    private var late: [InputRecord] = []
    /// Money that the provider took, by bill.
    private(set) var taken: [String: String] = [:]
    /// Bills whose fate the provider has told nobody.
    private var hidden: Set<String> = []
    private(set) var breaches: [String] = []
    private let deciders = Deciders(adapters: AdapterRegistry([PortmoneAdapter()]))
    private var steps = 0
    private var epoch: RecoveryEpoch?

    private static let merchant = MerchantNumber(1)
    private static let accountId = Uuid(high: 0xACC, low: 1)
    private static let card = InstrumentId(Uuid(high: 0xCA, low: 1))
    private static let credentials = InstrumentId(Uuid(high: 0xC4, low: 1))

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    private var account: ConfiguredAccount {
        ConfiguredAccount(
            merchant: Self.merchant,
            facts: AccountFacts(id: Self.accountId, name: "p", provider: "portmone", mode: .test, version: 1),
            values: [
                "payeeId": "1", "login": "l", "bulkMode": "serverToken",
                "bills": ["perCall": 2, "callsInFlight": 2, "spacingMs": 0],
            ],
            sealedSecrets: [:]
        )
    }

    private func instrument(_ id: InstrumentId, _ scheme: String) -> Instrument {
        let saved = SavedInstrument(
            fact: InstrumentFact(
                token: .string(scheme),
                fingerprint: scheme,
                masked: nil,
                scheme: scheme,
                expiryYear: nil,
                expiryMonth: nil
            ),
            account: Self.accountId,
            customer: nil,
            payment: nil
        )
        return Instrument.fold(id, [.saved(saved, at: .epoch)])
    }

    private func stream(_ number: UInt64) -> StreamName {
        StreamName(Self.merchant, .billBatch, Uuid(high: 0xBA, low: number))
    }

    func batch(_ number: UInt64) throws -> BillBatch {
        let stream = stream(number)
        let events = try (streamCache[stream] ?? []).map { try BillBatchEvent($0) }
        return BillBatch.fold(BillBatchId(stream.id), events)
    }

    /// Where each bill stands by the chunk that had it last.
    func standings() throws -> [(String, BillStanding)] {
        var all: [(String, BillStanding)] = []
        for (stream, history) in streamCache where stream.kind == .bill {
            let bill = Bill().after(try history.map { try BillEvent($0) })
            if let standing = bill.standing, let id = bill.reservation?.line.id { all.append((id, standing)) }
        }
        return all
    }

    // MARK: Inputs

    private func command(_ stream: StreamName, _ name: String, _ body: [UInt8], page: Int? = nil) -> InputRecord {
        let meta = Json.compact([
            ("actor", ["id": "shop", "operator": false]), ("page", page.map { .integer(Int64($0)) }),
        ])
        return InputRecord(
            id: .version5(namespace: stream.id, name: "\(name):\(page ?? 0)"),
            stream: stream,
            kind: .command,
            name: name,
            meta: meta.canonical,
            body: body,
            receivedAt: .epoch
        )
    }

    mutating func begin(batch number: UInt64, ids: [String]) throws {
        guard let hryvnia = Currency("UAH") else { return }
        let stream = stream(number)
        let head = BillBatchHead(
            account: Self.accountId,
            mode: .serverToken,
            currency: hryvnia,
            instrument: Self.card,
            credentials: Self.credentials,
            customer: nil,
            reference: nil,
            isPriced: false,
            isByWallet: false,
            limits: BillLimits(billsPerChunk: 2, chunksInFlight: 2, spacing: .zero)
        )
        let lines = ids.map { "{\"id\":\"\($0)\",\"amount\":{\"value\":1000,\"currency\":\"UAH\"}}\n" }.joined()
        queue.append(command(stream, BillBatchCommand.Name.create.rawValue, head.json.canonical))
        queue.append(command(stream, BillBatchCommand.Name.addPage.rawValue, Array(lines.utf8), page: 1))
        queue.append(command(stream, BillBatchCommand.Name.submit.rawValue, Json.object(JsonObject([])).canonical))
    }

    mutating func run() throws {
        if try !run(steps: 5000) { breaches.append("it never ends") }
    }

    /// Answers whether nothing is left to do.
    @discardableResult
    mutating func run(steps most: Int) throws -> Bool {
        let last = steps + most
        while steps < last {
            steps += 1
            if !queue.isEmpty, ready.isEmpty || chance(70) {
                try take()
            } else if !ready.isEmpty {
                send()
            } else if !late.isEmpty {
                queue.append(late.removeFirst())
            } else {
                return true
            }
        }
        return false
    }

    /// Everything as it stands, to go back to.
    func backup() -> BillWorld { self }

    /// Goes back; what the provider did stays, what might have left counts as sent, and bills are remembered by nobody else.
    mutating func restore(_ backup: BillWorld) throws {
        let now = self
        self = backup
        (random, steps, taken, breaches) = (now.random, now.steps, now.taken, now.breaches)
        hidden = now.hidden
        epoch = RecoveryEpoch(number: 1, begunAt: Timestamp(seconds: Int64(steps)))
        let doubted = ready
        ready = []
        for message in doubted { answer(message, .noAnswer, reason: "sender vanished") }
    }

    private mutating func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }

    /// Decides the first input of a random stream, and now and then one that was decided before.
    private mutating func take() throws {
        let streams = Array(Set(queue.map(\.stream))).sorted()
        let stream = streams[Int(random.next() % UInt64(streams.count))]
        guard let place = queue.firstIndex(where: { $0.stream == stream }) else { return }
        let input = queue.remove(at: place)
        if chance(5) { queue.append(input) }
        // The store takes an input once.
        guard decided.insert(input.id).inserted else { return }
        bodies[input.id] = input.body
        let history = streamCache[stream] ?? []
        let decision = try deciders.decide(History(history), input, context(stream, history))
        guard case .events = decision.outcome else {
            breaches.append("\(input.name) was refused: \(decision.outcome)")
            return
        }
        for draft in decision.events { record(draft, input) }
        queue += decision.forwards
        for effect in decision.effects { license(effect, stream) }
    }

    private mutating func record(_ draft: EventDraft, _ input: InputRecord) {
        let history = streamCache[input.stream] ?? []
        streamCache[input.stream] =
            history + [
                RecordedEvent(
                    stream: input.stream,
                    version: Int32(history.count) + 1,
                    position: Int64(steps),
                    type: draft.type,
                    cause: input.id,
                    recordedAt: .epoch,
                    data: draft.data
                )
            ]
    }

    private func context(_ stream: StreamName, _ history: [RecordedEvent]) -> DecisionContext {
        var context = DecisionContext(
            now: Timestamp(seconds: Int64(steps)),
            publicUrl: "",
            account: account,
            instrument: instrument(Self.card, "visa")
        )
        context.credentials = instrument(Self.credentials, InstrumentFact.credentialsScheme)
        context.epoch = epoch
        guard stream.kind == .billBatch else { return context }
        for event in history {
            if case .pageTaken(let page)? = try? BillBatchEvent(event) {
                context.pages[page.number] = StoredPage(input: page.input, bytes: bodies[page.input] ?? [])
            }
        }
        return context
    }

    // MARK: The provider

    private mutating func license(_ change: EffectChange, _ stream: StreamName) {
        switch change {
        case .create(let effect):
            let id = EffectId(effect.id)
            let bills = (try? Json(effect.template))?.at("content", "body", "params", "data", "bills")?.items ?? []
            templates[id] = bills.map { ($0["id"]?.text ?? "", $0["billAmount"]?.text ?? "") }
            ready.append((id, 1, stream, templates[id] ?? []))
        case .resend(let uuid, let ordinal, _, _):
            let id = EffectId(uuid)
            ready.append((id, ordinal, stream, templates[id] ?? []))
        case .remove, .revoke: break
        }
    }

    private mutating func send() {
        let message = ready.remove(at: Int(random.next() % UInt64(ready.count)))
        if chance(15) { return answer(message, .notSent, reason: "unreachable: deadline") }
        var rows: [Json] = []
        for (id, amount) in message.bills {
            if taken[id] != nil || hidden.contains(id) { breaches.append("\(id) was asked for again") }
            switch random.next() % 8 {
            case 0: rows.append(row(id, amount, "REJECTED", "0"))
            case 1:
                taken[id] = amount
                hidden.insert(id)
            case 2:
                hidden.insert(id)
                rows.append(row(id, amount, "", "0"))
            default:
                taken[id] = amount
                rows.append(row(id, amount, "PAYED", amount))
            }
        }
        if chance(10) {
            hidden.formUnion(message.bills.map(\.0))
            return answer(message, .noAnswer, reason: "sender vanished")
        }
        if chance(30) { rows.reverse() }
        answer(message, .answered, body: Json.object(JsonObject([("result", .array(rows))])).compactBytes)
    }

    private func row(_ id: String, _ amount: String, _ status: String, _ paid: String) -> Json {
        ["billId": .string(id), "status": .string(status), "billAmount": .string(amount), "paidAmount": .string(paid)]
    }

    private mutating func answer(
        _ message: (effect: EffectId, ordinal: Int32, stream: StreamName, bills: [(String, String)]),
        _ name: AnswerName,
        reason: String = "",
        body: [UInt8] = []
    ) {
        let meta: Json = [
            "effect": message.effect.json, "ordinal": .integer(Int64(message.ordinal)), "reason": .string(reason),
            "status": 200,
        ]
        let input = InputRecord(
            id: .version5(namespace: message.effect.uuid, name: "\(message.ordinal):\(name.rawValue)"),
            stream: message.stream,
            kind: .answer,
            name: name.rawValue,
            meta: meta.canonical,
            body: body,
            receivedAt: .epoch
        )
        if name == .answered, chance(10) {
            // The sender vanishes first, and what it heard comes when everything else is over.
            answer(message, .noAnswer, reason: "sender vanished")
            late.append(input)
        } else {
            queue.append(input)
        }
    }
}
