import Glibc
import Http
import HttpClient
import Testing

struct HttpClientTests {
    @Test func `a request leaves with exactly the target, fields and body it was given`() async throws {
        var configuration = HttpClientConfiguration()
        configuration.userAgent = "paystream/1.2"
        try await withFaultServer(configuration) { client, server in
            var request = server.post("/a/../b%2Fc;d?e=%20+&f=%zz", body: [0, 255, 13, 10])
            request.headers = HttpHeaders([
                ("X-Sign", "a=b, c"), ("x-EMPTY", ""), ("Content-Type", "application/json"), ("Content-Length", "9"),
            ])
            #expect(await client.send(request).answer?.status == 200)
            let got = try #require(server.requests("/a/../b%2Fc;d?e=%20+&f=%zz").first)
            #expect(
                got.head
                    == "POST /a/../b%2Fc;d?e=%20+&f=%zz HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
                    + "User-Agent: paystream/1.2\r\nX-Sign: a=b, c\r\nx-EMPTY:\r\nContent-Type: application/json\r\n"
                    + "Content-Length: 4\r\n\r\n"
            )
            #expect(got.body == [0, 255, 13, 10])
        }
    }

    @Test(arguments: HttpMethod.allCases)
    func `every method leaves under its name`(method: HttpMethod) async throws {
        try await withFaultServer { client, server in
            let request = OutgoingRequest(method: method, url: server.url("/m"))
            #expect(await client.send(request).answer?.status == 200)
            let got = try #require(server.requests("/m").first)
            #expect(got.head.hasPrefix("\(method.rawValue) /m HTTP/1.1\r\n"))
            #expect(!got.head.contains("Accept") && !got.head.contains("Content-Type"))
        }
    }

    @Test func `a long body is sent whole and without asking first`() async throws {
        try await withFaultServer { client, server in
            let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            #expect(await client.send(server.post("/long", body: body)).answer?.status == 200)
            let got = try #require(server.requests("/long").first)
            #expect(got.body == body)
            #expect(!got.head.contains("Expect"))
        }
    }

    @Test func `an answer's fields are trimmed and its body is exact`() async throws {
        try await withFaultServer { client, server in
            let answer = try #require(await client.send(server.get("/ok")).answer)
            #expect(answer.headers.fields.map(\.name) == ["Content-Length", "X-A"])
            #expect(answer.headers["x-a"] == "b c")
            #expect(answer.body == Array("ok".utf8))
        }
    }

    @Test func `interim heads and trailers are no part of the answer`() async throws {
        try await withFaultServer { client, server in
            let interim = try #require(await client.send(server.get("/interim")).answer)
            #expect(interim.status == 200)
            #expect(interim.headers["x-early"] == nil)
            let trailers = try #require(await client.send(server.get("/trailers")).answer)
            #expect(trailers.status == 200)
            #expect(trailers.body == Array("abc".utf8))
            #expect(trailers.headers["x-trailer"] == nil)
            #expect(await client.send(server.get("/no-content")).answer?.status == 204)
        }
    }

    @Test func `connections are used again`() async throws {
        try await withFaultServer { client, server in
            for _ in 0..<10 { #expect(await client.send(server.post("/ok")).answer?.status == 200) }
            #expect(server.connections == 1)
        }
    }

    @Test(arguments: [
        ("http://example.com/", NotSentReason.insecure), ("http://10.0.0.1/", .insecure), ("http://[::2]/", .insecure),
        ("http://127.0.0.1.example.com/", .insecure), ("http://localhost.example.com/", .insecure),
        ("http://128.0.0.1/", .insecure), ("http://127.0.0.1@example.com/", .invalidRequest),
        ("http://a:b@127.0.0.1/", .invalidRequest), ("ftp://127.0.0.1/", .invalidRequest),
        ("file:///etc/passwd", .invalidRequest), ("127.0.0.1/", .invalidRequest), ("", .invalidRequest),
        ("http://127.0.0.1/a b", .invalidRequest), ("http://127.0.0.1/\r\nX: y", .invalidRequest),
        ("http://127.0.0.1\\@example.com/", .invalidRequest), ("https://no-such-host.invalid/", .nameUnresolved),
    ])
    func `an address that must not be used is not sent`(url: String, reason: NotSentReason) async throws {
        let client = HttpClient()
        #expect(await client.send(OutgoingRequest(method: .post, url: url, body: [1])) == .notSent(reason))
        await client.stop()
    }

    @Test func `a request that cannot be written is not sent`() async throws {
        try await withFaultServer { client, server in
            var request = server.post("/")
            request.headers.append("X-A", "1\r\nX-B: 2")
            #expect(await client.send(request) == .notSent(.invalidRequest))
            request = server.get("/")
            request.body = [1]
            #expect(await client.send(request) == .notSent(.invalidRequest))
            request = server.get("/")
            request.clientIdentity = ClientIdentityName("nobody")
            #expect(await client.send(request) == .notSent(.identityUnusable))
            #expect(server.connections == 0)
        }
    }

    @Test func `a proxy of the environment is not used`() async throws {
        for name in ["http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"] { setenv(name, "http://127.0.0.1:1", 1) }
        try await withFaultServer { client, server in
            #expect(await client.send(server.get("/ok")).answer?.status == 200)
        }
    }
}
