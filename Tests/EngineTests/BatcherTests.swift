import Engine
import Testing

/// Who goes next where more wait than a batch holds.
struct BatcherTests {
    private func shared(_ owners: [Int], among limit: Int) -> [Int] {
        Batcher<Int, Int>.shared(owners, among: limit)
    }

    @Test func `who brings much holds up nobody, and has what others leave`() {
        let owners = Array(repeating: 1, count: 100) + [2, 2, 2, 3]
        let taken = shared(owners, among: 10)
        #expect(taken == [0, 1, 2, 3, 4, 5, 100, 101, 102, 103], "in the order in which they came")
        #expect(shared(Array(repeating: 1, count: 100), among: 10) == Array(0..<10))
    }

    @Test func `of more owners than a batch has places those go first who came first`() {
        let owners = (0..<30).flatMap { [$0, $0] }
        #expect(shared(owners, among: 10) == stride(from: 0, to: 20, by: 2).map { $0 })
    }

    @Test func `items of a busy owner leave in their order, those of another at once`() async {
        let seen = AsyncStream<[Int]>.makeStream()
        let gate = AsyncStream<Void>.makeStream()
        let batcher = Batcher<Int, Int>(limit: 4, lanes: 1, owner: { $0 / 100 }) { items in
            seen.continuation.yield(items)
            for await _ in gate.stream { break }
            return items
        }
        var batches = seen.stream.makeAsyncIterator()
        async let first = batcher.submit(0)
        #expect(await batches.next() == [0], "nothing waits for more")
        let waiting = (1...9).map { number in Task { await batcher.submit(number) } }
        while batcher.waiting < 9 { await Task.yield() }
        let other = Task { await batcher.submit(100) }
        while batcher.waiting < 10 { await Task.yield() }
        gate.continuation.yield()
        let next = await batches.next() ?? []
        #expect(next.count == 4 && next.contains(100), "\(next)")
        for _ in 0..<4 { gate.continuation.yield() }
        #expect(await first == 0)
        #expect(await other.value == 100)
        for (number, task) in zip(1...9, waiting) { #expect(await task.value == number) }
    }
}
