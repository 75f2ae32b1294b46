import Foundation
import Glibc
import Kernel
import TestKit

/// A server on a plain socket that misbehaves as the path of a request says, and counts what it was sent.
final class FaultServer: Sendable {
    /// A whole request as it stood on the wire.
    struct Received: Sendable {
        let head: String
        let body: [UInt8]
        /// Which connection of the server carried it, counted from one.
        let connection: Int

        var path: String { head.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
    }

    private struct State {
        var connections = 0
        var closedConnections = 0
        var requests: [Received] = []
        var bytesReceived = 0
        var bytesSent = 0
    }

    let port: UInt16
    private let listener: Int32
    private let state = Locked(State())
    private let stopped = DispatchSemaphore(value: 0)

    init() throws {
        let (socket, port) = try PlainSocket.listening(backlog: 512)
        let descriptor = socket.descriptor
        (listener, self.port) = (descriptor, port)
        Thread.detachNewThread { [self] in
            while true {
                let peer = accept(descriptor, nil, nil)
                // Closed here alone: a number that is free again may be another server's listener, and this thread would take its peers.
                guard peer >= 0 else {
                    close(descriptor)
                    return
                }
                let number = state.withLock { state in
                    state.connections += 1
                    return state.connections
                }
                Thread.detachNewThread { [self] in
                    FaultConnection(server: self, socket: peer, number: number).run()
                }
            }
        }
    }

    /// Ends the listening; connections end with their clients.
    func stop() {
        stopped.signal()
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// Holds a connection, unread, until the server is stopped.
    fileprivate func awaitStop() {
        stopped.wait()
        stopped.signal()
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    var connections: Int { state.withLock { $0.connections } }
    var closedConnections: Int { state.withLock { $0.closedConnections } }
    var bytesReceived: Int { state.withLock { $0.bytesReceived } }
    var bytesSent: Int { state.withLock { $0.bytesSent } }

    /// The whole requests that came for a path.
    func requests(_ path: String) -> [Received] { state.withLock { $0.requests.filter { $0.path == path } } }

    fileprivate func received(_ request: Received) { state.withLock { $0.requests.append(request) } }
    fileprivate func closed() { state.withLock { $0.closedConnections += 1 } }
    fileprivate func countReceived(_ count: Int) { state.withLock { $0.bytesReceived += count } }
    fileprivate func countSent(_ count: Int) { state.withLock { $0.bytesSent += count } }
}

/// One connection of a `FaultServer`, on a thread of its own.
private final class FaultConnection {
    private let server: FaultServer
    private let socket: Int32
    private let number: Int

    init(server: FaultServer, socket: Int32, number: Int) {
        self.server = server
        self.socket = socket
        self.number = number
    }

    func run() {
        defer {
            close(socket)
            server.closed()
        }
        var served = 0
        while let request = read() {
            server.received(request)
            served += 1
            guard answer(request, isFirst: served == 1) else { return }
        }
    }

    /// Answers as the path says; `false` ends the connection.
    private func answer(_ request: FaultServer.Received, isFirst: Bool) -> Bool {
        switch request.path {
        case "/hang":
            _ = readBytes(1)
            return false
        case "/lost": return false
        case "/lost-when-reused": return isFirst && ok("first")
        case "/close-after-answer":
            _ = ok("ok")
            return false
        case "/reset":
            reset()
            return false
        case "/garbage":
            _ = send("SSH-2.0-OpenSSH\r\n\r\n")
            return false
        case "/cut":
            _ = send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
            return false
        case "/cut-head":
            _ = send("HTTP/1.1 200 OK\r\nContent-Le")
            return false
        case "/trickle":
            guard send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n") else { return false }
            while send("x") { usleep(20_000) }
            return false
        case "/goaway":
            _ = send(Self.settings + Self.goAway)
            return false
        case "/switch":
            guard send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n") else {
                return false
            }
            _ = send(Self.settings + Self.goAway)
            return false
        case "/interim-for-ever":
            while send("HTTP/1.1 102 Processing\r\n\r\n") { usleep(20_000) }
            return false
        case "/huge":
            guard send("HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n") else { return false }
            let piece = String(repeating: "x", count: 65_536)
            for _ in 0..<1600 where !send(piece) { return false }
            return true
        case "/endless-head":
            guard send("HTTP/1.1 200 OK\r\n") else { return false }
            while send("X-Filler: \(String(repeating: "x", count: 1000))\r\n") {}
            return false
        case "/interim":
            return send("HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n") && ok("final")
        case "/trailers":
            return send(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"
                    + "X-Trailer: 1\r\nHTTP/1.1 500: 1\r\n\r\n"
            )
        case "/no-content": return send("HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n")
        default: return invitation(request.path) ?? ok(request.head.hasPrefix("HEAD") ? "" : "ok")
        }
    }

    /// Answers that ask for another request.
    private func invitation(_ path: String) -> Bool? {
        switch path {
        case "/redirect/301", "/redirect/302", "/redirect/303", "/redirect/307", "/redirect/308":
            return status("\(path.suffix(3)) Elsewhere", "Location: /redirected\r\nRefresh: 0; url=/redirected")
        case "/status/401":
            return status("401 Unauthorized", "WWW-Authenticate: Basic realm=\"a\", Negotiate, NTLM")
        case "/status/407": return status("407 Proxy Authentication Required", "Proxy-Authenticate: Basic realm=\"a\"")
        case "/status/408", "/status/421", "/status/425", "/status/429", "/status/503":
            return status("\(path.suffix(3)) Later", "Retry-After: 0\r\nAlt-Svc: h2=\":\(server.port)\"")
        case "/status/417": return status("417 Expectation Failed", "X-A: b")
        case "/cookie": return status("200 OK", "Set-Cookie: session=secret; Path=/")
        case "/status/426": return status("426 Upgrade Required", "Upgrade: h2c\r\nConnection: Upgrade")
        default: return nil
        }
    }

    /// Frames of HTTP/2: its settings, and the word that the connection goes away and no stream was taken.
    private static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
    private static let goAway: [UInt8] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]

    private func status(_ line: String, _ fields: String) -> Bool {
        send("HTTP/1.1 \(line)\r\n\(fields)\r\nContent-Length: 0\r\n\r\n")
    }

    private func ok(_ body: String) -> Bool {
        send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nX-A:  b c \r\n\r\n\(body)")
    }

    private func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    private func send(_ bytes: [UInt8]) -> Bool {
        PlainSocket(descriptor: socket).send(bytes) { server.countSent($0) }
    }

    /// Makes the close that follows a reset.
    private func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    private func read() -> FaultServer.Received? {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard let byte = readBytes(1)?.first else { return nil }
            head.append(byte)
        }
        let text = String(decoding: head, as: UTF8.self)
        var left = 0
        for line in text.split(separator: "\r\n") where line.lowercased().hasPrefix("content-length:") {
            left = Int(line.dropFirst(15).drop { $0 == " " }) ?? 0
        }
        if text.hasPrefix("POST /unread ") {
            server.received(FaultServer.Received(head: text, body: [], connection: number))
            server.awaitStop()
            return nil
        }
        if text.hasPrefix("POST /early ") {
            server.received(FaultServer.Received(head: text, body: [], connection: number))
            _ = send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
            while readBytes(65_536) != nil {}
            return nil
        }
        var body: [UInt8] = []
        while body.count < left {
            guard let piece = readBytes(left - body.count) else { return nil }
            body += piece
        }
        return FaultServer.Received(head: text, body: body, connection: number)
    }

    private func readBytes(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: min(count, 65_536))
        let got = recv(socket, &bytes, bytes.count, 0)
        guard got > 0 else { return nil }
        server.countReceived(got)
        return Array(bytes.prefix(got))
    }
}
