import Kernel

/// The plan of what will happen, by time and then by the order in which it was planned.
struct Agenda: Sendable {
    enum Item: Sendable {
        /// A client's next wish for one of its payments.
        case client(Int)
        case payer(Int)
        case finish(payment: String, operation: String)
        case notify(Notice)
        case dashboard(payment: String)
        case expire(payment: String)
        case releaseHold(payment: String)
        /// A request that was slow to arrive, its sender long gone.
        case straggler([UInt8])
        case restart(node: Int)
        case outage(Bool)
        case backup
        /// The database goes back to the backup.
        case loseTail
        /// A client asks how its payment stands.
        case sync(Int)

        /// The line that a trace has of it.
        var line: String {
            switch self {
            case .client(let number): "client \(number) acts"
            case .payer(let number): "payer \(number) comes"
            case .finish(let payment, let operation): "\(operation) of \(payment) finishes"
            case .notify(let notice):
                (notice.isForged ? "forged " : "told ") + String(decoding: notice.body, as: UTF8.self)
            case .dashboard(let payment): "somebody at the provider changes \(payment)"
            case .expire(let payment): "the link of \(payment) dies"
            case .releaseHold(let payment): "the hold of \(payment) ends"
            case .straggler: "a request arrives late"
            case .restart(let node): "node \(node) starts"
            case .backup: "a backup is made"
            case .loseTail: "the log loses its tail"
            case .sync(let number): "client \(number) asks"
            case .outage(let begins): begins ? "an outage begins" : "the outage ends"
            }
        }
    }

    /// A notification on its way, with the state that it was written with.
    struct Notice: Sendable {
        let payment: String
        let body: [UInt8]
        let isForged: Bool
        var tries = 0
    }

    private struct Entry: Sendable {
        let time: Timestamp
        let number: Int
        let item: Item
    }

    private var heap: [Entry] = []
    private var count = 0

    var nextTime: Timestamp? { heap.first?.time }
    var isEmpty: Bool { heap.isEmpty }

    mutating func add(_ item: Item, at time: Timestamp) {
        count += 1
        heap.append(Entry(time: time, number: count, item: item))
        var child = heap.count - 1
        while child > 0, precedes(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes the first item whose time has come.
    mutating func takeDue(at now: Timestamp) -> Item? {
        guard let first = heap.first, first.time <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && precedes(child, least) {
                least = child
            }
            guard least != parent else { return first.item }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    /// Takes the requests that are slow to arrive and whose time has come, with their times, whatever else waits.
    mutating func takeStragglers(at now: Timestamp) -> [(body: [UInt8], at: Timestamp)] {
        var due: [(body: [UInt8], at: Timestamp)] = []
        let isAny = heap.contains { if case .straggler = $0.item { $0.time <= now } else { false } }
        guard isAny else { return due }
        var rest: [Entry] = []
        // In order, what is left is a heap again.
        for entry in heap.sorted(by: { ($0.time, $0.number) < ($1.time, $1.number) }) {
            if case .straggler(let body) = entry.item, entry.time <= now {
                due.append((body, entry.time))
            } else {
                rest.append(entry)
            }
        }
        if !due.isEmpty { heap = rest }
        return due
    }

    private func precedes(_ one: Int, _ other: Int) -> Bool {
        (heap[one].time, heap[one].number) < (heap[other].time, heap[other].number)
    }
}
