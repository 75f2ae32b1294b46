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

    /// Carries one request to its end within its deadline.
    ///
    /// `aboutToSend` is asked on the socket thread when the connection stands, right before the first byte may leave;
    /// `false` ends the exchange as not sent. A cancelled task ends it at once, as not sent where no byte could leave yet.
    package func send(
        _ request: OutgoingRequest,
        aboutToSend: @escaping @Sendable () -> Bool = { true }
    ) async -> ExchangeOutcome {
        guard let address = Address(request.url) else { return .notSent(.invalidRequest) }
        guard address.isSecure || address.isLoopback else { return .notSent(.insecure) }
        guard request.headers.fields.allSatisfy({ HttpHeaders.isValid($0.name, $0.value) }) else {
            return .notSent(.invalidRequest)
        }
        if let name = request.clientIdentity, configuration.identities[name] == nil {
            return .notSent(.identityUnusable)
        }
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

    /// Ends every exchange under way and the thread; later requests are not sent.
    package func stop() async { await loop.stop() }
}

/// The parts of an address that decide whether it may be used.
private struct Address {
    let isSecure: Bool
    let isLoopback: Bool

    init?(_ url: String) {
        let rest: Substring
        if url.hasPrefix("https://") {
            isSecure = true
            rest = url.dropFirst(8)
        } else if url.hasPrefix("http://") {
            isSecure = false
            rest = url.dropFirst(7)
        } else {
            return nil
        }
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        let host: Substring
        if authority.hasPrefix("[") {
            host = authority.dropFirst().prefix { $0 != "]" }
        } else {
            host = authority.prefix { $0 != ":" }
        }
        isLoopback = host == "localhost" || host == "::1" || Self.isLoopback4(host)
    }

    private static func isLoopback4(_ host: Substring) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
