import Http
import HttpClient
import Testing

/// What decides about money: nothing that may have had its effect is sent again, and nothing else is called unknown.
struct SentOnceTests {
    @Test(arguments: [HttpMethod.post, .put, .patch, .delete])
    func `a mutating request on a kept connection that dies is not sent twice`(method: HttpMethod) async throws {
        try await withFaultServer { client, server in
            var request = server.post("/lost-when-reused")
            request.method = method
            #expect(await client.send(request).answer?.body == Array("first".utf8))
            #expect(await client.send(request) == .sentNoAnswer(NoAnswer(.connectionLost)))
            #expect(server.requests("/lost-when-reused").map(\.connection) == [1, 1])
        }
    }

    /// The caller's last word would let this one be repeated; it is the body that can't be given twice.
    @Test func `a body is not sent twice, whatever the method`() async throws {
        try await withFaultServer { client, server in
            var request = server.post("/lost-when-reused")
            request.method = .options
            #expect(await client.send(request).answer?.body == Array("first".utf8))
            #expect(await client.send(request) == .sentNoAnswer(NoAnswer(.connectionLost)))
            #expect(server.requests("/lost-when-reused").map(\.connection) == [1, 1])
        }
    }

    @Test(arguments: [HttpMethod.post, .put, .patch, .delete])
    func `a mutating request without a body takes a connection of its own`(method: HttpMethod) async throws {
        try await withFaultServer { client, server in
            var request = server.post("/lost-when-reused", body: [])
            request.method = method
            for _ in 0..<3 { #expect(await client.send(request).answer?.body == Array("first".utf8)) }
            #expect(server.requests("/lost-when-reused").map(\.connection) == [1, 2, 3])
            #expect(server.requests("/lost-when-reused").allSatisfy { $0.body.isEmpty })
        }
    }

    @Test func `a request that changes nothing is repeated on a fresh connection`() async throws {
        try await withFaultServer { client, server in
            let calls = Counter()
            for _ in 0..<2 {
                let outcome = await client.send(server.get("/lost-when-reused")) { calls.count() }
                #expect(outcome.answer?.body == Array("first".utf8))
            }
            #expect(server.requests("/lost-when-reused").map(\.connection) == [1, 1, 2])
            #expect(calls.value == 2)
        }
    }

    @Test func `a connection that was closed while it rested is replaced before anything is sent`() async throws {
        try await withFaultServer { client, server in
            for number in 1...20 {
                #expect(await client.send(server.post("/close-after-answer")).answer?.status == 200)
                await eventually("the server has closed") { server.closedConnections == number }
            }
            #expect(server.requests("/close-after-answer").count == 20)
        }
    }

    @Test func `an answer lost after the effect is unknown and the effect happens once`() async throws {
        try await withFaultServer { client, server in
            #expect(await client.send(server.post("/lost")) == .sentNoAnswer(NoAnswer(.empty)))
            #expect(await client.send(server.post("/lost", body: [])) == .sentNoAnswer(NoAnswer(.empty)))
            #expect(await client.send(server.post("/reset")) == .sentNoAnswer(NoAnswer(.connectionLost)))
            #expect(server.requests("/lost").count == 2)
            #expect(server.requests("/reset").count == 1)
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308], [HttpMethod.post, .get])
    func `a redirect is an answer and is not followed`(status: Int, method: HttpMethod) async throws {
        try await withFaultServer { client, server in
            let path = "/redirect/\(status)"
            let answer = await client.send(method == .get ? server.get(path) : server.post(path)).answer
            #expect(answer?.status == status)
            #expect(answer?.headers["location"] == "/redirected")
            #expect(server.requests(path).count == 1)
            #expect(server.requests("/redirected").isEmpty)
        }
    }

    @Test(arguments: [401, 407, 408, 417, 421, 425, 426, 429, 503])
    func `an answer that invites to try again is an answer`(status: Int) async throws {
        try await withFaultServer { client, server in
            let path = "/status/\(status)"
            for body in [[1, 2, 3], []] as [[UInt8]] {
                #expect(await client.send(server.post(path, body: body)).answer?.status == status)
            }
            #expect(server.requests(path).count == 2)
            #expect(server.requests(path).allSatisfy { !$0.head.contains("Authorization") })
        }
    }

    /// HTTP/2 lets a client repeat what a GOAWAY names as not taken; here nobody speaks it and nothing is repeated.
    @Test(arguments: ["/goaway", "/switch"], [[1, 2, 3], []] as [[UInt8]])
    func `the frames of HTTP 2 are no answer and bring no second request`(path: String, body: [UInt8]) async throws {
        try await withFaultServer { client, server in
            #expect(await client.send(server.post(path, body: body)).noAnswer != nil)
            #expect(server.requests(path).count == 1)
            #expect(server.requests(path).allSatisfy { !$0.head.contains("Upgrade") && !$0.head.contains("HTTP2") })
            #expect(server.connections == 1)
        }
    }

    @Test func `an answer that comes before the body is sent whole is an answer and no cause for another try`()
        async throws
    {
        try await withFaultServer { client, server in
            let outcome = await client.send(server.post("/early", body: [UInt8](repeating: 7, count: 8_000_000)))
            #expect(outcome.answer?.status == 413 || outcome.noAnswer != nil)
            #expect(server.requests("/early").count == 1)
        }
    }

    @Test func `an answer cut in its body or its head is unknown`() async throws {
        try await withFaultServer { client, server in
            #expect(await client.send(server.post("/cut")) == .sentNoAnswer(NoAnswer(.cutShort, status: 200)))
            #expect(await client.send(server.post("/cut-head")).noAnswer == .cutShort)
        }
    }

    @Test func `a refused connection is not sent`() async throws {
        let server = try FaultServer()
        server.stop()
        let client = HttpClient()
        #expect(await client.send(server.post("/")) == .notSent(.unreachable))
        await client.stop()
    }

    @Test func `the caller's last word comes once, before the first byte, and its no is obeyed`() async throws {
        try await withFaultServer { client, server in
            let calls = Counter()
            let outcome = await client.send(server.post("/veto")) {
                calls.count()
                return server.bytesReceived > 0
            }
            #expect(outcome == .notSent(.vetoed))
            #expect(calls.value == 1)
            #expect(await client.send(server.post("/yes")) { calls.count() }.answer?.status == 200)
            #expect(calls.value == 2)
            #expect(server.requests("/veto").isEmpty)
        }
    }

    @Test func `an answer that is not HTTP is unknown`() async throws {
        try await withFaultServer { client, server in
            #expect(await client.send(server.post("/garbage")).noAnswer == .malformed)
        }
    }
}
