import Glibc
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

    /// Kept connections and remembered TLS sessions belong to those who trusted the server.
    @Test func `trust of one request does not open the way for another one of the same client`() async throws {
        let server = try TlsServer()
        defer { server.stop() }
        let client = HttpClient()
        var trusting = OutgoingRequest(method: .post, url: "https://127.0.0.1:\(server.port)/", body: [1])
        let plain = trusting
        trusting.authorities = try server.bytes("ca.pem")
        for _ in 0..<3 {
            #expect(await client.send(trusting).answer?.status == 200)
            #expect(await client.send(plain) == .notSent(.certificateRefused))
        }
        await client.stop()
    }

    @Test func `a connection of one certificate's owner carries nothing of others`() async throws {
        let server = try TlsServer(wantsClient: true)
        defer { server.stop() }
        let client = HttpClient()
        var owned = OutgoingRequest(method: .post, url: "https://127.0.0.1:\(server.port)/", body: [1])
        owned.authorities = try server.bytes("ca.pem")
        let plain = owned
        owned.clientCertificate = ClientCertificate(
            certificate: try server.bytes("client.pem"),
            key: Secret(try server.bytes("client.key"))
        )
        for _ in 0..<3 {
            #expect(await client.send(owned).answer?.body == Array("http/1.1 client".utf8))
            #expect(await client.send(plain) == .notSent(.tlsFailed))
        }
        await client.stop()
    }

    @Test(arguments: TlsServer.Fault.allCases)
    func `a server whose certificate or protocol does not do is refused before anything is sent`(
        fault: TlsServer.Fault
    ) async throws {
        let server = try TlsServer(fault: fault)
        defer { server.stop() }
        let outcome = try await send(server, authorities: server.bytes("ca.pem")) { _ in }
        switch fault {
        case .expired, .notYetValid, .selfSigned: #expect(outcome == .notSent(.certificateRefused))
        case .oldProtocol: #expect(outcome == .notSent(.tlsFailed))
        }
    }

    /// A client learns of whom to trust from its configuration and its request alone.
    @Test func `the environment adds nobody to those who are trusted`() async throws {
        let server = try TlsServer()
        defer { server.stop() }
        for name in ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"] { setenv(name, server.path("ca.pem"), 1) }
        defer { for name in ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"] { unsetenv(name) } }
        #expect(try await send(server) { _ in } == .notSent(.certificateRefused))
    }

    /// A new member is thought about here before it exists: none may loosen the check.
    @Test func `nothing that a client or a request can be told turns the check off`() {
        func members(_ value: some Any) -> [String] { Mirror(reflecting: value).children.compactMap(\.label).sorted() }
        #expect(
            members(HttpClientConfiguration()) == [
                "addresses", "authoritiesFile", "connectTimeout", "connectionsPerHost", "identities",
                "maximumRequests", "maximumRest", "userAgent",
            ]
        )
        #expect(
            members(OutgoingRequest(method: .get, url: "")) == [
                "authorities", "body", "clientCertificate", "clientIdentity", "deadline", "headers",
                "maximumAnswerBytes", "method", "url",
            ]
        )
    }

    @Test func `a proxy of the environment does not stand between us and a server`() async throws {
        for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] { setenv(name, "http://127.0.0.1:1", 1) }
        let server = try TlsServer()
        defer { server.stop() }
        #expect(try await send(server, authorities: server.bytes("ca.pem")) { _ in }.answer?.status == 200)
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
