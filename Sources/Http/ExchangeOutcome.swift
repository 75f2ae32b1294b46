/// A client's knowledge after an exchange; the border between the first two cases decides about money.
package enum ExchangeOutcome: Hashable, Sendable {
    /// No byte of the request left this machine: trying again is safe.
    case notSent(NotSentReason)
    /// The request, or a part of it, may have arrived and have had its effect; only an inquiry can tell.
    case sentNoAnswer(NoAnswer)
    /// The whole answer is here.
    case answered(HttpResponse)
}

/// Why a request never left.
package enum NotSentReason: String, Hashable, Sendable, CaseIterable {
    /// The caller's last word before the first byte was no.
    case vetoed
    /// The caller's task was cancelled in time.
    case cancelled
    /// The deadline passed before a connection was ready, or the connection took too long.
    case deadline
    /// The address is plain `http` and not a loopback address.
    case insecure
    /// Every address of the host is one that the client must not connect to.
    case addressRefused = "address_refused"
    /// The address, a header or a limit of the request cannot be used.
    case invalidRequest = "invalid_request"
    /// The request names a client identity that is not configured, or whose files cannot be used.
    case identityUnusable = "identity_unusable"
    /// The host's name has no address.
    case nameUnresolved = "name_unresolved"
    /// The host refused the connection or cannot be reached.
    case unreachable
    /// The TLS handshake failed.
    case tlsFailed = "tls_failed"
    /// The server's certificate does not prove its name.
    case certificateRefused = "certificate_refused"
    /// The client carries as many requests as its configuration allows.
    case overloaded
    /// The client is stopping.
    case stopped
    /// The transport failed in a way that has no name here, before the first byte.
    case transport
}

/// The end of an exchange whose request left and whose answer is not whole.
package struct NoAnswer: Hashable, Sendable {
    package let reason: NoAnswerReason
    /// The status of the answer, where at least its head was read; it proves nothing about the effect.
    package let status: Int?

    package init(_ reason: NoAnswerReason, status: Int? = nil) {
        self.reason = reason
        self.status = status
    }
}

/// Why no whole answer came.
package enum NoAnswerReason: String, Hashable, Sendable, CaseIterable {
    /// The deadline passed.
    case deadline
    /// The connection broke before the head of an answer.
    case connectionLost = "connection_lost"
    /// The connection was closed without one byte of an answer.
    case empty
    /// The answer's body ended early.
    case cutShort = "cut_short"
    /// The answer is longer than the request allows.
    case tooLarge = "too_large"
    /// Something came that is not an HTTP answer.
    case malformed
    /// The caller's task was cancelled.
    case cancelled
    /// The client was stopped.
    case stopped
    /// The transport failed in a way that has no name here.
    case transport
}
