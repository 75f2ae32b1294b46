package import Http
import Kernel

/// An HTTP client that never sends a request twice by itself.
///
/// libcurl on one thread of its own. Bodies are given by a read callback that can't be rewound, so a broken kept-alive
/// connection ends an exchange instead of repeating it; redirects are answers; no proxy of the environment is used; TLS is
/// always verified, and plain `http` reaches loopback addresses only.
package final class HttpClient: Sendable {
    private let loop: CurlLoop
    private let configuration: HttpClientConfiguration

    package init(_ configuration: HttpClientConfiguration = HttpClientConfiguration()) {
        self.configuration = configuration
        loop = CurlLoop(configuration)
    }

    deinit { loop.orderStop(within: .zero) }

    /// Carries one request to its end within its deadline.
    ///
    /// `aboutToSend` is asked on the socket thread when the connection stands, right before the first byte may leave:
    /// it must not wait, and `false` ends the exchange as not sent. A cancelled task ends it at once, as not sent where
    /// no byte has left yet.
    package func send(
        _ request: OutgoingRequest,
        aboutToSend: @escaping @Sendable () -> Bool = { true }
    ) async -> ExchangeOutcome {
        if let reason = refusal(of: request) { return .notSent(reason) }
        let transfer = Transfer(request, aboutToSend: aboutToSend)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                transfer.await(continuation)
                if Task.isCancelled {
                    transfer.finish(.notSent(.cancelled))
                } else {
                    loop.start(transfer)
                }
            }
        } onCancel: {
            loop.cancel(transfer)
        }
    }

    /// Takes no new request, lets those under way end until the deadline, breaks off the rest and ends the thread.
    package func stop(within duration: Duration = .zero) async { await loop.stop(within: duration) }

    /// Why a request cannot be sent at all.
    private func refusal(of request: OutgoingRequest) -> NotSentReason? {
        guard let address = Address.read(request.url) else { return .invalidRequest }
        guard address.isSecure || address.isLoopback else { return .insecure }
        guard request.headers.fields.allSatisfy({ HttpHeaders.isValid($0.name, $0.value) }) else {
            return .invalidRequest
        }
        switch request.method {
        case .get, .head: if !request.body.isEmpty { return .invalidRequest }
        case .post, .put, .patch, .delete, .options: break
        }
        if let name = request.clientIdentity, configuration.identities[name] == nil { return .identityUnusable }
        return request.deadline > .zero ? nil : .deadline
    }
}
