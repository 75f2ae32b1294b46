import Http
import HttpClient
import Testing

/// A handle of libcurl serves one request after another, whoever they are for.
struct ReusedHandleTests {
    @Test func `a request carries nothing of the one before it`() async throws {
        try await withFaultServer { client, server in
            var owned = server.post("/cookie", body: Array("secret-body".utf8))
            owned.method = .put
            owned.headers = HttpHeaders([
                ("Authorization", "Bearer secret"), ("Cookie", "a=secret"), ("User-Agent", "owner/1"),
                ("Content-Type", "application/secret"), ("X-Owner", String(repeating: "secret", count: 100)),
            ])
            let plain = server.get("/plain")
            for _ in 0..<3 {
                #expect(await client.send(owned).answer?.headers["Set-Cookie"] == "session=secret; Path=/")
                #expect(await client.send(plain).answer?.status == 200)
            }
            let heads = server.requests("/plain").map(\.head)
            let head = "GET /plain HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nUser-Agent: paystream\r\n\r\n"
            #expect(heads == [head, head, head])
            #expect(server.requests("/plain").allSatisfy { $0.body.isEmpty })
            #expect(server.connections == 1, "on one connection, and so by one handle after the other")
        }
    }

    @Test func `an answer carries nothing of the one before it`() async throws {
        try await withFaultServer { client, server in
            #expect(await client.send(server.get("/cookie")).answer?.headers["Set-Cookie"] != nil)
            let answer = try #require(await client.send(server.get("/ok")).answer)
            #expect(answer.headers.fields.map(\.name) == ["Content-Length", "X-A"])
        }
    }

    @Test func `an empty value, a repeated name and a name of ours leave as they must`() async throws {
        try await withFaultServer { client, server in
            var request = server.get("/lines")
            request.headers = HttpHeaders([
                ("user-agent", ""), ("X-A", "1"), ("X-A", "2"), ("Connection", "close"), ("Accept", "text/plain"),
            ])
            #expect(await client.send(request).answer?.status == 200)
            #expect(
                server.requests("/lines").map(\.head) == [
                    "GET /lines HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nuser-agent:\r\nX-A: 1\r\nX-A: 2\r\n"
                        + "Accept: text/plain\r\n\r\n"
                ]
            )
        }
    }

    /// What libcurl read of an address is remembered by its scheme, host and port.
    @Test func `a remembered origin permits no address that only begins like it`() async throws {
        try await withFaultServer { client, server in
            for _ in 0..<2 { #expect(await client.send(server.get("/ok")).answer?.status == 200) }
            let origin = server.url("")
            let refused: [(String, NotSentReason)] = [
                ("\(origin)@example.com/", .invalidRequest), (origin + "\\@example.com/", .invalidRequest),
                (origin.replacing("127.0.0.1", with: "127.0.0.1.example.com") + "/", .insecure),
                ("http:///example.com/", .insecure), (origin + "/a b", .invalidRequest),
                (origin + "/\u{1}", .invalidRequest), (origin + "0000/", .invalidRequest),
            ]
            for (url, reason) in refused {
                let request = OutgoingRequest(method: .post, url: url, body: [1])
                #expect(await client.send(request) == .notSent(reason), "\(url)")
            }
            for end in ["?a=b", "#c", ""] {
                let request = OutgoingRequest(method: .get, url: origin + end)
                #expect(await client.send(request).answer?.status == 200, "\(end)")
            }
        }
    }
}
