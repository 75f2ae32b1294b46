import Foundation
import Kernel
import PaystreamClient
import Testing

@Suite struct FeedReaderTests {
    private struct Crash: Error {}

    private static func event(_ number: Int) -> String {
        """
        {"id":"evt_\(number)","object":"event","type":"payment.captured","createdAt":"2026-01-31T12:00:00Z",
         "sequence":\(number),"resource":{"object":"payment","id":"pay_1"},"data":{"id":"pay_1","version":\(number)}}
        """
    }

    private static func page(_ numbers: ClosedRange<Int>?, next: String, hasMore: Bool = false) -> ToldTransport.Reply {
        let items = (numbers.map(Array.init) ?? []).map(event).joined(separator: ",")
        return .answer(200, "{\"items\":[\(items)],\"next\":\"\(next)\",\"hasMore\":\(hasMore)}")
    }

    private static func file() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "paystream-feed-\(UUID().uuidString)")
    }

    @Test func `a reader goes on where the last one was, and hands nothing over twice`() async throws {
        let file = Self.file()
        defer { try? FileManager.default.removeItem(at: file) }
        let seen = Locked<[String]>([])
        let first = ToldClient([Self.page(1...3, next: "c1", hasMore: true), Self.page(4...6, next: "c2")])
        await #expect(throws: Crash.self) {
            try await first.paystream.events.reader(FileCheckpoint(file)).catchUp { event in
                if event.id == "evt_5" { throw Crash() }
                seen.withLock { $0.append(event.id) }
            }
        }
        let second = ToldClient([Self.page(4...6, next: "c2", hasMore: true), Self.page(nil, next: "c3")])
        try await second.paystream.events.reader(FileCheckpoint(file)).catchUp { event in
            seen.withLock { $0.append(event.id) }
        }
        #expect(seen.withLock { $0 } == (1...6).map { "evt_\($0)" })
        let asked = second.transport.requests.map { $0.url.absoluteString.split(separator: "?").last ?? "" }
        #expect(asked == ["after=c1", "after=c2"])
        #expect(try FileCheckpoint(file).read() == FeedPosition(cursor: "c3"))
    }

    @Test func `what the handler did not get an answer to ends the reading, and is handed over once`() async throws {
        let file = Self.file()
        defer { try? FileManager.default.removeItem(at: file) }
        let handed = Locked(0)
        let client = ToldClient([Self.page(1...1, next: "c1"), Self.page(1...1, next: "c1")])
        let away = ToldClient(Array(repeating: .lost, count: 12))
        await #expect(throws: PaystreamError.self) {
            try await client.paystream.events.reader(FileCheckpoint(file)).run { _ in
                handed.withLock { $0 += 1 }
                _ = try await away.paystream.events.page()
            }
        }
        #expect(handed.withLock { $0 } == 1 && client.transport.requests.count == 1)
    }

    @Test func `a daemon that is too busy or not ready is asked on, and one that says no is not`() async throws {
        let file = Self.file()
        defer { try? FileManager.default.removeItem(at: file) }
        let busy = (0..<5).map { _ in ToldTransport.Reply.answer(503, ToldClient.problem(503, "starting")) }
        let no = [ToldTransport.Reply.answer(403, ToldClient.problem(403, "scope_missing"))]
        let client = ToldClient(busy + [Self.page(1...1, next: "c1")] + no)
        let seen = Locked(0)
        let error = await #expect(throws: PaystreamError.self) {
            try await client.paystream.events.reader(FileCheckpoint(file)).run { _ in seen.withLock { $0 += 1 } }
        }
        #expect(seen.withLock { $0 } == 1 && error?.problem?.code == "scope_missing")
    }

    @Test func `a page without events is not the end where more is there`() async throws {
        let file = Self.file()
        defer { try? FileManager.default.removeItem(at: file) }
        let seen = Locked(0)
        let client = ToldClient([
            Self.page(nil, next: "c1", hasMore: true), Self.page(1...2, next: "c2", hasMore: true),
            Self.page(nil, next: "c2"),
        ])
        try await client.paystream.events.reader(FileCheckpoint(file)).catchUp { _ in seen.withLock { $0 += 1 } }
        #expect(seen.withLock { $0 } == 2)
        #expect(client.transport.requests.count == 3)
    }

    @Test func `a cursor of events that were lost tells where to read on`() async throws {
        let problem = """
            {"type":"about:blank","title":"Gone","status":410,"code":"events_lost","detail":"D","path":"after","resume":"c9"}
            """
        let client = ToldClient([.answer(410, problem)])
        let error = await #expect(throws: PaystreamError.self) { try await client.paystream.events.page(after: "c1") }
        #expect(error?.problem?.code == "events_lost")
        #expect(error?.problem?.resume == "c9")
    }

    @Test func `a filter and a wait are asked for`() async throws {
        let client = ToldClient([Self.page(nil, next: "c1")])
        let filter = EventFilter(types: ["payment.*", "refund.succeeded"], resource: "pay_1", limit: 10)
        _ = try await client.paystream.events.page(filter, wait: .seconds(20))
        let request = client.transport.requests[0]
        #expect(
            request.url.absoluteString.hasSuffix(
                "?types=payment.%2A%2Crefund.succeeded&resource=pay_1&limit=10&wait=20"
            )
        )
        #expect(request.timeout == .seconds(50))
    }

    @Test func `the payload is the resource as it was`() throws {
        struct Part: Decodable { let version: Int }
        let event = try Wire.decode(Event.self, from: Data(Self.event(7).utf8))
        #expect(try event.payload(as: Part.self).version == 7)
    }
}
