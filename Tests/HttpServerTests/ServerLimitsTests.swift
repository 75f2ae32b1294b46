import Http
import HttpServer
import Kernel
import Testing

struct ServerLimitsTests {
    @Sendable private static func count(_ request: HttpRequest, _ info: ConnectionInfo) async -> HttpResponse {
        .text(200, String(request.body.count))
    }

    private func code(_ answer: RawConnection.Answer) throws -> String? { try Json(answer.body)["code"]?.text }

    @Test func `a body over its path's limit is refused and the connection goes on`() async throws {
        try await withServer {
            $0.intake = { BodyIntake(limit: $0.path == "/big" ? 100 : 10) }
        } handler: {
            await Self.count($0, $1)
        } _: { _, port in
            let client = try await RawConnection.open(port)
            let body = String(repeating: "x", count: 11)
            await client.send("POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n\(body)")
            let refusal = try #require(await client.answer())
            #expect(refusal.status == 413)
            #expect(try code(refusal) == "body_too_large")
            #expect(try Json(refusal.body)["limit_bytes"] == 10)
            await client.send("POST /big HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n\(body)")
            #expect(try #require(await client.answer()).text == "11")
            client.close()
        }
    }

    @Test func `a body of exactly the limit is taken`() async throws {
        try await withServer({ $0.intake = { _ in BodyIntake(limit: 10) } }, handler: Self.count) { _, port in
            let client = try await RawConnection.open(port)
            await client.send(
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n"
            )
            #expect(try #require(await client.answer()).text == "10")
            client.close()
        }
    }

    @Test func `a client that asks first is refused without sending the body`() async throws {
        try await withServer({ $0.intake = { _ in BodyIntake(limit: 10) } }, handler: Self.count) { _, port in
            let client = try await RawConnection.open(port)
            await client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n")
            #expect(try #require(await client.answer()).status == 413)
            #expect(await client.isEnded())
            client.close()
        }
    }

    @Test func `a chunked body over the limit is refused`() async throws {
        try await withServer({ $0.intake = { _ in BodyIntake(limit: 10) } }, handler: Self.count) { _, port in
            let client = try await RawConnection.open(port)
            await client.send(
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n0123456789a\r\n0\r\n\r\n"
            )
            #expect(try #require(await client.answer()).status == 413)
            client.close()
        }
    }

    @Test func `a body without end is cut off`() async throws {
        try await withServer({ $0.intake = { _ in BodyIntake(limit: 10) } }, handler: Self.count) { server, port in
            let client = try await RawConnection.open(port)
            await client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0, count: 65_536) + Array("\r\n".utf8)
            var sent = 0
            while sent < 1000, await client.send(chunk) { sent += 1 }
            #expect(sent < 1000)
            client.close()
            await eventually("nothing is left of it") { server.activity.connections == 0 }
        }
    }

    @Test func `a declared body that is far too long is refused at once`() async throws {
        try await withServer({ $0.intake = { _ in BodyIntake(limit: 10) } }, handler: Self.count) { _, port in
            let client = try await RawConnection.open(port)
            await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 104857600\r\n\r\n")
            #expect(try #require(await client.answer()).status == 413)
            #expect(await client.isEnded())
            client.close()
        }
    }

    @Test(arguments: [
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "body_length_ambiguous"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nabcde", "body_length_ambiguous"),
        (
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "body_length_ambiguous"
        ),
    ])
    func `a request whose end is ambiguous is refused and ends its connection`(wire: String, code: String) async throws
    {
        try await withServer(handler: Self.count) { _, port in
            let client = try await RawConnection.open(port)
            await client.send(wire)
            let refusal = try #require(await client.answer())
            #expect(refusal.status == 400)
            #expect(try self.code(refusal) == code)
            #expect(await client.isEnded())
            client.close()
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "\0\0\0\0\r\n\r\n", "GET\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nabcde",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\nabc",
    ])
    func `bytes that are not a request reach no handler and the next client is served`(wire: String) async throws {
        let calls = Locked(0)
        try await withServer { _, _ in
            calls.withLock { $0 += 1 }
            return .text(200, "ok")
        } _: { server, port in
            let client = try await RawConnection.open(port, silence: 1)
            await client.send(wire)
            let answer = await client.answer()
            #expect(answer == nil || (400...599).contains(answer?.status ?? 0), "\(answer?.status ?? 0)")
            client.close()
            #expect(calls.withLock { $0 } == 0)
            let next = try await RawConnection.open(port)
            await next.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try #require(await next.answer()).text == "ok")
            next.close()
            await eventually("nothing is left of it") { server.activity.connections == 0 }
        }
    }

    @Test(arguments: ["PROPFIND", "TRACE", "CONNECT", "get", "PRI", "GETX"])
    func `a method without a name here is 501`(method: String) async throws {
        try await withServer(handler: Self.count) { _, port in
            let client = try await RawConnection.open(port)
            await client.send("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try #require(await client.answer())
            #expect(answer.status == 501)
            #expect(try code(answer) == "method_unknown")
            client.close()
        }
    }

    @Test func `headers that are not UTF-8 are refused, not changed`() async throws {
        try await withServer(handler: Self.count) { _, port in
            let client = try await RawConnection.open(port)
            await client.send(Array("GET / HTTP/1.1\r\nHost: a\r\nX-A: ".utf8) + [0xE9] + Array("\r\n\r\n".utf8))
            #expect(try code(try #require(await client.answer())) == "header_not_text")
            await client.send(Array("GET /".utf8) + [0xE9] + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            #expect(try code(try #require(await client.answer())) == "target_not_text")
            client.close()
        }
    }

    @Test func `a flood of header fields or bytes is refused`() async throws {
        try await withServer(handler: Self.count) { server, port in
            let many = (0..<101).map { "X-\($0): 1\r\n" }.joined()
            let long = "X-Long: " + String(repeating: "v", count: 17 * 1024) + "\r\n"
            let huge = (0..<50_000).map { "X-\($0): 1\r\n" }.joined()
            for (fields, known) in [(many, true), (long, true), (huge, false)] {
                let client = try await RawConnection.open(port)
                await client.send("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
                let answer = await client.answer()
                if known { #expect(answer?.status == 431) } else { #expect(answer == nil || answer?.status == 431) }
                client.close()
            }
            await eventually("nothing is left of them") { server.activity.connections == 0 }
        }
    }

    @Test func `a target over its limit is refused`() async throws {
        try await withServer(handler: Self.count) { _, port in
            for length in [9 * 1024, 200 * 1024] {
                let client = try await RawConnection.open(port)
                await client.send("GET /\(String(repeating: "a", count: length)) HTTP/1.1\r\nHost: a\r\n\r\n")
                let answer = await client.answer()
                #expect(answer?.status == 414 || (length > 100_000 && answer == nil), "\(answer?.status ?? 0)")
                client.close()
            }
        }
    }

    @Test func `a proxy that is named brings the connections of many`() async throws {
        try await withServer(
            {
                $0.maximumConnectionsPerAddress = 1
                $0.isProxy = { $0 == "127.0.0.1" }
            },
            handler: Self.count
        ) { server, port in
            var clients: [RawConnection] = []
            for _ in 0..<3 {
                clients.append(try await RawConnection.open(port))
                await clients.last?.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(await clients.last?.answer()?.status == 200)
            }
            #expect(server.activity.connections == 3)
            for client in clients { client.close() }
        }
    }

    @Test func `one address may open so many connections and no more`() async throws {
        try await withServer({ $0.maximumConnectionsPerAddress = 3 }, handler: Self.count) { server, port in
            var clients: [RawConnection] = []
            for _ in 0..<3 {
                clients.append(try await RawConnection.open(port))
                await clients.last?.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(await clients.last?.answer()?.status == 200)
            }
            let fourth = try await RawConnection.open(port)
            #expect(await fourth.isEnded())
            #expect(server.activity.connections == 3)
            for client in clients + [fourth] { client.close() }
        }
    }

    @Test func `where places run out, who says nothing gives way, and no request that is worked on`() async throws {
        let gate = Gate()
        try await withServer {
            $0.maximumConnections = 16
            $0.threads = 1
        } handler: { request, _ in
            if request.path == "/slow" { await gate.wait() }
            return .text(200, "")
        } _: { _, port in
            let busy = try await RawConnection.open(port)
            await busy.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            await eventually("it is with its handler") { gate.arrived == 1 }
            var silent: [RawConnection] = []
            for _ in 0..<40 {
                silent.append(try await RawConnection.open(port))
                await silent.last?.send("GET / HTTP/1.1\r\nX: ")
            }
            let late = try await RawConnection.open(port)
            await late.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await late.answer()?.status == 200)
            #expect(await silent[0].isEnded())
            gate.open()
            #expect(await busy.answer()?.status == 200)
            for client in silent + [busy, late] { client.close() }
        }
    }
}
