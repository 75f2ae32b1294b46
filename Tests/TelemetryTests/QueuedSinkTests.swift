import Glibc
import Kernel
import Telemetry
import Testing

struct QueuedSinkTests {
    /// A pipe's reading and writing end.
    private func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    private func readAll(_ descriptor: Int32) -> [UInt8] {
        var out: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { return out }
            out += chunk[..<count]
        }
    }

    @Test func `lines come out whole, in order, and all before the sink is closed`() throws {
        let ends = try pipe()
        let sink = QueuedSink(descriptor: ends.write)
        for number in 0..<1000 { sink.write(Array("line \(number)".utf8)) }
        sink.close()
        close(ends.write)
        let text = String(decoding: readAll(ends.read), as: UTF8.self)
        close(ends.read)
        #expect(text == (0..<1000).map { "line \($0)\n" }.joined())
    }

    @Test func `a reader that stalls costs lines, not callers`() throws {
        let ends = try pipe()
        let sink = QueuedSink(descriptor: ends.write, lines: 10)
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
        for _ in 0..<100 { sink.write(long) }
        let reader = Locked<[UInt8]>([])
        let reading = Thread { reader.withLock { [bytes = readAll(ends.read)] in $0 = bytes } }
        sink.close()
        close(ends.write)
        reading.join()
        close(ends.read)
        let lines = reader.withLock { $0 }.split(separator: UInt8(ascii: "\n"))
        let notices = try lines.filter { $0.first == UInt8(ascii: "{") }.map { try Json(Array($0)) }
        let dropped = notices.compactMap { $0["count"]?.integer }.reduce(0, +)
        #expect(dropped >= 80)
        #expect(Int64(lines.count - notices.count) + dropped == 100)
    }

    @Test func `closing twice is closing once, and what comes later is lost`() throws {
        let ends = try pipe()
        let sink = QueuedSink(descriptor: ends.write)
        sink.close()
        sink.close()
        sink.write([1])
        close(ends.write)
        #expect(readAll(ends.read).isEmpty)
        close(ends.read)
    }
}

/// A joinable thread for a body that blocks.
private final class Thread: @unchecked Sendable {
    // `body` is read by the new thread only; `id` is written in `init`.
    private let body: @Sendable () -> Void
    private var id = pthread_t()

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
        pthread_create(
            &id,
            nil,
            { context in
                if let context { Unmanaged<Thread>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            },
            Unmanaged.passRetained(self).toOpaque()
        )
    }

    func join() { pthread_join(id, nil) }
}
