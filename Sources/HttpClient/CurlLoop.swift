import CCurl
import CShims
import Glibc
import Http
import Kernel

/// A libcurl multi handle and the thread that owns it; everybody else talks to it through a mailbox.
final class CurlLoop: Sendable {
    private enum Message: Sendable {
        case start(Transfer)
        case cancel(Transfer)
        case stop(CheckedContinuation<Void, Never>)
    }

    private struct Mailbox: Sendable {
        var messages: [Message] = []
        var isStopped = false
    }

    private let mailbox = Locked(Mailbox())
    private let handle: MultiHandle
    private let configuration: HttpClientConfiguration

    init(_ configuration: HttpClientConfiguration) {
        self.configuration = configuration
        handle = MultiHandle(connectionsPerHost: configuration.connectionsPerHost)
        let loop = unsafe Unmanaged.passRetained(self)
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread,
            nil,
            { raw in
                if let raw = unsafe raw { unsafe Unmanaged<CurlLoop>.fromOpaque(raw).takeRetainedValue().run() }
                return nil
            },
            loop.toOpaque()
        )
        precondition(code == 0, "a thread can be made")
        pthread_detach(thread)
    }

    func start(_ transfer: Transfer) {
        if !post(.start(transfer)) { transfer.finish(.notSent(.stopped)) }
    }

    func cancel(_ transfer: Transfer) { _ = post(.cancel(transfer)) }

    func stop() async {
        await withCheckedContinuation { continuation in
            if !post(.stop(continuation)) { continuation.resume() }
        }
    }

    private func post(_ message: Message) -> Bool {
        let isTaken = mailbox.withLock { box -> Bool in
            guard !box.isStopped else { return false }
            if case .stop = message { box.isStopped = true }
            box.messages.append(message)
            return true
        }
        if isTaken { handle.wake() }
        return isTaken
    }

    // MARK: The thread

    private func run() {
        var live: [EasyHandle: Transfer] = [:]
        while true {
            let messages = mailbox.withLock { box in
                let taken = box.messages
                box.messages = []
                return taken
            }
            for message in messages {
                switch message {
                case .start(let transfer): begin(transfer, &live)
                case .cancel(let transfer): breakOff(transfer, &live)
                case .stop(let waiting):
                    for (easy, transfer) in live {
                        handle.remove(easy)
                        easy.free(transfer)
                        transfer.finish(transfer.brokenOff(.stopped, .stopped))
                    }
                    handle.free()
                    return waiting.resume()
                }
            }
            handle.perform()
            while let (easy, code) = handle.nextFinished() {
                guard let transfer = live.removeValue(forKey: easy) else { continue }
                handle.remove(easy)
                transfer.finish(CurlOutcome.read(code, transfer))
                easy.free(transfer)
            }
            handle.poll()
        }
    }

    private func begin(_ transfer: Transfer, _ live: inout [EasyHandle: Transfer]) {
        guard transfer.isAwaited else { return }
        guard live.count < configuration.maximumRequests else { return transfer.finish(.notSent(.overloaded)) }
        let identity = transfer.request.clientIdentity.flatMap { configuration.identities[$0] }
        guard let easy = EasyHandle(transfer, configuration, identity) else {
            return transfer.finish(.notSent(.invalidRequest))
        }
        live[easy] = transfer
        handle.add(easy)
    }

    private func breakOff(_ transfer: Transfer, _ live: inout [EasyHandle: Transfer]) {
        guard let easy = live.first(where: { $0.value === transfer })?.key else {
            return transfer.finish(.notSent(.cancelled))
        }
        live[easy] = nil
        handle.remove(easy)
        transfer.finish(transfer.brokenOff(.cancelled, .cancelled))
        easy.free(transfer)
    }
}

/// What libcurl's code means, told apart by whether a byte may have left.
enum CurlOutcome {
    static func read(_ code: CURLcode, _ transfer: Transfer) -> ExchangeOutcome {
        if code == CURLE_OK, let status = transfer.status {
            return .answered(HttpResponse(status: status, headers: transfer.headers, body: transfer.body))
        }
        if transfer.wasVetoed { return .notSent(.vetoed) }
        guard transfer.hasStarted else { return .notSent(notSent(code)) }
        if transfer.isTooLarge { return .sentNoAnswer(NoAnswer(.tooLarge, status: transfer.status)) }
        return .sentNoAnswer(NoAnswer(noAnswer(code), status: transfer.status))
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

    private static func noAnswer(_ code: CURLcode) -> NoAnswerReason {
        switch code {
        case CURLE_OPERATION_TIMEDOUT: .deadline
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_SEND_FAIL_REWIND: .connectionLost
        case CURLE_GOT_NOTHING: .empty
        case CURLE_PARTIAL_FILE: .cutShort
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, CURLE_OK: .malformed
        default: .transport
        }
    }
}
