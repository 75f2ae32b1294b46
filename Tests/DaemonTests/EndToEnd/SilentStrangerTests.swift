import Glibc
import Http
import Kernel
import SystemKit
import TestKit
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
            var crowd: [PlainSocket] = []
            defer { for socket in crowd { socket.close() } }
            for sender in [2, 3] as [UInt8] {
                for _ in 0..<Self.files { crowd.append(try PlainSocket(to: port, from: 0x7F00_0000 | UInt32(sender))) }
            }
            for socket in crowd { socket.send("GET /v1/payments HTTP/1.1\r\nX: ") }
            for _ in 0..<5 {
                let status = await OwnThread.run { () throws(Never) in PlainSocket.firstLine(of: "/healthz", port) }
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
            let (silence, place) = try PlainSocket.listening()
            let account: Json = [
                "mode": "test", "name": "silent", "provider": "worldline",
                "secrets": ["apiKeyId": "a", "secretApiKey": "b", "webhookKeys": "c:d"],
                "settings": [
                    "currencies": ["EUR"], "endpoint": .string("http://127.0.0.1:\(place)"), "merchantId": "silent",
                ],
            ]
            try await stage.call(daemon, .post, "/v1/accounts", account, key: "silent", as: rival)
            let port = try #require(UInt16(daemon.port))
            var asked: [PlainSocket] = [silence]
            defer { for socket in asked { socket.close() } }
            for number in 1...Self.files / 2 {
                let path = "/v1/accounts/silent/products?currency=EUR&country=DE&amount=\(number)"
                let socket = try PlainSocket(to: port, from: 0x7F00_0004)
                socket.send("GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(rival)\r\n\r\n")
                asked.append(socket)
            }
            for _ in 0..<3 {
                let status = await OwnThread.run { () throws(Never) in PlainSocket.firstLine(of: "/healthz", port) }
                #expect(status.hasPrefix("HTTP/1.1 200 "), "\(status)")
            }
            _ = try await stage.paid(daemon, "beside", 7700)
        }
    }
}
