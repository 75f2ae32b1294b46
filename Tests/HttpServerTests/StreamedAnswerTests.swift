import Glibc
import Http
import HttpServer
import Kernel
import Testing

/// Answers that are written while they go out.
@Suite(.timeLimit(.minutes(1)))
struct StreamedAnswerTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func streamed(_ write: @escaping @Sendable (any StreamSink) async -> Void) -> HttpResponse {
        var answer = HttpResponse(status: 200, contentType: "text/event-stream", body: [])
        answer.stream = ResponseStream { sink in
            let writing = Task {
                await write(sink)
                sink.end()
            }
            return { writing.cancel() }
        }
        return answer
    }

    @Test func `pieces arrive as they are written, and the connection goes on with another request`() async throws {
        let mayGoOn = Gate()
        try await withServer { request, _ in
            guard request.path == "/" else { return .text(200, "next") }
            return Self.streamed { writer in
                _ = await writer.send(Array("first".utf8))
                await mayGoOn.wait()
                for _ in 0..<3 { _ = await writer.send(Array("more".utf8)) }
            }
        } _: { _, port in
            let client = try await RawConnection.open(port)
            await client.send(Self.request)
            let first = await client.read(until: "first")
            #expect(first.contains("200 OK") && first.contains("Transfer-Encoding: chunked"))
            mayGoOn.open()
            let rest = await client.read(until: "0\r\n\r\n")
            #expect(rest.filter(\.isLetter).contains("moremoremore"))
            await client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try #require(await client.answer()).text == "next")
            client.close()
        }
    }

    @Test func `a file goes out as fast as it is read, and its client has time for each piece of it`() async throws {
        let body = [UInt8](repeating: 7, count: 8 * 1024 * 1024)
        let own = try #require(tmpfile())
        #expect(fwrite(body, 1, body.count, own) == body.count && fflush(own) == 0)
        let descriptor = dup(fileno(own))
        fclose(own)
        let file = ResponseFile(descriptor: descriptor, count: body.count) { close(descriptor) }
        try await withServer {
            $0.transferTime = .milliseconds(1500)
        } handler: { _, _ in
            var answer = HttpResponse(status: 200, contentType: "text/csv", body: [])
            answer.file = file
            return answer
        } _: { server, port in
            let client = try await RawConnection.open(port)
            await client.send(Self.request)
            let answer = try #require(await client.answer())
            #expect(answer.status == 200 && answer.body == body)
            // Slower than the time for a piece would let a whole body be.
            let slow = try await RawConnection.open(port, receiveBuffer: 64 * 1024)
            await slow.send(Self.request)
            var count = 0
            while count < body.count, let piece = await slow.piece() {
                count += piece.count
                try await Task.sleep(for: .milliseconds(25))
            }
            #expect(count >= body.count)
            client.close()
            slow.close()
            await eventually("nothing is left of them") { server.activity.connections == 0 }
        }
    }

    @Test func `a reader that goes away ends the writer`() async throws {
        let end = Gate()
        let isOver = Locked(false)
        try await withServer { _, _ in
            Self.streamed { writer in
                while await writer.send(Array("tick".utf8)) { try? await Task.sleep(for: .milliseconds(5)) }
                isOver.withLock { $0 = true }
                end.open()
            }
        } _: { server, port in
            let client = try await RawConnection.open(port)
            await client.send(Self.request)
            _ = await client.read(until: "tick")
            client.close()
            await eventually("the writer ends") { isOver.withLock { $0 } }
            await eventually("nobody works for it") { server.activity.handlers == 0 }
        }
    }

    @Test func `a reader that takes nothing holds its writer up, and is dropped`() async throws {
        let written = Locked(0)
        let isOver = Locked(false)
        try await withServer {
            $0.transferTime = .milliseconds(400)
        } handler: { _, _ in
            Self.streamed { writer in
                let piece = [UInt8](repeating: 7, count: 64 * 1024)
                while await writer.send(piece) { written.withLock { $0 += piece.count } }
                isOver.withLock { $0 = true }
            }
        } _: { server, port in
            let client = try await RawConnection.open(port, receiveBuffer: 4096)
            await client.send(Self.request)
            await eventually("it is dropped") { isOver.withLock { $0 } }
            #expect(written.withLock { $0 } < 16 * 1024 * 1024, "what is written waits for its reader")
            await eventually("its connection is closed") { server.activity.connections == 0 }
            client.close()
        }
    }

    @Test func `many silent streams hold no thread`() async throws {
        let mayEnd = Gate()
        try await withServer { request, _ in
            guard request.path == "/" else { return .text(200, "quick") }
            return Self.streamed { writer in
                _ = await writer.send(Array("begun".utf8))
                await mayEnd.wait()
            }
        } _: { _, port in
            var clients: [RawConnection] = []
            for _ in 0..<64 {
                let client = try await RawConnection.open(port)
                await client.send(Self.request)
                _ = await client.read(until: "begun")
                clients.append(client)
            }
            let other = try await RawConnection.open(port)
            await other.send("GET /quick HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try #require(await other.answer()).text == "quick")
            mayEnd.open()
            for client in clients { client.close() }
            other.close()
        }
    }

    @Test func `a drain ends streams behind what was written`() async throws {
        try await withServer { _, _ in
            Self.streamed { writer in
                _ = await writer.send(Array("last".utf8))
                while await writer.send([]) { try? await Task.sleep(for: .milliseconds(5)) }
            }
        } _: { server, port in
            let client = try await RawConnection.open(port)
            await client.send(Self.request)
            _ = await client.read(until: "last")
            let report = await server.drain(deadline: .seconds(10))
            #expect(report.unfinished == 0)
            #expect(await client.read(until: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
            client.close()
        }
    }
}

extension StreamSink {
    /// Hands a piece over once there is room for it; false where it is not.
    fileprivate func send(_ piece: [UInt8]) async -> Bool {
        await withCheckedContinuation { continuation in send(piece) { continuation.resume(returning: $0) } }
    }
}
