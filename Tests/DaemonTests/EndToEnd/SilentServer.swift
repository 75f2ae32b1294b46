import Glibc

/// A server whose system takes connections and requests, and who never answers one.
final class SilentServer: Sendable {
    let address: String
    private let socket: Int32

    init() throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = socket
        let code = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(descriptor, place, length) | listen(descriptor, 1024) | getsockname(descriptor, place, &length)
            }
        }
        guard code == 0 else { throw Stage.Failure(description: "no silent server: \(errno)") }
        address = "http://127.0.0.1:\(UInt16(bigEndian: place.sin_port))"
    }

    func stop() { close(socket) }
}
