public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends one request and gives the answer, whatever its status; the client repeats, a transport never does.
public protocol Transport: Sendable {
    func send(_ request: TransportRequest) async throws -> TransportAnswer
}

public struct TransportRequest: Sendable {
    public let method: String
    public let url: URL
    public let headers: [String: String]
    public let body: Data?
    /// How long the answer may take.
    public let timeout: Duration
}

public struct TransportAnswer: Sendable {
    public let status: Int
    /// By name in small letters.
    public let headers: [String: String]
    public let body: Data

    public init(status: Int, headers: [String: String], body: Data) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { $1 }
        self.body = body
    }
}

/// The transport of Foundation: no cookies, no cache, no redirects.
public final class UrlSessionTransport: Transport {
    private let session: URLSession

    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    public func send(_ request: TransportRequest) async throws -> TransportAnswer {
        var wanted = URLRequest(url: request.url)
        wanted.httpMethod = request.method
        wanted.httpBody = request.body
        wanted.timeoutInterval = request.timeout / .seconds(1)
        for (name, value) in request.headers { wanted.setValue(value, forHTTPHeaderField: name) }
        let (body, response) = try await session.data(for: wanted)
        guard let answer = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        let headers = answer.allHeaderFields.map { (String(describing: $0.key), String(describing: $0.value)) }
        return TransportAnswer(status: answer.statusCode, headers: Dictionary(headers) { $1 }, body: body)
    }
}

/// An API key is for the daemon that was named, and for nobody that it names in its turn.
private final class NoRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }
}
