package import Http

/// Why an attempt to deliver a webhook counts as failed.
package enum WebhookFailure: String, Hashable, Sendable, CaseIterable {
    /// A status that is not 2xx; a redirect is not followed.
    case status
    /// 410: the receiver wants no more.
    case gone
    /// The address is none that may be reached, or the name leads to such a one.
    case addressRefused = "address_refused"
    /// The name has no address.
    case nameUnresolved = "name_unresolved"
    case unreachable
    /// No TLS, or a certificate that does not prove the name.
    case tls
    /// No answer within the deadline.
    case deadline
    /// The connection broke or what came is no answer.
    case connection
    /// Nothing was sent: this node had no place for it, or was stopping.
    case notSent = "not_sent"
    /// The event is not in the feed any more.
    case eventLost = "event_lost"

    /// The status and failure of an exchange; an answer whose head was read counts by its status, however it went on.
    package static func read(_ outcome: ExchangeOutcome) -> (status: Int?, failure: WebhookFailure?) {
        switch outcome {
        case .answered(let response): (response.status, of(response.status))
        case .sentNoAnswer(let end):
            // Whoever said that he has it has it, however long he goes on speaking.
            if let status = end.status {
                (status, of(status))
            } else {
                (nil, end.reason == .deadline ? .deadline : .connection)
            }
        case .notSent(let reason): (nil, of(reason))
        }
    }

    private static func of(_ status: Int) -> WebhookFailure? {
        switch status {
        case 200...299: nil
        case 410: .gone
        default: .status
        }
    }

    private static func of(_ reason: NotSentReason) -> WebhookFailure {
        switch reason {
        case .insecure, .invalidRequest, .addressRefused: .addressRefused
        case .nameUnresolved: .nameUnresolved
        case .unreachable: .unreachable
        case .tlsFailed, .certificateRefused, .identityUnusable: .tls
        case .deadline: .deadline
        case .transport: .connection
        case .vetoed, .cancelled, .overloaded, .stopped: .notSent
        }
    }
}
