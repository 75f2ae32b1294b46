import Kernel

/// Things that become due, earliest first; equal times come out in the order they went in.
struct DueQueue<Element: Sendable>: Sendable {
    private struct Entry {
        let due: Timestamp
        let sequence: Int64
        let element: Element

        func precedes(_ other: Entry) -> Bool { (due, sequence) < (other.due, other.sequence) }
    }

    // A binary heap: every entry precedes its children at 2i + 1 and 2i + 2.
    private var heap: [Entry] = []
    private var nextSequence: Int64 = 0

    var nextDue: Timestamp? { heap.first?.due }
    var count: Int { heap.count }

    mutating func add(_ element: Element, due: Timestamp) {
        heap.append(Entry(due: due, sequence: nextSequence, element: element))
        nextSequence += 1
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the earliest element that is due at `time`.
    mutating func takeDue(at time: Timestamp) -> (due: Timestamp, element: Element)? {
        guard let first = heap.first, first.due <= time else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return (first.due, first.element) }
        heap[0] = last
        var parent = 0
        while true {
            let left = 2 * parent + 1
            guard left < heap.count else { break }
            let right = left + 1
            let child = right < heap.count && heap[right].precedes(heap[left]) ? right : left
            guard heap[child].precedes(heap[parent]) else { break }
            heap.swapAt(child, parent)
            parent = child
        }
        return (first.due, first.element)
    }
}
