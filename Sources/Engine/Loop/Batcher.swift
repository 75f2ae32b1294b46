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
    private let process: @Sendable ([Item]) async -> [Answer]

    package init(
        limit: Int,
        lanes: Int,
        capacity: Int = 8192,
        process: @escaping @Sendable ([Item]) async -> [Answer]
    ) {
        precondition(limit > 0 && lanes > 0, "a batch holds something and somebody works")
        self.limit = limit
        self.lanes = lanes
        self.capacity = capacity
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
            let batch = Array(hall.queue.prefix(limit))
            hall.queue.removeFirst(batch.count)
            return batch
        }
    }
}
