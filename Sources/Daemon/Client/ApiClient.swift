package import Http
import HttpClient
package import Kernel

/// A small client of our own API, for commands that act as a backend would.
package struct ApiClient: Sendable {
    package let address: String
    private let key: Secret
    private let client = HttpClient()

    package init(address: String, key: Secret) {
        self.address = address
        self.key = key
    }

    /// An answer that is not what the caller can go on with.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
        /// The status of a problem; none where no answer came, or a good one was not as expected.
        package let status: Int?
        /// The code of a problem.
        package let code: String?

        package init(description: String, status: Int? = nil, code: String? = nil) {
            self.description = description
            self.status = status
            self.code = code
        }
    }

    /// Calls a route and gives the JSON answer; anything but 2xx is a failure that names the problem.
    @discardableResult
    package func call(
        _ method: HttpMethod,
        _ path: String,
        _ body: Json? = nil,
        key idempotencyKey: String? = nil,
        headers more: [(String, String)] = []
    ) async throws(Failure) -> Json {
        var headers = HttpHeaders(more)
        key.withBytes { headers.set("Authorization", "Bearer " + String(decoding: $0, as: UTF8.self)) }
        if body != nil { headers.set("Content-Type", "application/json") }
        if let idempotencyKey { headers.set("Idempotency-Key", idempotencyKey) }
        return try Self.json(
            try await send(
                OutgoingRequest(
                    method: method,
                    url: address + path,
                    headers: headers,
                    body: body?.compactBytes ?? [],
                    deadline: .seconds(65)
                )
            ),
            to: "\(method.rawValue) \(path)"
        )
    }

    /// Brings a file as it is; anything but 2xx is a failure that names the problem.
    package func bring(_ file: [UInt8], _ type: String, to path: String) async throws(Failure) -> Json {
        var headers = HttpHeaders([("Content-Type", type)])
        key.withBytes { headers.set("Authorization", "Bearer " + String(decoding: $0, as: UTF8.self)) }
        let request = OutgoingRequest(
            method: .post,
            url: address + path,
            headers: headers,
            body: file,
            deadline: .seconds(65)
        )
        return try Self.json(try await send(request), to: "POST \(path)")
    }

    private static func json(_ response: HttpResponse, to request: String) throws(Failure) -> Json {
        let json = (try? Json(response.body)) ?? .null
        guard (200..<300).contains(response.status) else {
            throw Failure(
                description: "\(request): \(response.status) \(json["code"]?.text ?? "") "
                    + (json["detail"]?.text ?? "") + (json["path"]?.text.map { " at \($0)" } ?? "")
                    + (json["requestId"]?.text.map { " (\($0))" } ?? ""),
                status: response.status,
                code: json["code"]?.text
            )
        }
        return json
    }

    /// Uploads lines of JSON.
    package func upload(_ lines: [UInt8], to path: String) async throws(Failure) -> Json {
        var headers = HttpHeaders([("Content-Type", "application/x-ndjson")])
        key.withBytes { headers.set("Authorization", "Bearer " + String(decoding: $0, as: UTF8.self)) }
        let response = try await send(
            OutgoingRequest(
                method: .put,
                url: address + path,
                headers: headers,
                body: lines,
                deadline: .seconds(300)
            )
        )
        let json = (try? Json(response.body)) ?? .null
        guard response.status == 200 else {
            throw Failure(
                description: "PUT \(path): \(response.status) \(json["code"]?.text ?? "") \(json["detail"]?.text ?? "")"
                    + (json["line"]?.integer.map { " in line \($0)" } ?? "")
            )
        }
        return json
    }

    /// Opens an address as the payer's browser would, or posts JSON to the sandbox.
    package func open(_ url: String, posting body: Json? = nil, accept: String? = nil) async throws(Failure)
        -> HttpResponse
    {
        var headers = HttpHeaders([("Accept", accept ?? (body == nil ? "text/html" : "application/json"))])
        if body != nil { headers.set("Content-Type", "application/json") }
        return try await send(
            OutgoingRequest(
                method: body == nil ? .get : .post,
                url: url,
                headers: headers,
                body: body?.compactBytes ?? [],
                deadline: .seconds(30)
            )
        )
    }

    /// Submits a form as the payer's browser would.
    package func submit(_ fields: [(name: String, value: String)], to url: String) async throws(Failure) -> HttpResponse
    {
        let headers = HttpHeaders([("Accept", "text/html"), ("Content-Type", "application/x-www-form-urlencoded")])
        let body = Array(FormEncoding.encode(fields).utf8)
        return try await send(
            OutgoingRequest(method: .post, url: url, headers: headers, body: body, deadline: .seconds(30))
        )
    }

    private func send(_ request: OutgoingRequest) async throws(Failure) -> HttpResponse {
        switch await client.send(request) {
        case .answered(let response): return response
        case .notSent(let reason): throw Failure(description: "\(request.url): not sent (\(reason.rawValue))")
        case .sentNoAnswer(let lost): throw Failure(description: "\(request.url): no answer (\(lost.reason.rawValue))")
        }
    }

    package func stop() async { await client.stop() }
}
