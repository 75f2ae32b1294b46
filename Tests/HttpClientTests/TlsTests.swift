import Http
import HttpClient
import Kernel
import Testing

struct TlsTests {
    private func send(
        _ server: TlsServer,
        identity: String? = nil,
        own: ClientCertificate? = nil,
        authorities: [UInt8]? = nil,
        _ change: (inout HttpClientConfiguration) throws -> Void
    ) async throws -> ExchangeOutcome {
        var configuration = HttpClientConfiguration()
        try change(&configuration)
        let client = HttpClient(configuration)
        var request = OutgoingRequest(
            method: .post,
            url: "https://127.0.0.1:\(server.port)/",
            body: [1],
            clientIdentity: identity.map(ClientIdentityName.init),
            clientCertificate: own
        )
        request.authorities = authorities
        let outcome = await client.send(request)
        await client.stop()
        return outcome
    }

    @Test func `a certificate of an unknown authority is refused before anything is sent`() async throws {
        let server = try TlsServer()
        defer { server.stop() }
        #expect(try await send(server) { _ in } == .notSent(.certificateRefused))
    }

    @Test func `a certificate for another host is refused before anything is sent`() async throws {
        let server = try TlsServer(host: "DNS:example.com")
        defer { server.stop() }
        let outcome = try await send(server) { $0.authoritiesFile = server.path("ca.pem") }
        #expect(outcome == .notSent(.certificateRefused))
    }

    @Test func `a trusted server is spoken to in HTTP 1.1, whatever else it offers`() async throws {
        let server = try TlsServer()
        defer { server.stop() }
        let outcome = try await send(server) { $0.authoritiesFile = server.path("ca.pem") }
        #expect(outcome.answer?.body == Array("http/1.1 -".utf8))
    }

    @Test func `an authority that the request itself carries is trusted for it alone`() async throws {
        let server = try TlsServer()
        defer { server.stop() }
        let trusted = try await send(server, authorities: server.bytes("ca.pem")) { _ in }
        #expect(trusted.answer?.body == Array("http/1.1 -".utf8))
        #expect(try await send(server) { _ in } == .notSent(.certificateRefused))
    }

    @Test func `a certificate that the request itself carries is shown`() async throws {
        let server = try TlsServer(wantsClient: true)
        defer { server.stop() }
        let own = ClientCertificate(
            certificate: try server.bytes("client.pem"),
            key: Secret(try server.bytes("client.key"))
        )
        let outcome = try await send(server, own: own) { $0.authoritiesFile = server.path("ca.pem") }
        #expect(outcome.answer?.body == Array("http/1.1 client".utf8))
    }

    @Test func `a client certificate is shown, from files and from text`() async throws {
        let server = try TlsServer(wantsClient: true)
        defer { server.stop() }
        let pem = try ClientIdentity.pem(
            certificate: server.bytes("client.pem"),
            key: Secret(server.bytes("client.key"))
        )
        let files = ClientIdentity.files(certificate: server.path("client.pem"), key: server.path("client.key"))
        for identity in [files, pem] {
            let outcome = try await send(server, identity: "shop") {
                $0.authoritiesFile = server.path("ca.pem")
                $0.identities[ClientIdentityName("shop")] = identity
            }
            #expect(outcome.answer?.body == Array("http/1.1 client".utf8))
        }
        let without = try await send(server) { $0.authoritiesFile = server.path("ca.pem") }
        #expect(without == .notSent(.tlsFailed))
    }

    @Test func `an identity that cannot be loaded is not sent`() async throws {
        let server = try TlsServer(wantsClient: true)
        defer { server.stop() }
        let outcome = try await send(server, identity: "shop") {
            $0.authoritiesFile = server.path("ca.pem")
            $0.identities[ClientIdentityName("shop")] = .files(certificate: server.path("none.pem"), key: "none.key")
        }
        #expect(outcome == .notSent(.identityUnusable))
    }
}
