import EventSourcing
import Kernel
import Payments
import Sandbox

/// Holds what became of bills against the provider's books.
struct BillVerdict {
    private let world: BillWorld
    private let house: House

    init(_ world: BillWorld) {
        self.world = world
        house = world.house
    }

    /// Answers how many bills were carried.
    func judge() throws -> Int {
        for (id, bill) in world.portmone.bills.sorted(by: { $0.key < $1.key }) where bill.payments > 1 {
            house.violate("double: \(id) was asked to be paid \(bill.payments) times")
        }
        var seen: Set<String> = []
        for (_, bill, _) in try world.bills() {
            guard let line = bill.reservation?.line else { continue }
            seen.insert(line.id)
            judge(line, bill)
        }
        for entry in world.portmone.ledger where !seen.contains(entry.operation) {
            house.violate("unowned: \(entry.operation) was paid, and nobody asked for it")
        }
        for number in 0..<BillWorld.batches { try judge(number) }
        return seen.count
    }

    // MARK: A bill

    private func judge(_ line: BillLine, _ bill: Bill) {
        let ours = bill.standings.values.filter { $0.outcome == .paid }
        guard let standing = bill.standing, standing.outcome.isKnown else {
            return house.violate(
                "\(line.id) is left to nobody: \(bill.standing?.outcome.rawValue ?? "not reported")"
            )
        }
        guard let paid = world.paid(line.id) else {
            if !ours.isEmpty { house.violate("\(line.id) counts as paid, and nothing moved") }
            return
        }
        switch ours.count {
        case 0: house.violate("lost: \(line.id) was paid and counts as \(standing.outcome.rawValue)")
        case 1:
            // A provider that tells another sum than it took is told of; the sum that it told stands.
            let isTold = ours[0].amountDiffers || ours[0].paid == paid
            if !isTold { house.violate("\(line.id) books \(ours[0].paid?.minor ?? 0) of \(paid.minor)") }
        default: house.violate("double: \(line.id) is booked \(ours.count) times")
        }
    }

    // MARK: A batch

    private func judge(_ number: Int) throws {
        let batch = try world.read(number)
        // One that was refused is known to whoever asked for it.
        guard batch.head != nil else { return }
        guard batch.submittedAt != nil else { return house.violate("batch \(number) was never taken") }
        let chunks = try chunks(of: batch)
        guard batch.refusedPrice == nil else {
            if !chunks.isEmpty { house.violate("batch \(number) was not priced, and pays") }
            return
        }
        guard batch.phase == .ended, batch.live.isEmpty, batch.isUsedUp, let tally = batch.tally else {
            return house.violate(
                "batch \(number) is \(batch.phase.rawValue) for ever: \(batch.trouble?.rawValue ?? "")"
            )
        }
        let standings = chunks.flatMap(\.ordered)
        if tally != BillTally(standings, house.currency) { house.violate("batch \(number) miscounts: \(tally.json)") }
        if tally.total != batch.count {
            house.violate("batch \(number) counts \(tally.total) of \(batch.count) bills")
        }
        if batch.isRolledUp != tally.whole {
            house.violate("batch \(number) ended as \(tally.whole.rawValue), and says something else")
        }
        let theirs = standings.filter { $0.outcome == .paid && !$0.amountDiffers }.compactMap {
            world.paid($0.id)?.minor
        }
        let differing = standings.filter { $0.outcome == .paid && $0.amountDiffers }.compactMap { $0.paid?.minor }
        let sum = (theirs + differing).reduce(0, +)
        if tally.charged.minor != sum {
            house.violate("batch \(number) tells \(tally.charged.minor) charged of \(sum)")
        }
    }

    private func chunks(of batch: BillBatch) throws -> [Chunk] {
        var found: [StreamName: Chunk] = [:]
        for event in house.log where event.stream.kind == .chunk {
            found[event.stream, default: Chunk(id: event.stream.id)]
                .evolve(try ChunkEvent(event))
        }
        return found.sorted { $0.key < $1.key }.map(\.value).filter { $0.head?.batch == batch.id }
    }
}
