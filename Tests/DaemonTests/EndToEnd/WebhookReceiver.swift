import Crypto
import Http
import HttpServer
import Kernel

/// A receiver of webhooks that answers as a test tells it, and keeps what came.
final class WebhookReceiver: Sendable {
    /// One request as it came.
    struct Received: Sendable {
        let id: String
        let timestamp: String
        let signatures: [String]
        let body: [UInt8]

        var json: Json? { try? Json(body) }
        var type: String? { json?["type"]?.text }
        var resource: String? { json?.at("resource", "id")?.text }
        var sequence: Int64? { json?["sequence"]?.integer }

        /// Whether the private key of a public one signed it, by the words of Standard Webhooks.
        func isSigned(byPairOf publicKey: String) -> Bool {
            guard let bytes = Base64.decode(String(publicKey.dropFirst("whpk_".count))),
                let key = Ed25519PublicKey(bytes)
            else { return false }
            let message = Array("\(id).\(timestamp).".utf8) + body
            return signatures.contains { signature in
                guard signature.hasPrefix("v1a,"), let bytes = Base64.decode(String(signature.dropFirst(4))) else {
                    return false
                }
                return key.verifies(bytes, of: message)
            }
        }

        /// Whether a secret signed it, by the words of Standard Webhooks.
        func isSigned(by secret: String) -> Bool {
            guard let key = Base64.decode(String(secret.dropFirst("whsec_".count))) else { return false }
            let code = Hmac.sha256(key: Secret(key), Array("\(id).\(timestamp).".utf8) + body)
            return signatures.contains("v1," + Base64.encode(code))
        }
    }

    enum Answer: Sendable {
        case status(Int)
        case body(Int)
        /// A redirect to an address.
        case moved(String)
        /// No answer for so long.
        case late(Duration)
    }

    let address: String
    private let server: HttpServer
    private let state: Locked<(answer: Answer, heard: [Received])>

    init(_ answer: Answer = .status(200)) throws {
        let state = Locked<(answer: Answer, heard: [Received])>((answer, []))
        self.state = state
        var configuration = HttpServerConfiguration()
        configuration.address = "127.0.0.1"
        configuration.port = 0
        server = HttpServer(configuration: configuration) { request, _ in
            let received = Received(
                id: request.headers["webhook-id"] ?? "",
                timestamp: request.headers["webhook-timestamp"] ?? "",
                signatures: (request.headers["webhook-signature"] ?? "").split(separator: " ").map(String.init),
                body: request.body
            )
            let answer = state.withLock { state in
                state.heard.append(received)
                return state.answer
            }
            switch answer {
            case .status(let status):
                return HttpResponse(status: status, contentType: "text/plain", body: Array("hi".utf8))
            case .body(let bytes):
                return HttpResponse(
                    status: 200,
                    contentType: "text/plain",
                    body: [UInt8](repeating: 0x61, count: bytes)
                )
            case .moved(let address):
                return HttpResponse(status: 302, contentType: "text/plain", body: []).with("Location", address)
            case .late(let time):
                try? await Task.sleep(for: time)
                return HttpResponse(status: 200, contentType: "text/plain", body: [])
            }
        }
        address = "http://127.0.0.1:\(try server.start())/hooks"
    }

    var heard: [Received] { state.withLock(\.heard) }

    func answer(_ answer: Answer) { state.withLock { $0.answer = answer } }

    func stop() async { _ = await server.drain(deadline: .seconds(1)) }
}
