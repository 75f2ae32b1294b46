import Glibc

/// Opens listening sockets.
enum ListenSocket {
    /// Length of the system's queue of connections that wait to be accepted.
    private static let backlog: Int32 = 1024

    /// Binds and listens; answers the socket, which the caller closes, and the bound port.
    static func open(address: String, port: UInt16) throws(HttpServerFailure) -> (socket: Int32, port: UInt16) {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(address, String(port), &hints, &found) == 0, let entry = unsafe found else {
            throw HttpServerFailure(code: .badAddress, errno: 0)
        }
        defer { unsafe freeaddrinfo(found) }
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = unsafe socket(entry.pointee.ai_family, flags, 0)
        guard descriptor >= 0 else { throw HttpServerFailure(code: .cannotBind, errno: errno) }
        var yes: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard unsafe bind(descriptor, entry.pointee.ai_addr, entry.pointee.ai_addrlen) == 0,
            listen(descriptor, backlog) == 0, let bound = boundPort(descriptor)
        else {
            let reason = errno
            close(descriptor)
            throw HttpServerFailure(code: .cannotBind, errno: reason)
        }
        return (descriptor, bound)
    }

    private static func boundPort(_ descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = unsafe withUnsafeMutableBytes(of: &storage) { raw in
            unsafe getsockname(descriptor, raw.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
        }
        guard code == 0 else { return nil }
        return unsafe withUnsafeBytes(of: storage) { raw in
            switch Int32(storage.ss_family) {
            case AF_INET: unsafe UInt16(bigEndian: raw.load(as: sockaddr_in.self).sin_port)
            case AF_INET6: unsafe UInt16(bigEndian: raw.load(as: sockaddr_in6.self).sin6_port)
            default: nil
            }
        }
    }

    /// The numeric text of a peer's address.
    static func text(of address: UnsafePointer<sockaddr>?) -> String {
        guard let address = unsafe address else { return "" }
        let length: Int
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET: length = MemoryLayout<sockaddr_in>.size
        case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
        default: return ""
        }
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = unsafe getnameinfo(
            address,
            socklen_t(length),
            &name,
            socklen_t(name.count),
            nil,
            0,
            NI_NUMERICHOST
        )
        return code == 0 ? String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
    }
}
