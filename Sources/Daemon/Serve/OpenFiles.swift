import Glibc

/// How many files and sockets the process may have open at once.
enum OpenFiles {
    /// More are asked for by nobody: connections, the wire and the database together.
    private static let enough: rlim_t = 8192

    /// The limit as it stands.
    static var most: Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the limit as far as the system lets us, and answers how many there may be now.
    static func raise() -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        getrlimit(resource, &limit)
        if limit.rlim_cur < enough {
            limit.rlim_cur = min(limit.rlim_max, enough)
            setrlimit(resource, &limit)
        }
        return most
    }
}
