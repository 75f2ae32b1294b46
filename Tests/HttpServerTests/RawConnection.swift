import Foundation
import Glibc
import TestKit

/// A client on a plain socket: it sends exactly the bytes it is told to send.
///
/// Its calls block, so each runs on a thread of its own and not on the pool that runs the handlers under test.
struct RawConnection: Sendable {
    /// An answer as it came.
    struct Answer: Sendable {
        let status: Int
        let head: String
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }

        func header(_ name: String) -> String? {
            for line in head.split(separator: "\r\n").dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                if parts.count == 2, parts[0].lowercased() == name.lowercased() {
                    return String(parts[1].drop { $0 == " " })
                }
            }
            return nil
        }
    }

    private let socket: PlainSocket

    /// Connects; `silence` bounds every later call, in seconds.
    static func open(_ port: UInt16, silence: Int = 20, receiveBuffer: Int32? = nil) async throws -> RawConnection {
        try await blocking {
            RawConnection(socket: try PlainSocket(to: port, patience: silence, receiveBuffer: receiveBuffer))
        }
    }

    func close() { socket.close() }

    /// Sends all bytes; `false` once the peer does not take them any more.
    @discardableResult
    func send(_ bytes: [UInt8]) async -> Bool { await blocking { socket.send(bytes) } }

    @discardableResult
    func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

    /// Reads one answer; `nil` where the connection ends or stays silent before one is whole.
    func answer(hasBody: Bool = true) async -> Answer? {
        await blocking {
            var head: [UInt8] = []
            while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
                guard let byte = read(1)?.first else { return nil }
                head.append(byte)
            }
            let text = String(decoding: head, as: UTF8.self)
            let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            let empty = Answer(status: status, head: text, body: [])
            var body: [UInt8] = []
            let length = empty.header("content-length").flatMap { Int($0) } ?? 0
            while hasBody, status >= 200, body.count < length {
                guard let piece = read(length - body.count) else { return nil }
                body += piece
            }
            return Answer(status: status, head: text, body: body)
        }
    }

    /// The next bytes, 64 KiB at most; `nil` where the peer ends or stays silent.
    func piece() async -> [UInt8]? { await blocking { read(65_536) } }

    /// What comes up to a text and with it, or until the peer ends or stays silent.
    func read(until text: String) async -> String {
        await blocking {
            var all: [UInt8] = []
            while !String(decoding: all, as: UTF8.self).contains(text), let byte = read(1) { all += byte }
            return String(decoding: all, as: UTF8.self)
        }
    }

    /// Waits for the peer's end; `false` where it stays silent instead.
    func isEnded() async -> Bool {
        await blocking {
            while true {
                var byte: UInt8 = 0
                let count = recv(socket.descriptor, &byte, 1, 0)
                if count == 0 { return true }
                if count < 0 { return errno == ECONNRESET }
            }
        }
    }

    private func read(_ count: Int) -> [UInt8]? { socket.read(min(count, 65_536)) }
}

/// Runs a blocking call on a thread that is not the pool's.
func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
    }
}

func blocking<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: work()) }
    }
}
