import Http
import HttpServer
import Kernel
import Testing

/// What another server on the way may read otherwise is refused at once, with one problem document, and nothing behind it
/// is taken for a request.
@Suite(.timeLimit(.minutes(1)))
struct StrictnessTests {
    private static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(arguments: [
        ("Content-Length : 5\r\n", "abcde", "head_malformed"),
        ("X-Odd : 1\r\n", "", "head_malformed"),
        ("Host: b\r\n", "", "host_ambiguous"),
        ("X-A: b\rX-B: c\r\n", "", "head_malformed"),
        ("X-A: b\r\r\n", "", "head_malformed"),
        ("X-A: b\nX-B: c\r\n", "", "head_malformed"),
        ("X-A: b\0c\r\n", "", "head_malformed"),
        ("X-A: b\0\r\nX-B: d\r\n", "", "head_malformed"),
        ("X-A: b\r\n folded\r\n", "", "head_malformed"),
        ("Transfer-Encoding: gzip\r\n", "abc", "transfer_coding_unknown"),
        ("Transfer-Encoding: chunked, gzip\r\n", "abc", "transfer_coding_unknown"),
        ("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n", "transfer_coding_unknown"),
    ])
    func `a head that can be read in two ways is refused at once`(fields: String, body: String, code: String)
        async throws
    {
        let calls = Locked(0)
        try await withServer { _, _ in
            calls.withLock { $0 += 1 }
            return .text(200, "ok")
        } _: { _, port in
            let client = try await RawConnection.open(port, silence: 5)
            await client.send("POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\(body)\(Self.smuggled)")
            let refusal = try #require(await client.answer())
            #expect(refusal.status == 400)
            #expect(try Json(refusal.body)["code"]?.text == code)
            #expect(refusal.header("Content-Type") == "application/problem+json")
            #expect(await client.isEnded())
            client.close()
            #expect(calls.withLock { $0 } == 0)
        }
    }

    @Test(arguments: [
        ("TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", 501, "method_unknown"),
        (
            "GET / HTTP/1.1\r\nHost: a\r\nX-A: \(String(repeating: "b", count: 17_000))\r\n\r\n", 431,
            "headers_too_large"
        ),
        ("GET /\(String(repeating: "a", count: 9_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414, "target_too_long"),
    ])
    func `what a server refuses by itself says what is wrong and what to do`(wire: String, status: Int, code: String)
        async throws
    {
        try await withServer(handler: { _, _ in .text(200, "ok") }) { _, port in
            let client = try await RawConnection.open(port, silence: 5)
            await client.send(wire)
            let refusal = try #require(await client.answer())
            #expect(refusal.status == status)
            #expect(refusal.header("Content-Type") == "application/problem+json")
            let problem = try Json(refusal.body)
            #expect(problem["code"]?.text == code)
            let sentences = (problem["detail"]?.text ?? "").split(separator: ". ")
            #expect(sentences.count == 2 && sentences.last?.last == ".", "\(problem.canonicalText)")
            client.close()
        }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", "host_missing"), ("GET / HTTP/1.1\r\nX-A: b\r\n\r\n", "host_missing"),
        ("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", "head_malformed"),
        ("GET  /  HTTP/1.1\r\nHost: a\r\n\r\n", "head_malformed"),
        ("GET /a\u{1}b HTTP/1.1\r\nHost: a\r\n\r\n", "head_malformed"),
    ])
    func `a request without a host, or with a blank in its target, is told in a problem`(wire: String, code: String)
        async throws
    {
        try await withServer(handler: { _, _ in .text(200, "ok") }) { _, port in
            let client = try await RawConnection.open(port, silence: 5)
            await client.send(wire + Self.smuggled)
            let refusal = try #require(await client.answer())
            #expect(refusal.status == 400)
            #expect(try Json(refusal.body)["code"]?.text == code)
            #expect(await client.isEnded())
            client.close()
            let old = try await RawConnection.open(port, silence: 5)
            await old.send("GET / HTTP/1.0\r\n\r\n")
            #expect(await old.answer()?.status == 200)
            old.close()
        }
    }

    @Test func `a request line that ends in a carriage return alone is refused`() async throws {
        try await withServer(handler: { _, _ in .text(200, "ok") }) { _, port in
            let client = try await RawConnection.open(port, silence: 5)
            await client.send("GET / HTTP/1.1\rHost: a\r\n\r\n")
            #expect(try #require(await client.answer()).status == 400)
            client.close()
        }
    }

    @Test(arguments: [10, 1000, 3000])
    func `a target of many parameters is answered, and reaches the handler as it came`(count: Int) async throws {
        let query = (0..<count).map { "a\($0)" }.joined(separator: "&")
        try await withServer { request, _ in
            .text(200, request.head.rawQuery.map { String($0.utf8.count) } ?? "none")
        } _: { _, port in
            let client = try await RawConnection.open(port, silence: 5)
            await client.send("GET /?\(query) HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try #require(await client.answer())
            #expect(answer.status == 414 || answer.text == "\(query.utf8.count)", "\(answer.status) \(answer.text)")
            client.close()
        }
    }

    @Test(arguments: ["3;x", "0"])
    func `the first line of a chunk has an end`(begin: String) async throws {
        let calls = Locked(0)
        try await withServer { _, _ in
            calls.withLock { $0 += 1 }
            return .text(200, "ok")
        } _: { server, port in
            let client = try await RawConnection.open(port, silence: 5)
            await client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            await client.send(
                begin + String(repeating: String(begin.suffix(1)), count: 200_000) + "\r\nabc\r\n0\r\n\r\n"
            )
            let refusal = try #require(await client.answer())
            #expect(refusal.status == 400)
            #expect(try Json(refusal.body)["code"]?.text == "body_malformed")
            #expect(await client.isEnded())
            client.close()
            while server.activity.connections > 0 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(calls.withLock { $0 } == 0)
        }
    }

    @Test func `a chunk's line that fills its connection's memory keeps no socket loop running`() async throws {
        let begin = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;"
        let memory = HttpServerConfiguration().connectionMemory
        try await withServer(handler: { _, _ in .text(200, "ok") }) { server, port in
            for free in stride(from: 1, to: 64, by: 16) {
                let client = try await RawConnection.open(port)
                await client.send(begin + String(repeating: "x", count: memory - begin.utf8.count - free))
                let before = server.runs
                try await Task.sleep(for: .milliseconds(100))
                #expect(server.runs - before < 200)
                client.close()
            }
        }
    }

    @Test func `a body in an encoding that is not spoken is 415, and identity is no encoding`() async throws {
        try await withServer(handler: { request, _ in .text(200, "\(request.body.count)") }) { _, port in
            let client = try await RawConnection.open(port)
            await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc")
            let refusal = try #require(await client.answer())
            #expect(refusal.status == 415)
            #expect(try Json(refusal.body)["code"]?.text == "content_encoding_unsupported")
            await client.send(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: identity\r\nContent-Length: 3\r\n\r\nabc"
            )
            #expect(try #require(await client.answer()).text == "3")
            client.close()
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: a\r\nX-A:b\r\nX-B:  c \t\r\nX-C:\r\nX-D: d\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /?a=%20b HTTP/1.1\r\nX-A: 1\r\nhost: a\r\n\r\n",
        "GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n",
    ])
    func `what has one reading is taken`(wire: String) async throws {
        try await withServer(handler: { _, _ in .text(200, "ok") }) { _, port in
            let client = try await RawConnection.open(port, silence: 5)
            await client.send(wire)
            #expect(await client.answer()?.status == 200)
            // In pieces as well: what has come so far stands in the same memory.
            let slow = try await RawConnection.open(port, silence: 5)
            for byte in wire.utf8 { await slow.send([byte]) }
            #expect(await slow.answer()?.status == 200)
            for client in [client, slow] { client.close() }
        }
    }
}
