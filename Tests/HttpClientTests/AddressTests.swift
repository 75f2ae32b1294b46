import Http
import HttpClient
import Testing

/// Whom the client connects to is judged by the address at the socket.
struct AddressTests {
    private func guarded(_ policy: AddressPolicy) -> HttpClientConfiguration {
        var configuration = HttpClientConfiguration()
        configuration.addresses = policy
        return configuration
    }

    @Test func `no byte goes to the machine itself, however it is called`() async throws {
        try await withFaultServer(guarded(AddressPolicy())) { client, server in
            for host in ["127.0.0.1", "localhost"] {
                let url = server.url("/ok").replacing("127.0.0.1", with: host)
                let outcome = await client.send(OutgoingRequest(method: .post, url: url, body: [1]))
                #expect(outcome == .notSent(.addressRefused), "\(host)")
            }
            #expect(server.requests("/ok").isEmpty)
        }
    }

    @Test func `a permitted network is reached`() async throws {
        let loopback = try #require(SourceNetwork("127.0.0.0/8"))
        try await withFaultServer(guarded(AddressPolicy(permitted: [loopback]))) { client, server in
            #expect(await client.send(server.post("/ok")).answer?.status == 200)
            #expect(await client.send(server.post("/ok")).answer?.status == 200, "on the connection that rested, too")
        }
    }
}
