import Kernel

/// Gathers single items into batches without waiting: while every lane is busy, arrivals pile up and leave together.
package final class Batcher<Item: Sendable, Answer: Sendable>: Sendable {
    private struct Waiting: Sendable {
        let item: Item
        let answer: CheckedContinuation<Answer?, Never>
    }

    private struct Hall: Sendable {
        var queue: [Waiting] = []
        var idle: [CheckedContinuation<Void, Never>] = []
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
    package func submit(_ item: Item) async -> Answer? {
        await withCheckedContinuation { continuation in
            let (isTaken, lane) = hall.withLock { hall -> (Bool, CheckedContinuation<Void, Never>?) in
                guard !hall.isClosed, hall.queue.count < capacity else { return (false, nil) }
                hall.queue.append(Waiting(item: item, answer: continuation))
                return (true, hall.idle.popLast())
            }
            lane?.resume()
            if !isTaken { continuation.resume(returning: nil) }
        }
    }

    /// Works until `close`, then finishes what was handed in.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for _ in 0..<lanes { group.addTask { await self.work() } }
        }
    }

    /// Turns further items away and lets the lanes end.
    package func close() {
        let idle = hall.withLock { hall in
            hall.isClosed = true
            let idle = hall.idle
            hall.idle = []
            return idle
        }
        for lane in idle { lane.resume() }
    }

    private func work() async {
        while let batch = await next() {
            let answers = await process(batch.map(\.item))
            precondition(answers.count == batch.count, "one answer per item")
            for (waiting, answer) in zip(batch, answers) { waiting.answer.resume(returning: answer) }
        }
    }

    private func next() async -> [Waiting]? {
        while true {
            let (batch, isClosed) = hall.withLock { hall in
                let batch = Array(hall.queue.prefix(limit))
                hall.queue.removeFirst(batch.count)
                return (batch, hall.isClosed)
            }
            if !batch.isEmpty { return batch }
            if isClosed { return nil }
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let mustGo = hall.withLock { hall -> Bool in
                    guard hall.queue.isEmpty, !hall.isClosed else { return true }
                    hall.idle.append(continuation)
                    return false
                }
                if mustGo { continuation.resume() }
            }
        }
    }
}
