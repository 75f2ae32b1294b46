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

    private static func page(_ numbers: ClosedRange<Int>?, next: String?) -> ToldTransport.Reply {
        let items = (numbers.map(Array.init) ?? []).map(event).joined(separator: ",")
        return .answer(200, "{\"items\":[\(items)]" + (next.map { ",\"next\":\"\($0)\"" } ?? "") + "}")
    }

    private static func file() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "paystream-feed-\(UUID().uuidString)")
    }

    @Test func `a reader goes on where the last one was, and hands nothing over twice`() async throws {
        let file = Self.file()
        defer { try? FileManager.default.removeItem(at: file) }
        let seen = Locked<[String]>([])
        let first = ToldClient([Self.page(1...3, next: "c1"), Self.page(4...6, next: "c2")])
        await #expect(throws: Crash.self) {
            try await first.paystream.events.reader(FileCheckpoint(file)).catchUp { event in
                if event.id == "evt_5" { throw Crash() }
                seen.withLock { $0.append(event.id) }
            }
        }
        let second = ToldClient([Self.page(4...6, next: "c2"), Self.page(nil, next: "c2")])
        try await second.paystream.events.reader(FileCheckpoint(file)).catchUp { event in
            seen.withLock { $0.append(event.id) }
        }
        #expect(seen.withLock { $0 } == (1...6).map { "evt_\($0)" })
        let asked = second.transport.requests.map { $0.url.absoluteString.split(separator: "?").last ?? "" }
        #expect(asked == ["after=c1", "after=c2"])
        #expect(try FileCheckpoint(file).read() == FeedPosition(cursor: "c2"))
    }

    @Test func `a page whose cursor has not moved is the end, and its events stay known`() async throws {
        let file = Self.file()
        defer { try? FileManager.default.removeItem(at: file) }
        let seen = Locked(0)
        for _ in 0..<2 {
            let client = ToldClient([Self.page(1...2, next: nil)])
            try await client.paystream.events.reader(FileCheckpoint(file)).catchUp { _ in seen.withLock { $0 += 1 } }
        }
        #expect(seen.withLock { $0 } == 2)
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
