package import Http

/// What one client may do and whom it trusts.
package struct HttpClientConfiguration: Sendable {
    /// Sent as `User-Agent`.
    package var userAgent = "paystream"
    package var connectTimeout = Duration.seconds(5)
    /// Requests carried at a time; more are turned away as not sent.
    package var maximumRequests = 1024
    /// Connections kept open to one host.
    package var connectionsPerHost = 32
    /// PEM file with further certification authorities; the system's are always trusted.
    package var authoritiesFile: String?
    /// Client certificates by the names that requests use.
    package var identities: [ClientIdentityName: ClientIdentity] = [:]

    package init() {}
}

/// A client certificate with its key, as PEM files.
package struct ClientIdentity: Hashable, Sendable {
    package let certificateFile: String
    package let keyFile: String

    package init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}
