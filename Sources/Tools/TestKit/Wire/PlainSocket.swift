import Glibc

/// A TCP socket of the machine to itself: tests say with it what no client would, and answer as no server would.
///
/// Its calls block, so who is not to hold up others makes them on a thread of its own.
package struct PlainSocket: Sendable {
    /// The system said no; its number for why.
    package struct Refused: Error {
        package let code: Int32
    }

    package static let loopback: UInt32 = 0x7F00_0001

    package let descriptor: Int32

    /// Connects to a port, from an address of the loopback network; every later call ends after so many seconds of silence.
    package init(
        to port: UInt16,
        from source: UInt32 = loopback,
        patience: Int = 10,
        receiveBuffer: Int32? = nil
    ) throws(Refused) {
        let opened = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        descriptor = opened
        if var size = receiveBuffer { setsockopt(opened, SOL_SOCKET, SO_RCVBUF, &size, 4) }
        var silence = timeval(tv_sec: patience, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(opened, SOL_SOCKET, option, &silence, socklen_t(MemoryLayout<timeval>.size))
        }
        guard
            Self.with(source, 0, { bind(opened, $0, $1) }) == 0,
            Self.with(Self.loopback, port, { connect(opened, $0, $1) }) == 0
        else {
            let code = errno
            Glibc.close(opened)
            throw Refused(code: code)
        }
    }

    /// A socket that listens on a free port, for so many whom nobody takes yet.
    package static func listening(backlog: Int32 = 1024) throws(Refused) -> (socket: PlainSocket, port: UInt16) {
        let opened = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = with(loopback, 0) { bind(opened, $0, $1) }
        let code = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bound | listen(opened, backlog) | getsockname(opened, place, &length)
            }
        }
        guard code == 0 else {
            let code = errno
            Glibc.close(opened)
            throw Refused(code: code)
        }
        return (PlainSocket(descriptor: opened), UInt16(bigEndian: place.sin_port))
    }

    /// One that is open already, as a peer that was taken.
    package init(descriptor: Int32) { self.descriptor = descriptor }

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

    /// Sends all bytes and tells `count` of each part that has gone; false once the peer takes no more.
    @discardableResult
    package func send(_ bytes: [UInt8], _ count: (Int) -> Void = { _ in }) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let part = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard part > 0 else { return false }
            count(part)
            sent += part
        }
        return true
    }

    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// The next bytes, so many at most; `nil` where the peer ends or stays silent.
    package func read(_ most: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: most)
        let count = recv(descriptor, &bytes, most, 0)
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }

    package func close() { Glibc.close(descriptor) }

    /// The first line of the answer to a GET on a connection of its own; empty where there is none.
    package static func firstLine(of path: String, _ port: UInt16) -> String {
        guard let socket = try? PlainSocket(to: port) else { return "" }
        defer { socket.close() }
        socket.send("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        return String(decoding: (socket.read(512) ?? []).prefix { $0 != 13 }, as: UTF8.self)
    }
}
