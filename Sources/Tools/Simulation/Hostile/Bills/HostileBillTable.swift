import Engine
import EventSourcing
import Kernel
import Payments
import Portmone
import ProviderKit
import TestKit

/// Every case of bills that are paid in bulk, and how each is played and judged.
package struct HostileBillTable: HostileSheet {
    package init() {}

    package let name = HostileBillScene.table
    package let provider = PortmoneAdapter().declaration.id
    package var cases: [HostileBillCase] { HostileBillCase.all.filter { !$0.isLie } }

    package func play(_ one: HostileBillCase) async -> HostileSeen {
        var seen = HostileSeen()
        do {
            let stage = try HostileBillStage(one)
            try await stage.prepare()
            try await stage.upload(0)
            try await stage.lookAfter(0)
            try await stage.act()
            try await stage.lookAfter(0)
            // The backend names the same bills once more, whatever it was told.
            try await stage.upload(1)
            try await stage.lookAfter(1)
            try await stage.lookAfter(0)
            try await HostileBillVerdict(one, stage).judge(&seen)
            seen.trace = stage.standIn.now.trace
        } catch {
            seen.breaches.append("play: \(error)")
        }
        return seen
    }
}

/// One installation around a backend that pays the same bills in two batches.
struct HostileBillStage {
    static let batches = 2
    private static let card = InstrumentId(Uuid(high: 0x1257, low: 1))
    private static let rest = Duration.seconds(3 * 3600)
    /// So often the backend looks, and lets go on what rests, but for the last time.
    private static let goesOn = 4

    private let play: HostileBillCase
    let house: HostileInstallation
    let standIn: HostileBillStandIn
    let currency: Currency

    init(_ play: HostileBillCase) throws {
        guard let currency = Currency("UAH") else { throw HostileFailure(what: "currency") }
        self.currency = currency
        self.play = play
        let scene = play.scene
        let bills: Json = [
            "callsInFlight": 1, "credentialCodesProveUnpaid": .bool(scene.isProving),
            "perCall": .integer(Int64(scene.perCall)), "priced": .bool(scene == .priced), "spacingMs": 500,
        ]
        let provider = SimulatedProvider(
            adapter: PortmoneAdapter(),
            settings: [
                "bills": bills, "bulkMode": scene == .app ? "sdk" : "serverToken", "login": "shop", "payeeId": "1185",
            ],
            currency: "UAH"
        )
        var made: HostileBillStandIn?
        house = try HostileInstallation(provider) { time, _ in
            let standIn = HostileBillStandIn(play, time)
            made = standIn
            return standIn
        }
        guard let made else { throw HostileFailure(what: "no stand-in") }
        standIn = made
    }

    // MARK: What is asked for

    func prepare() async throws {
        try await house.configure(PortmoneTableWire(.sellerToken).secrets)
        try await house.save(Self.card, ["token": "3138F0"], scheme: "visa")
        try await renew(1)
    }

    private func credentials(_ number: Int) -> InstrumentId { InstrumentId(Uuid(high: 0xC4ED, low: UInt64(number))) }

    private func renew(_ number: Int) async throws {
        let document: Json = ["login": "Login", "token": .string("c\(number)")]
        try await house.save(credentials(number), document, scheme: InstrumentFact.credentialsScheme)
    }

    private func stream(_ number: Int) -> StreamName {
        StreamName(HostileInstallation.merchant, .billBatch, Uuid(high: 0xBA7C, low: UInt64(number + 1)))
    }

    var bills: [(id: String, minor: Int64)] { (1...play.scene.bills).map { ("bill-\($0)", Int64(1000 * $0)) } }

    func upload(_ number: Int) async throws {
        guard let adapter = house.provider.adapter.bills else { throw HostileFailure(what: "bills") }
        let terms = try adapter.terms(HostileInstallation.settings(house.provider))
        var given = credentials(1)
        if number > 0, let newest = try await batch(0).credentials { given = newest }
        let head = BillBatchHead(
            account: HostileInstallation.account,
            mode: terms.mode,
            currency: terms.currency,
            instrument: Self.card,
            credentials: given,
            customer: "customer",
            reference: "batch \(number)",
            isPriced: terms.isPriced,
            isByWallet: false,
            limits: terms.limits
        )
        let stream = stream(number)
        let create = BillBatchCommand.create(head)
        let created = await house.ask(create.name.rawValue, create.json.canonical, on: stream)
        // Stale credentials are refused: the backend has been told to ask the user.
        if number > 0, case .decided(_, .rejected) = created { return }
        let lines = bills.map { bill -> String in
            let line: Json = ["amount": Money(bill.minor, currency).json, "id": .string(bill.id)]
            return line.canonicalText + "\n"
        }
        try await house.command(
            BillBatchCommand.Name.addPage.rawValue,
            Array(lines.joined().utf8),
            ["page": 1],
            on: stream
        )
        let submit = BillBatchCommand.submit(count: nil, total: nil)
        try await house.command(submit.name.rawValue, submit.json, on: stream)
    }

    /// Lets time pass, and goes on with what rests.
    func lookAfter(_ number: Int) async throws {
        for turn in 0..<Self.goesOn {
            try await house.live(for: Self.rest)
            let batch = try await batch(number)
            guard batch.phase == .paused, turn + 1 < Self.goesOn else { return }
            var given: InstrumentId?
            if batch.trouble == .credentialsStale {
                let next = 10 * (number + 1) + turn
                try await renew(next)
                given = credentials(next)
            }
            let resume = BillBatchCommand.resume(credentials: given)
            try await house.command(resume.name.rawValue, resume.json, on: stream(number))
        }
    }

    /// Whoever pays beside us acts, and the app says what it says.
    func act() async throws {
        guard play.scene == .step || play.scene == .app else { return }
        let asked = play.scene == .app ? bills : Array(bills.dropFirst().prefix(1))
        standIn.change { $0.carryOut(play.truth, asked) }
        guard let chunk = try await batch(0).live.keys.min(), let rows = claimed(asked) else { return }
        let stream = StreamName(HostileInstallation.merchant, .chunk, chunk)
        let body: Json = ["bills": .array(rows)]
        try await house.command(ChunkCommand.Name.claim.rawValue, body, on: stream)
    }

    /// The app's word about these bills; `nil` where it says nothing.
    private func claimed(_ asked: [(id: String, minor: Int64)]) -> [Json]? {
        let rows = asked.flatMap { bill -> [Json] in
            let entries = standIn.now.ledger.filter { $0.id == bill.id }
            guard !entries.isEmpty else { return [HostileBillWords.row(bill.id, bill.minor, "REJECTED", nil)] }
            return entries.map { HostileBillWords.row(bill.id, bill.minor, $0.isBack ? "RETURN" : "PAYED", $0) }
        }
        switch play.look {
        case .truth: return rows
        case .lag: return asked.map { ["billId": .string($0.id), "status": "CREATED"] }
        case .absent: return []
        case .garbled: return rows.map { $0.changing("amount") { _ in "1,00x" } }
        case .unheard: return rows.map { $0.changing("status") { _ in "unheard of" } }
        case .error, .bare, .forgotten: return nil
        case .refused: return asked.map { HostileBillWords.row($0.id, $0.minor, "REJECTED", nil) }
        }
    }

    // MARK: What became of it

    func batch(_ number: Int) async throws -> BillBatch {
        let stream = stream(number)
        let events = try await house.store.load([(stream, 0)])[0]
        return BillBatch.fold(
            BillBatchId(stream.id),
            try events.map { try BillBatchEvent($0) }
        )
    }

    /// Every chunk of the log, as the newest last.
    func chunks() throws -> [Chunk] {
        var found: [StreamName: Chunk] = [:]
        for event in house.store.recorded(from: 0) where event.stream.kind == .chunk {
            found[event.stream, default: Chunk(id: event.stream.id)]
                .evolve(try ChunkEvent(event))
        }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }

    func bill(_ id: String) async throws -> Bill {
        let stream = Bill.stream(id, account: HostileInstallation.account, HostileInstallation.merchant)
        let events = try await house.store.load([(stream, 0)])[0]
        return Bill().after(try events.map { try BillEvent($0) })
    }
}
