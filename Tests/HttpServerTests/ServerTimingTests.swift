import Http
import HttpServer
import Kernel
import TestKit
import Testing

/// Limits of time, one test at a time; a loaded machine may delay everything, so nothing here must be quick.
@Suite(.serialized)
struct ServerTimingTests {
    @Sendable private static func ok(_ request: HttpRequest, _ info: ConnectionInfo) async -> HttpResponse {
        .text(200, "ok")
    }

    /// Sends a byte now and then until the server has had enough.
    private func trickle(_ client: RawConnection, _ byte: String) async -> Bool {
        for _ in 0..<200 {
            guard await client.send(byte) else { return true }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    /// Asks on fresh connections until one is answered: on a loaded machine this client may be too slow itself.
    private func isServed(_ port: UInt16) async throws -> Bool {
        for _ in 0..<20 {
            let client = try await RawConnection.open(port)
            defer { client.close() }
            await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            if await client.answer()?.status == 200 { return true }
        }
        return false
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ", "a"),
        ("GE", "T"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n", "a"),
        ("", "\r\n"),
    ])
    func `a client that trickles its request is cut off while others are served`(start: String, byte: String)
        async throws
    {
        try await withServer {
            $0.transferTime = .milliseconds(400)
        } handler: {
            await Self.ok($0, $1)
        } _: { server, port in
            let slow = try await RawConnection.open(port)
            await slow.send(start)
            async let isCut = trickle(slow, byte)
            #expect(try await isServed(port))
            #expect(await isCut)
            slow.close()
            await eventually("nothing is left of them") { server.activity.connections == 0 }
        }
    }

    @Test func `a client that does not take its answer is cut off`() async throws {
        let body = [UInt8](repeating: 7, count: 32 * 1024 * 1024)
        try await withServer {
            $0.transferTime = .milliseconds(1500)
        } handler: { _, _ in
            HttpResponse(status: 200, body: body)
        } _: { server, port in
            let client = try await RawConnection.open(port, receiveBuffer: 4096)
            await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await eventually("the answer goes out") { server.activity.requests == 1 }
            await eventually("nothing is left of it") {
                server.activity == .init(connections: 0, requests: 0, handlers: 0)
            }
            client.close()
        }
    }

    @Test func `a silent connection is closed after the idle timeout`() async throws {
        try await withServer {
            $0.idleTimeout = .seconds(1)
        } handler: {
            await Self.ok($0, $1)
        } _: { _, port in
            let client = try await RawConnection.open(port)
            #expect(await client.isEnded())
            client.close()
        }
    }

    @Test func `a handler that is late is answered for with 504 and cancelled`() async throws {
        let gate = Gate()
        let wasCancelled = Locked(false)
        try await withServer {
            $0.handlerDeadline = .milliseconds(200)
        } handler: { _, _ in
            await gate.wait()
            wasCancelled.withLock { $0 = Task.isCancelled }
            return .text(200, "late")
        } _: { server, port in
            let client = try await RawConnection.open(port)
            await client.send("GET /late HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try #require(await client.answer())
            #expect(answer.status == 504)
            #expect(try Json(answer.body)["code"] == "handler_deadline")
            await eventually("the task has ended") { server.activity.handlers == 0 }
            #expect(wasCancelled.withLock { $0 })
            await client.send("GET /late HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await client.answer()?.status == 504)
            client.close()
        }
    }

    @Test func `clients that vanish leave neither connections nor tasks behind`() async throws {
        let gate = Gate()
        try await withServer {
            $0.transferTime = .seconds(3)
            $0.idleTimeout = .seconds(3)
        } handler: { _, _ in
            await gate.wait()
            return .text(200, "nobody reads this")
        } _: { server, port in
            for index in 0..<20 {
                let client = try await RawConnection.open(port)
                await client.send(
                    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n" + (index < 10 ? "ab" : "abcde")
                )
                if index >= 10 { await eventually("it is with its handler") { gate.arrived == index - 9 } }
                client.close()
            }
            gate.open()
            await eventually("nothing is left of them") {
                server.activity == HttpServerActivity(connections: 0, requests: 0, handlers: 0)
            }
        }
    }

    @Test func `a drain lets the running request finish and refuses new ones`() async throws {
        let gate = Gate()
        let server = HttpServer(configuration: HttpServerConfiguration()) { _, _ in
            await gate.wait()
            return .text(200, "done")
        }
        let port = try server.start()
        let client = try await RawConnection.open(port)
        let idle = try await RawConnection.open(port)
        await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await eventually("the request is with its handler") { gate.arrived == 1 && server.activity.connections == 2 }
        async let report = server.drain(deadline: .seconds(20))
        await eventually("the server is draining") { server.isDraining }
        await idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let refusal = try #require(await idle.answer())
        #expect(refusal.status == 503)
        #expect(refusal.header("connection")?.lowercased() == "close")
        #expect(try Json(refusal.body)["code"] == "server_draining")
        gate.open()
        let answer = try #require(await client.answer())
        #expect(answer.text == "done")
        #expect(await report.unfinished == 0)
        await #expect(throws: PlainSocket.Refused.self) { _ = try await RawConnection.open(port) }
        #expect(await server.drain(deadline: .zero).unfinished == 0)
        client.close()
        idle.close()
    }

    @Test func `a drain's deadline answers for handlers that still work`() async throws {
        let gate = Gate()
        let server = HttpServer(configuration: HttpServerConfiguration()) { _, _ in
            await gate.wait()
            return .text(200, "too late")
        }
        let port = try server.start()
        let client = try await RawConnection.open(port)
        await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await eventually("the request is with its handler") { gate.arrived == 1 }
        #expect(await server.drain(deadline: .milliseconds(50)).unfinished == 1)
        let answer = try #require(await client.answer())
        #expect(answer.status == 503)
        #expect(try Json(answer.body)["code"] == "server_stopped")
        await eventually("the task was cancelled and has ended") { server.activity.handlers == 0 }
        client.close()
    }
}
