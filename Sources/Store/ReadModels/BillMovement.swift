import EventSourcing
import Kernel
import Payments

/// The sums that one event of a chunk moved, all its bills together, on the day on which it was recorded.
struct BillMovement {
    let merchant: MerchantNumber
    let chunk: Uuid
    let head: ChunkHead
    let version: Int32
    let what: BillFlow
    let at: Timestamp
    let amount: Int64
    let bills: Int32

    /// The movements of a chunk from its first event on: they are few, and written once.
    static func all(_ stream: StreamName, _ history: [RecordedEvent], _ events: [ChunkEvent]) -> [BillMovement] {
        var chunk = Chunk(id: stream.id)
        var before: [BillFlow: BillSum] = [:]
        var found: [BillMovement] = []
        for (recorded, event) in zip(history, events) {
            chunk.evolve(event)
            guard let head = chunk.head else { continue }
            let after = chunk.flows
            for what in BillFlow.allCases {
                let (old, new) = (before[what] ?? BillSum(), after[what] ?? BillSum())
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
}
