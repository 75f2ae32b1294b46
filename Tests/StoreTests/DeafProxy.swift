import Dispatch
import Glibc
import Kernel
import Postgres
import TestKit

/// A relay between one client and the server that can lose a request or an answer.
final class DeafProxy: Sendable {
    enum Mode: Sendable {
        case relay
        /// The next request is thrown away with the connection: the server never sees it.
        case loseRequest
        /// The next answer is thrown away with the connection: the server has done everything.
        case loseAnswer
    }

    struct Failure: Error {
        let step: String
        let code: Int32
    }

    /// Reaches the same database through the relay.
    let options: PostgresOptions
    private let mode = Locked(Mode.relay)
    private let listener: Int32
    private let path: String

    /// Opens a relay for one connection.
    static func open(to database: TestDatabase) async throws -> DeafProxy {
        let connection = try await PostgresConnection.connect(database.options)
        let settings = try await connection.query(
            "SELECT current_setting('port'), split_part(current_setting('unix_socket_directories'), ',', 1)"
        ) { row throws(PostgresFailure) in (try row.text(0), try row.text(1)) }
        await connection.close()
        guard let (port, folder) = settings.first, !folder.isEmpty else { throw Failure(step: "socket", code: 0) }
        let proxy = try DeafProxy(database.options)
        let server = try connectTo("\(folder)/.s.PGSQL.\(port)")
        DispatchQueue.global().async { proxy.relay(server) }
        return proxy
    }

    private init(_ original: PostgresOptions) throws {
        var template = Array("/tmp/paystream-proxy-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Failure(step: "folder", code: errno) }
        let folder = String(cString: made)
        path = "\(folder)/.s.PGSQL.1"
        options = original.with(overrides: ["host": folder, "port": "1"])
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = try Self.address(path)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(listener, 1) == 0 else { throw Failure(step: "listen", code: errno) }
    }

    deinit {
        close(listener)
        unlink(path)
        rmdir(String(path.dropLast("/.s.PGSQL.1".count)))
    }

    /// Loses the next request or answer.
    func lose(_ next: Mode) { mode.withLock { $0 = next } }

    private func relay(_ server: Int32) {
        let client = accept(listener, nil, nil)
        var ends = [
            pollfd(fd: client, events: Int16(POLLIN), revents: 0),
            pollfd(fd: server, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&ends, 2, -1) > 0 {
            let mode = mode.withLock { $0 }
            if ends[0].revents != 0, mode == .loseRequest || !pass(from: client, to: server) { break }
            if ends[1].revents != 0, mode == .loseAnswer || !pass(from: server, to: client) { break }
        }
        close(client)
        close(server)
    }

    private func pass(from source: Int32, to target: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(source, &buffer, buffer.count)
        guard count > 0 else { return false }
        var sent = 0
        while sent < count {
            let written = buffer[sent..<count].withUnsafeBytes { write(target, $0.baseAddress, $0.count) }
            guard written > 0 else { return false }
            sent += written
        }
        return true
    }

    private static func connectTo(_ path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = try address(path)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw Failure(step: "connect", code: errno) }
        return descriptor
    }

    private static func address(_ path: String) throws -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw Failure(step: "path", code: 0) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }
}
