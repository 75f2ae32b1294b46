import Foundation
import Glibc
import Http
import HttpClient
import Kernel
import TestKit

/// A provider that answers as a test tells it, and writes down what the daemon sends.
///
/// It stands in front of the sandbox, which answers what nobody told otherwise: what the provider has done is the sandbox's
/// truth, and only chosen answers are foreign.
final class ToldProvider: Sendable {
    /// A whole request.
    struct Message: Sendable {
        let method: String
        /// With its query.
        let path: String
        let headers: HttpHeaders
        let body: [UInt8]

        /// What a header tells about the payer's device.
        var device: String { headers["X-GCS-ClientMetaInfo"] ?? "" }
        /// By which the provider knows a repetition.
        var key: String? { headers["X-GCS-Idempotence-Key"] }
        var text: String { "\(method) \(path)\n\(device)\n" + String(decoding: body, as: UTF8.self) }
    }

    enum Answer: Sendable {
        /// The sandbox is asked, and the daemon hears this instead of its answer.
        case changed(@Sendable (HttpResponse) -> HttpResponse)
        /// The sandbox is asked, and the connection is closed without an answer.
        case lost
        /// The sandbox is not asked.
        case said(HttpResponse)
        /// The sandbox is not asked, and the connection stays open without a word.
        case silent
    }

    private struct Order {
        let answer: Answer
        var times: Int
        let isMeant: @Sendable (Message) -> Bool
    }

    private struct State {
        var heard: [Message] = []
        var orders: [Order] = []
        var open: Set<Int32> = []
        var isStopped = false
    }

    let address: String
    private let listener: Int32
    private let sandbox: String
    private let client: HttpClient
    private let state = Locked(State())

    init(before sandbox: String, _ client: HttpClient) throws {
        self.sandbox = sandbox
        self.client = client
        let (socket, port) = try PlainSocket.listening()
        listener = socket.descriptor
        address = "http://127.0.0.1:\(port)"
        Thread.detachNewThread { [self] in accept() }
    }

    /// Answers so many of the next messages that are meant; what was told earlier goes first.
    func tell(_ answer: Answer, times: Int = 1, when isMeant: @escaping @Sendable (Message) -> Bool) {
        state.withLock { $0.orders.append(Order(answer: answer, times: times, isMeant: isMeant)) }
    }

    /// Answers so many of the next messages that hold each of the words in method, path or body.
    func tell(_ answer: Answer, times: Int = 1, on words: String...) {
        tell(answer, times: times) { message in
            let text = message.text
            return words.allSatisfy { text.contains($0) }
        }
    }

    /// Lets the sandbox answer again.
    func forget() { state.withLock { $0.orders = [] } }

    /// What came and holds each of the words.
    func messages(naming words: String...) -> [Message] {
        state.withLock { $0.heard }.filter { message in words.allSatisfy { message.text.contains($0) } }
    }

    /// Closes every connection; a test's stage does so at its end.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            for socket in state.open { shutdown(socket, Int32(SHUT_RDWR)) }
        }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept() {
        while true {
            let peer = Glibc.accept(listener, nil, nil)
            // Closed here alone: the number of a socket that is closed may be another one's at once.
            guard peer >= 0 else {
                close(listener)
                return
            }
            let isWanted = state.withLock { state in
                if !state.isStopped { state.open.insert(peer) }
                return !state.isStopped
            }
            guard isWanted else {
                close(peer)
                continue
            }
            Thread.detachNewThread { [self] in
                let connection = ProviderConnection(socket: peer)
                while let message = connection.read(), let answer = answer(message, connection) {
                    guard connection.send(answer) else { break }
                }
                state.withLock { state in
                    state.open.remove(peer)
                    close(peer)
                }
            }
        }
    }

    /// The answer to a message, or `nil` where the connection ends without one.
    private func answer(_ message: Message, _ connection: ProviderConnection) -> HttpResponse? {
        let told = state.withLock { state -> Answer? in
            state.heard.append(message)
            let index = state.orders.firstIndex { $0.times > 0 && $0.isMeant(message) }
            guard let index else { return nil }
            state.orders[index].times -= 1
            return state.orders[index].answer
        }
        switch told {
        case nil: return ask(message)
        case .changed(let change)?: return ask(message).map(change)
        case .lost?:
            _ = ask(message)
            return nil
        case .said(let response)?: return response
        case .silent?:
            connection.awaitEnd()
            return nil
        }
    }

    /// What the sandbox answers; on a thread that may wait for it.
    private func ask(_ message: Message) -> HttpResponse? {
        var headers = message.headers
        for name in ["Host", "Content-Length", "Connection"] { headers.set(name, nil) }
        guard let method = HttpMethod(rawValue: message.method) else { return nil }
        let onward = OutgoingRequest(
            method: method,
            url: sandbox + message.path,
            headers: headers,
            body: message.body,
            deadline: .seconds(10)
        )
        let answered = DispatchSemaphore(value: 0)
        let slot = Locked<HttpResponse?>(nil)
        Task { [client] in
            if case .answered(let response) = await client.send(onward) { slot.withLock { $0 = response } }
            answered.signal()
        }
        answered.wait()
        return slot.withLock { $0 }
    }
}

/// One connection, on a thread of its own.
private final class ProviderConnection {
    private let socket: Int32
    private var bytes: [UInt8] = []

    init(socket: Int32) { self.socket = socket }

    /// The next request; `nil` where the peer sends no more.
    func read() -> ToldProvider.Message? {
        var end = headEnd
        while end == nil {
            guard readMore() else { return nil }
            end = headEnd
        }
        guard let end else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ").map(String.init) ?? []
        guard words.count == 3 else { return nil }
        var headers = HttpHeaders()
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            headers.append(String(parts[0]), String(parts[1].drop { $0 == " " }))
        }
        let whole = end + 4 + (headers["Content-Length"].flatMap(Int.init) ?? 0)
        while bytes.count < whole { guard readMore() else { return nil } }
        let body = Array(bytes[(end + 4)..<whole])
        bytes.removeFirst(whole)
        return ToldProvider.Message(method: words[0], path: words[1], headers: headers, body: body)
    }

    /// Where the empty line stands that ends a head.
    private var headEnd: Int? {
        let mark = Array("\r\n\r\n".utf8)
        return bytes.indices.first { bytes[$0...].starts(with: mark) }
    }

    func send(_ response: HttpResponse) -> Bool {
        var head = "HTTP/1.1 \(response.status) \(HttpStatus.phrase(response.status))\r\n"
        for field in response.headers.fields
        where !["content-length", "connection", "transfer-encoding"].contains(field.name.lowercased()) {
            head += "\(field.name): \(field.value)\r\n"
        }
        let bytes = Array((head + "Content-Length: \(response.body.count)\r\n\r\n").utf8) + response.body
        return PlainSocket(descriptor: socket).send(bytes)
    }

    /// Waits until the peer gives up.
    func awaitEnd() { while readMore() {} }

    private func readMore() -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &piece, piece.count, 0)
        guard count > 0 else { return false }
        bytes += piece.prefix(count)
        return true
    }
}

extension ToldProvider.Answer {
    /// The sandbox's answer with a change in its JSON.
    static func edited(_ edit: @escaping @Sendable (Json) -> Json) -> ToldProvider.Answer {
        .changed { answer in
            var changed = answer
            if let body = try? Json(answer.body) { changed.body = edit(body).compactBytes }
            return changed
        }
    }
}

extension HttpResponse {
    /// The same with another text in the place of one.
    func replacing(_ text: String, with other: String) -> HttpResponse {
        var changed = self
        changed.body = Array(String(decoding: body, as: UTF8.self).replacing(text, with: other).utf8)
        return changed
    }
}
