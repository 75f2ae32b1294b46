import Http
import HttpClient
import Testing

/// What HTTP clients do with money, named after the client.
struct KnownTransportFailureTests {
    @Test(arguments: [true, false])
    func `libcurl, URLSession: a POST on a dead kept-alive connection is not sent again by anybody`(
        _ hasBody: Bool
    ) async throws {
        try await withFaultServer { client, server in
            let request = hasBody ? server.post("/lost-when-reused") : server.post("/lost-when-reused", body: [])
            _ = await client.send(request)
            let second = await client.send(request)
            #expect(server.requests("/lost-when-reused").count == 2)
            // Sent and unanswered is what it is called, where it was sent at all.
            #expect(!hasBody || second == .sentNoAnswer(NoAnswer(.connectionLost)))
        }
    }
}
