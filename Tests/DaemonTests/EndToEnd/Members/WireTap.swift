import Http
import HttpClient
import HttpServer
import Kernel

/// A server in front of the sandbox that writes down what the daemon sends, and lets the sandbox answer.
final class WireTap: Sendable {
    struct Message: Sendable {
        let path: String
        let body: [UInt8]
        /// What a header tells about the payer's device.
        let device: String
        /// By which the provider knows a repetition.
        let key: String?

        var text: String { path + "\n" + device + "\n" + String(decoding: body, as: UTF8.self) }
    }

    private let server: HttpServer
    private let heard = Locked<[Message]>([])
    let address: String

    /// `spoil` gives what the daemon gets in place of an answer; `nil` lets it through.
    init(
        before sandbox: String,
        _ client: HttpClient,
        spoil: @escaping @Sendable (Message, HttpResponse) -> HttpResponse? = { _, _ in nil }
    ) throws {
        let heard = heard
        server = HttpServer(configuration: HttpServerConfiguration()) { request, _ in
            let query = request.head.rawQuery.map { "?\($0)" } ?? ""
            let device = request.headers["X-GCS-ClientMetaInfo"] ?? ""
            let message = Message(
                path: String(request.path) + query,
                body: request.body,
                device: device,
                key: request.headers["X-GCS-Idempotence-Key"]
            )
            heard.withLock { $0.append(message) }
            var headers = request.headers
            headers.set("Host", nil)
            headers.set("Content-Length", nil)
            headers.set("Connection", nil)
            let onward = OutgoingRequest(
                method: request.method,
                url: sandbox + String(request.path) + query,
                headers: headers,
                body: request.body,
                deadline: .seconds(10)
            )
            guard case .answered(let answer) = await client.send(onward) else { return .text(503, "silent") }
            return spoil(message, answer) ?? answer
        }
        address = "http://127.0.0.1:\(try server.start())"
    }

    /// Messages that name a payment.
    func messages(naming reference: String) -> [Message] {
        heard.withLock { $0.filter { $0.text.contains(reference) } }
    }

    func stop() async { await server.drain(deadline: .zero) }
}
