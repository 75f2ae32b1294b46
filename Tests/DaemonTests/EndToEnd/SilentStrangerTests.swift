import Glibc
import Http
import Kernel
import SystemKit
import Testing

/// Strangers who open connections, say half a word and wait.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct SilentStrangerTests {
    /// A daemon with so few has places for half as many connections.
    private static let files = 256

    @Test func `who opens connections and says nothing stops nobody, however few files there may be`() async throws {
        try await Stage.run("e2ecrowd") { stage, first in
            try await stage.end(first, SIGTERM)
            let daemon = try await stage.serve(files: Self.files)
            _ = try await stage.paid(daemon, "before", 7700)
            let port = try #require(UInt16(daemon.port))
            var crowd: [RawSocket] = []
            defer { for socket in crowd { socket.close() } }
            for sender in [2, 3] as [UInt8] {
                for _ in 0..<Self.files { crowd.append(try RawSocket(from: (127, 0, 0, sender), to: port)) }
            }
            for socket in crowd { socket.send("GET /v1/payments HTTP/1.1\r\nX: ") }
            for _ in 0..<5 {
                let status = await OwnThread.run { () throws(Never) in Self.health(port) }
                #expect(status.hasPrefix("HTTP/1.1 200 "), "\(status)")
            }
            _ = try await stage.paid(daemon, "beside", 7700)
            #expect(kill(daemon.child.id, 0) == 0, "\(DaemonProcess.text(of: daemon.outputFile))")
        }
    }

    @Test func `a merchant whose questions are never answered leaves places for others`() async throws {
        try await Stage.run("e2easkers") { stage, first in
            try await stage.end(first, SIGTERM)
            let daemon = try await stage.serve(files: Self.files)
            let rival = try await stage.newRival(daemon)
            // The system greets whoever comes, and nobody ever answers.
            let (silence, place) = try RawSocket.listener()
            let account: Json = [
                "mode": "test", "name": "silent", "provider": "worldline",
                "secrets": ["apiKeyId": "a", "secretApiKey": "b", "webhookKeys": "c:d"],
                "settings": [
                    "currencies": ["EUR"], "endpoint": .string("http://127.0.0.1:\(place)"), "merchantId": "silent",
                ],
            ]
            try await stage.call(daemon, .post, "/v1/accounts", account, key: "silent", as: rival)
            let port = try #require(UInt16(daemon.port))
            var asked: [RawSocket] = [silence]
            defer { for socket in asked { socket.close() } }
            for number in 1...Self.files / 2 {
                let path = "/v1/accounts/silent/products?currency=EUR&country=DE&amount=\(number)"
                let socket = try RawSocket(from: (127, 0, 0, 4), to: port)
                socket.send("GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(rival)\r\n\r\n")
                asked.append(socket)
            }
            for _ in 0..<3 {
                let status = await OwnThread.run { () throws(Never) in Self.health(port) }
                #expect(status.hasPrefix("HTTP/1.1 200 "), "\(status)")
            }
            _ = try await stage.paid(daemon, "beside", 7700)
        }
    }

    /// The first line of an answer on a connection of its own; empty where there is none within ten seconds.
    private static func health(_ port: UInt16) -> String {
        guard let socket = try? RawSocket(from: (127, 0, 0, 1), to: port) else { return "" }
        defer { socket.close() }
        socket.send("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        return socket.firstLine()
    }
}

/// A connection of the machine to itself, from the address that is asked for.
private struct RawSocket: Sendable {
    private let descriptor: Int32

    init(from source: (UInt8, UInt8, UInt8, UInt8), to port: UInt16) throws {
        let opened = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        descriptor = opened
        var silence = timeval(tv_sec: 10, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(opened, SOL_SOCKET, SO_RCVTIMEO, &silence, size)
        let own = UInt32(source.0) << 24 | UInt32(source.1) << 16 | UInt32(source.2) << 8 | UInt32(source.3)
        let bound = Self.with(own, 0) { bind(opened, $0, $1) }
        let reached = bound == 0 ? Self.with(0x7F00_0001, port) { connect(opened, $0, $1) } : bound
        guard reached == 0 else {
            let code = errno
            Glibc.close(opened)
            throw Stage.Failure(description: "no connection to port \(port): \(code)")
        }
    }

    /// A socket that listens and takes nothing, and its port.
    static func listener() throws -> (RawSocket, UInt16) {
        let opened = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = Self.with(0x7F00_0001, 0) { bind(opened, $0, $1) }
        let code = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bound | listen(opened, 1024) | getsockname(opened, place, &length)
            }
        }
        guard code == 0 else { throw Stage.Failure(description: "no place to listen: \(errno)") }
        return (RawSocket(descriptor: opened), UInt16(bigEndian: place.sin_port))
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    private static func with(
        _ address: UInt32,
        _ port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = address.bigEndian
        return withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    func firstLine() -> String {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? String(decoding: bytes.prefix(count).prefix { $0 != 13 }, as: UTF8.self) : ""
    }

    func close() { Glibc.close(descriptor) }
}
