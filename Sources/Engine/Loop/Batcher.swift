import Kernel

/// Gathers single items into batches without waiting: while every lane is busy, arrivals pile up and leave together.
package final class Batcher<Item: Sendable, Answer: Sendable>: Sendable {
    private struct Waiting: Sendable {
        let item: Item
        let answer: CheckedContinuation<Answer?, Never>
    }

    private struct Hall: Sendable {
        var queue: [Waiting] = []
        var busyLanes = 0
        var isClosed = false
    }

    private let hall = Locked(Hall())
    private let limit: Int
    private let lanes: Int
    /// Items that wait at most; more are turned away, so that a stall doesn't eat the memory.
    private let capacity: Int
    /// Whose an item is: where more wait than a batch holds, everybody has the same share of it.
    private let owner: @Sendable (Item) -> Int
    private let process: @Sendable ([Item]) async -> [Answer]

    package init(
        limit: Int,
        lanes: Int,
        capacity: Int = 8192,
        owner: @escaping @Sendable (Item) -> Int = { _ in 0 },
        process: @escaping @Sendable ([Item]) async -> [Answer]
    ) {
        precondition(limit > 0 && lanes > 0, "a batch holds something and somebody works")
        self.limit = limit
        self.lanes = lanes
        self.capacity = capacity
        self.owner = owner
        self.process = process
    }

    /// Hands an item in and waits for its answer; `nil` when the batcher is full or closed.
    @discardableResult
    package func submit(_ item: Item) async -> Answer? {
        await withCheckedContinuation { continuation in
            let (isTaken, opensLane) = hall.withLock { hall in
                guard !hall.isClosed, hall.queue.count < capacity else { return (false, false) }
                hall.queue.append(Waiting(item: item, answer: continuation))
                guard hall.busyLanes < lanes else { return (true, false) }
                hall.busyLanes += 1
                return (true, true)
            }
            if opensLane { Task { await self.work() } }
            if !isTaken { continuation.resume(returning: nil) }
        }
    }

    /// Items that wait for a lane.
    package var waiting: Int { hall.withLock { $0.queue.count } }

    /// Turns further items away; what was handed in is finished.
    package func close() { hall.withLock { $0.isClosed = true } }

    /// Works until nothing waits.
    private func work() async {
        while let batch = next() {
            let answers = await process(batch.map(\.item))
            precondition(answers.count == batch.count, "one answer per item")
            for (waiting, answer) in zip(batch, answers) { waiting.answer.resume(returning: answer) }
        }
    }

    /// The next batch; `nil` gives the lane back.
    private func next() -> [Waiting]? {
        hall.withLock { hall in
            guard !hall.queue.isEmpty else {
                hall.busyLanes -= 1
                return nil
            }
            guard hall.queue.count > limit else {
                defer { hall.queue = [] }
                return hall.queue
            }
            let places = Self.shared(hall.queue.map { owner($0.item) }, among: limit)
            let batch = places.map { hall.queue[$0] }
            var next = 0
            hall.queue = hall.queue.indices.compactMap { place in
                guard next < places.count, places[next] == place else { return hall.queue[place] }
                next += 1
                return nil
            }
            return batch
        }
    }

    /// The places of those that go next, ascending: the first ones of each owner up to a share that is the same for all, and what some
    /// leave goes to whoever came first.
    package static func shared(_ owners: [Int], among limit: Int) -> [Int] {
        let share = max(1, limit / Set(owners).count)
        var taken: [Int: Int] = [:]
        var (first, later) = ([Int](), [Int]())
        for (place, owner) in owners.enumerated() {
            taken[owner, default: 0] += 1
            if taken[owner, default: 0] <= share { first.append(place) } else { later.append(place) }
        }
        guard first.count < limit else { return Array(first.prefix(limit)) }
        return (first + later.prefix(limit - first.count)).sorted()
    }
}
