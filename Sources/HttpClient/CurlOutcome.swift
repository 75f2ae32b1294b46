import CCurl
import Http

/// The meaning of a transfer's end, told apart by whether a byte may have left and not by libcurl's code alone.
enum CurlOutcome {
    static func read(_ code: CURLcode, _ transfer: Transfer) -> ExchangeOutcome {
        // libcurl calls an answer whole whose head was cut behind its status line.
        if code == CURLE_OK, transfer.isHeadOver, let status = transfer.status {
            return .answered(HttpResponse(status: status, headers: transfer.headers, body: transfer.body))
        }
        switch transfer.progress {
        case .connecting: return .notSent(transfer.isAddressRefused ? .addressRefused : notSent(code))
        case .vetoed: return .notSent(.vetoed)
        case .sending where transfer.sentBytes == 0: return .notSent(notSent(code))
        case .sending: return .sentNoAnswer(NoAnswer(noAnswer(code, transfer), status: transfer.status))
        }
    }

    /// The end of a transfer that is broken off from here.
    static func brokenOff(_ transfer: Transfer, _ notSent: NotSentReason, _ noAnswer: NoAnswerReason) -> ExchangeOutcome
    {
        transfer.progress == .sending && transfer.sentBytes > 0
            ? .sentNoAnswer(NoAnswer(noAnswer, status: transfer.status))
            : .notSent(notSent)
    }

    private static func notSent(_ code: CURLcode) -> NotSentReason {
        switch code {
        case CURLE_OPERATION_TIMEDOUT: .deadline
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .nameUnresolved
        case CURLE_COULDNT_CONNECT: .unreachable
        case CURLE_SSL_CONNECT_ERROR: .tlsFailed
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE: .certificateRefused
        case CURLE_SSL_CERTPROBLEM: .identityUnusable
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .invalidRequest
        default: .transport
        }
    }

    private static func noAnswer(_ code: CURLcode, _ transfer: Transfer) -> NoAnswerReason {
        if transfer.isTooLarge { return .tooLarge }
        switch code {
        case CURLE_OPERATION_TIMEDOUT: return .deadline
        case CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND, CURLE_ABORTED_BY_CALLBACK: return .connectionLost
        case CURLE_RECV_ERROR: return transfer.status == nil ? .connectionLost : .cutShort
        case CURLE_GOT_NOTHING: return .empty
        case CURLE_PARTIAL_FILE: return .cutShort
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING: return .malformed
        case CURLE_OK: return transfer.status == nil ? .malformed : .cutShort
        default: return .transport
        }
    }
}
