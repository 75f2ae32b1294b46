import EventSourcing
import Kernel
import Payments

/// What one event of a chunk moved, all its bills together, on the day on which it was recorded.
struct BillMovement {
    /// What an app claims is no money that a provider confirmed.
    enum What: String, CaseIterable {
        case captured, claimed, refunded

        init?(_ standing: BillStanding) {
            switch standing.outcome {
            case .paid: self = standing.source == .claim ? .claimed : .captured
            case .refunded: self = .refunded
            case .claimed:
                guard standing.claimed == .paid else { return nil }
                self = .claimed
            case .held, .cancelled, .requiresAction, .failed, .unknown, .refused: return nil
            }
        }
    }

    let merchant: MerchantNumber
    let chunk: Uuid
    let head: ChunkHead
    let version: Int32
    let what: What
    let at: Timestamp
    let amount: Int64
    let bills: Int32

    private struct Sum {
        var amount: Int64 = 0
        var bills: Int32 = 0

        mutating func add(_ minor: Int64) {
            bills += 1
            let (sum, overflow) = amount.addingReportingOverflow(max(0, minor))
            amount = overflow ? .max : sum
        }
    }

    /// The movements of a chunk from its first event on: they are few, and written once.
    static func all(_ stream: StreamName, _ history: [RecordedEvent], _ events: [ChunkEvent]) -> [BillMovement] {
        var chunk = Chunk(id: stream.id)
        var before: [What: Sum] = [:]
        var found: [BillMovement] = []
        for (recorded, event) in zip(history, events) {
            chunk.evolve(event)
            guard let head = chunk.head else { continue }
            let after = sums(chunk, head)
            for what in What.allCases {
                let (old, new) = (before[what] ?? Sum(), after[what] ?? Sum())
                let moved = new.amount - old.amount
                guard moved != 0 || new.bills != old.bills else { continue }
                found.append(
                    BillMovement(
                        merchant: stream.merchant,
                        chunk: stream.id,
                        head: head,
                        version: recorded.version,
                        what: what,
                        at: recorded.recordedAt,
                        amount: moved,
                        bills: new.bills - old.bills
                    )
                )
            }
            before = after
        }
        return found
    }

    private static func sums(_ chunk: Chunk, _ head: ChunkHead) -> [What: Sum] {
        var sums: [What: Sum] = [:]
        for line in head.lines {
            guard let standing = chunk.standings[line.id], let what = What(standing) else { continue }
            let amount = standing.paid ?? line.amount
            guard amount.currency == head.currency else { continue }
            sums[what, default: Sum()].add(amount.minor)
            // What came back was taken first.
            if what == .refunded { sums[.captured, default: Sum()].add(amount.minor) }
        }
        return sums
    }
}
