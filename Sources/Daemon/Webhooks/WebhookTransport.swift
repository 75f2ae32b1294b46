package import Http
import HttpClient

/// How webhooks leave: a client of their own, so that receivers and providers take nothing from each other.
enum WebhookTransport {
    static func client(_ addresses: AddressPolicy) -> HttpClient {
        var configuration = HttpClientConfiguration()
        configuration.userAgent = "paystream-webhooks/1"
        configuration.addresses = addresses
        configuration.connectTimeout = .seconds(5)
        configuration.maximumRequests = 1024
        // Endpoints of several merchants may stand at one host: each has its places, and no host has fewer.
        configuration.connectionsPerHost = 1024
        return HttpClient(configuration)
    }
}

extension AddressPolicy {
    /// The public internet and the machine itself, for development and tests.
    package static var local: AddressPolicy {
        AddressPolicy(permitted: ["127.0.0.0/8", "::1/128"].compactMap { SourceNetwork($0) })
    }
}
