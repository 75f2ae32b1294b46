package import Kernel

/// The name under which the client's configuration keeps a certificate and key to present to a server.
package struct ClientIdentityName: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }
}

/// A certificate and its key, both PEM text, to present to one server: an account's own, carried by the request.
package struct ClientCertificate: Hashable, Sendable {
    package let certificate: [UInt8]
    package let key: Secret

    package init(certificate: [UInt8], key: Secret) {
        self.certificate = certificate
        self.key = key
    }
}

/// A request to send, with the limits of its exchange.
package struct OutgoingRequest: Hashable, Sendable {
    package var method: HttpMethod
    /// The absolute address: `https://…`, or `http://…` where the host is a loopback address.
    package var url: String
    package var headers: HttpHeaders
    package var body: [UInt8]
    /// The time for the whole exchange: connecting, sending, waiting and reading.
    package var deadline: Duration
    package var clientIdentity: ClientIdentityName?
    /// Presented in place of a configured identity.
    package var clientCertificate: ClientCertificate?
    /// PEM text of certification authorities that are trusted for this request beside the client's.
    package var authorities: [UInt8]?
    package var maximumAnswerBytes: Int

    package static let standardDeadline = Duration.seconds(30)
    package static let standardAnswerBytes = 1024 * 1024

    package init(
        method: HttpMethod,
        url: String,
        headers: HttpHeaders = HttpHeaders(),
        body: [UInt8] = [],
        deadline: Duration = OutgoingRequest.standardDeadline,
        clientIdentity: ClientIdentityName? = nil,
        clientCertificate: ClientCertificate? = nil,
        maximumAnswerBytes: Int = OutgoingRequest.standardAnswerBytes
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.deadline = deadline
        self.clientIdentity = clientIdentity
        self.clientCertificate = clientCertificate
        self.maximumAnswerBytes = maximumAnswerBytes
    }
}
