import Http
import HttpServer
import Kernel
import Testing

/// Bodies that a handler reads while they come in.
@Suite(.timeLimit(.minutes(1)))
struct StreamedBodyTests {
    @Sendable private static func count(_ request: HttpRequest, _ info: ConnectionInfo) async -> HttpResponse {
        guard let body = info.body, request.body.isEmpty else { return .text(500, "not streamed") }
        var count = 0
        do throws(BodyFailure) {
            while let piece = try await body.next() { count += piece.count }
            return .text(200, String(count))
        } catch { return .text(400, error.code.rawValue) }
    }

    @Sendable private static func streams(_ configuration: inout HttpServerConfiguration) {
        configuration.intake = { BodyIntake(limit: 8 * 1024 * 1024, isStreamed: $0.path != "/whole") }
    }

    private static func head(_ length: Int, _ path: String = "/") -> String {
        "PUT \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n"
    }

    private static let megabytes = 6 * 1024 * 1024

    @Test func `a body arrives whole, and the connection goes on with another`() async throws {
        try await withServer(Self.streams, handler: Self.count) { _, port in
            let client = try await RawConnection.open(port)
            for length in [Self.megabytes, 1, 0, 100_000] {
                await client.send(Self.head(length))
                await client.send([UInt8](repeating: 7, count: length))
                #expect(try #require(await client.answer()).text == String(length))
            }
            client.close()
        }
    }

    @Test func `who reads slowly slows the sender down`() async throws {
        let mayRead = Gate()
        let isSent = Locked(false)
        try await withServer(Self.streams) { request, info in
            await mayRead.wait()
            return await Self.count(request, info)
        } _: { _, port in
            let client = try await RawConnection.open(port, receiveBuffer: 4096)
            let sending = Task {
                await client.send(Self.head(Self.megabytes))
                // More than the pipe and the system's buffers of both ends hold.
                await client.send([UInt8](repeating: 7, count: Self.megabytes))
                isSent.withLock { $0 = true }
            }
            try await Task.sleep(for: .milliseconds(300))
            #expect(!isSent.withLock { $0 })
            mayRead.open()
            #expect(try #require(await client.answer()).text == String(Self.megabytes))
            await sending.value
            client.close()
        }
    }

    @Test func `a handler that has heard enough answers when the body is through`() async throws {
        try await withServer(Self.streams, handler: { _, _ in .text(422, "enough") }) { _, port in
            let client = try await RawConnection.open(port)
            await client.send(Self.head(200_000))
            await client.send([UInt8](repeating: 7, count: 200_000))
            #expect(try #require(await client.answer()).status == 422)
            client.close()
        }
    }

    @Test func `a sender that goes away cuts the body short`() async throws {
        let seen = Locked<String?>(nil)
        let isSeen = Gate()
        try await withServer {
            Self.streams(&$0)
            $0.idleTimeout = .seconds(1)
        } handler: { request, info in
            let answer = await Self.count(request, info)
            seen.withLock { $0 = String(decoding: answer.body, as: UTF8.self) }
            isSeen.open()
            return answer
        } _: { _, port in
            let client = try await RawConnection.open(port)
            await client.send(Self.head(1000))
            await client.send("half of it")
            client.close()
            await isSeen.wait()
            #expect(seen.withLock { $0 } == "cut")
        }
    }

    @Test func `a body without a length ends at the limit`() async throws {
        try await withServer(
            {
                $0.intake = { _ in BodyIntake(limit: 10, isStreamed: true) }
            },
            handler: Self.count
        ) { _, port in
            let client = try await RawConnection.open(port)
            await client.send(
                "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n0123456789a\r\n0\r\n\r\n"
            )
            let answer = try #require(await client.answer())
            #expect(answer.text == "too_large")
            client.close()
        }
    }
}
