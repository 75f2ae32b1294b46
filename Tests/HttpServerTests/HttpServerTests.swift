import Http
import HttpServer
import Kernel
import Testing

struct HttpServerTests {
    /// Answers with what arrived, as JSON.
    @Sendable private static func echo(_ request: HttpRequest, _ info: ConnectionInfo) async -> HttpResponse {
        .json(
            200,
            [
                "method": .string(request.method.rawValue), "target": .string(request.target),
                "body": .string(Hex.encode(request.body)), "peer": .string(info.remoteAddress),
                "headers": .array(request.headers.fields.map { .array([.string($0.name), .string($0.value)]) }),
            ]
        )
    }

    @Test(arguments: [
        "/v1/a%2Fb%20c?x=%41+b&&=&y", "/%zz?%", "/a//b/../c;d?e=f?g", "/é?ü=1", "http://example.test/a%20b?c",
    ])
    func `the target reaches the handler exactly as it was on the wire`(target: String) async throws {
        try await withServer(handler: Self.echo) { _, port in
            let client = try await RawConnection.open(port)
            await client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try #require(await client.answer())
            #expect(answer.status == 200)
            #expect(try Json(answer.body)["target"] == .string(target))
            client.close()
        }
    }

    @Test func `header names, values and body bytes are not changed`() async throws {
        try await withServer(handler: Self.echo) { _, port in
            let client = try await RawConnection.open(port)
            await client.send(
                Array("PUT /a HTTP/1.1\r\nHost: a\r\nX-SiGn: a b=%20+é\r\nx-sign: 2\r\nContent-Length: 4\r\n\r\n".utf8)
                    + [0, 255, 13, 10]
            )
            let json = try Json(try #require(await client.answer()).body)
            #expect(json["method"] == "PUT")
            #expect(json["body"] == "00ff0d0a")
            #expect(json["peer"] == "127.0.0.1")
            #expect(
                json["headers"]
                    == [["Host", "a"], ["X-SiGn", "a b=%20+é"], ["x-sign", "2"], ["Content-Length", "4"]]
            )
            client.close()
        }
    }

    @Test func `one connection carries one request after another, also when they come at once`() async throws {
        try await withServer(handler: Self.echo) { _, port in
            let client = try await RawConnection.open(port)
            await client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
            for path in ["/1", "/2"] {
                #expect(try Json(try #require(await client.answer()).body)["target"] == .string(path))
            }
            await client.send("GET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let last = try #require(await client.answer())
            #expect(last.header("connection")?.lowercased() == "close")
            #expect(await client.isEnded())
            client.close()
        }
    }

    @Test func `a chunked body arrives as its bytes`() async throws {
        try await withServer(handler: Self.echo) { _, port in
            let client = try await RawConnection.open(port)
            await client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
            await client.send("2;ext=1\r\nde\r\n0\r\n\r\n")
            #expect(try Json(try #require(await client.answer()).body)["body"] == "6162636465")
            client.close()
        }
    }

    @Test func `HEAD is answered with the length and without the body`() async throws {
        try await withServer(handler: { _, _ in .text(200, "12345") }) { _, port in
            let client = try await RawConnection.open(port)
            await client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let head = try #require(await client.answer(hasBody: false))
            #expect(head.header("content-length") == "5")
            #expect(try #require(await client.answer()).text == "12345")
            client.close()
        }
    }

    @Test func `a client that asks before it sends a body is told to go on`() async throws {
        try await withServer(handler: Self.echo) { _, port in
            let client = try await RawConnection.open(port)
            await client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            #expect(try #require(await client.answer()).status == 100)
            await client.send("ok")
            #expect(try Json(try #require(await client.answer()).body)["body"] == "6f6b")
            client.close()
        }
    }

    @Test func `the handler's status, fields and body are the answer, framing excepted`() async throws {
        let answer = HttpResponse(
            status: 418,
            headers: HttpHeaders([("X-A", "1"), ("X-A", "2"), ("Content-Length", "99")]),
            body: [0, 1, 2]
        )
        try await withServer(handler: { _, _ in answer }) { _, port in
            let client = try await RawConnection.open(port)
            await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let got = try #require(await client.answer())
            #expect(got.status == 418)
            #expect(got.body == [0, 1, 2])
            #expect(got.head.contains("X-A: 1\r\n") && got.head.contains("X-A: 2\r\n"))
            #expect(!got.head.contains("99"))
            client.close()
        }
    }

    @Test(arguments: [
        HttpResponse(status: 200, headers: HttpHeaders([("X-A", "1\r\nX-Injected: 2")])),
        HttpResponse(status: 99), HttpResponse(status: 101),
    ])
    func `an answer that cannot be sent becomes 500`(answer: HttpResponse) async throws {
        try await withServer(handler: { _, _ in answer }) { _, port in
            let client = try await RawConnection.open(port)
            await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let got = try #require(await client.answer())
            #expect(got.status == 500)
            #expect(try Json(got.body)["code"] == "answer_invalid")
            #expect(got.header("x-injected") == nil)
            client.close()
        }
    }

    @Test func `two hundred requests are handled at the same time`() async throws {
        let gate = Gate()
        try await withServer { _, _ in
            await gate.wait()
            return .text(200, "done")
        } _: { server, port in
            var clients: [RawConnection] = []
            for _ in 0..<200 { clients.append(try await RawConnection.open(port)) }
            for client in clients { await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
            await eventually("all requests are with their handlers") { gate.arrived == 200 }
            #expect(server.activity == HttpServerActivity(connections: 200, requests: 200, handlers: 200))
            gate.open()
            for client in clients {
                #expect(await client.answer()?.status == 200)
                client.close()
            }
            await eventually("nothing is left of them") { server.activity.connections == 0 }
        }
    }

    @Test func `an address in use, a bad address and a second start are told apart`() throws {
        let first = HttpServer(configuration: HttpServerConfiguration()) { _, _ in .empty(204) }
        var configuration = HttpServerConfiguration()
        configuration.port = try first.start()
        #expect(throws: HttpServerFailure(code: .alreadyStarted, errno: 0)) { try first.start() }
        let second = HttpServer(configuration: configuration) { _, _ in .empty(204) }
        let failure = #expect(throws: HttpServerFailure.self) { try second.start() }
        #expect(failure?.code == .cannotBind)
        configuration.address = "localhost"
        let third = HttpServer(configuration: configuration) { _, _ in .empty(204) }
        let other = #expect(throws: HttpServerFailure.self) { try third.start() }
        #expect(other?.code == .badAddress)
    }

    @Test func `IPv6 loopback is served where the system has it`() async throws {
        var configuration = HttpServerConfiguration()
        configuration.address = "::1"
        let server = HttpServer(configuration: configuration, handler: Self.echo)
        do throws(HttpServerFailure) {
            #expect(try server.start() > 0)
        } catch {
            #expect(error.code == .cannotBind)
        }
        await server.drain(deadline: .zero)
    }
}
