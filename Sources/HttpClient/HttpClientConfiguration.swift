package import Http
package import Kernel

/// The limits of one client, and whom it trusts.
package struct HttpClientConfiguration: Sendable {
    /// Sent as `User-Agent` where a request has none of its own.
    package var userAgent = "paystream"
    /// Time for name, connection and TLS handshake; the request's deadline holds besides.
    package var connectTimeout = Duration.seconds(5)
    /// Requests carried at a time; more are turned away as not sent.
    package var maximumRequests = 1024
    /// Connections to one host; more requests wait, within their deadlines.
    package var connectionsPerHost = 32
    /// Whole seconds after which a resting connection is not used again.
    package var maximumRest = Duration.seconds(30)
    /// PEM file with further certification authorities; the system's are always trusted.
    package var authoritiesFile: String?
    /// Judges each address that is about to be connected to, whatever its name said before; `nil` permits all.
    package var addresses: AddressPolicy?
    /// Client certificates by the names that requests use.
    package var identities: [ClientIdentityName: ClientIdentity] = [:]

    package init() {}
}

/// A client certificate with its key.
package enum ClientIdentity: Hashable, Sendable {
    /// Paths of PEM files.
    case files(certificate: String, key: String)
    /// The PEM text itself.
    case pem(certificate: [UInt8], key: Secret)
}
