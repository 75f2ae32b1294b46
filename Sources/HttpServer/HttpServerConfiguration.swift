import Glibc
package import Http

/// Where a server listens and what it grants its clients; every limit has its unit in the comment.
package struct HttpServerConfiguration: Sendable {
    /// The numeric IPv4 or IPv6 address to bind.
    package var address = "127.0.0.1"
    /// The port to bind; 0 lets the system choose one.
    package var port: UInt16 = 0
    /// Threads that read and write sockets; handlers do not run on them.
    package var threads = 2
    /// Open connections in total, in equal shares per thread; more wait in the system's queue.
    ///
    /// The last eighth is kept free: connections that carry no whole request give way.
    package var maximumConnections = 2048
    /// Open connections of one peer's address, of version 6 by 64 bits; more are closed at once.
    package var maximumConnectionsPerAddress = 1024
    /// Whether an address is a proxy of ours, which brings the connections of many.
    package var isProxy: @Sendable (String) -> Bool = { _ in false }
    /// Bytes of all header names and values of one request (431).
    package var maximumHeaderBytes = 16 * 1024
    /// Header fields of one request (431).
    package var maximumHeaderFields = 100
    /// Bytes of one request target (414).
    package var maximumTargetBytes = 8 * 1024
    /// Whole seconds without a byte after which a connection is closed.
    package var idleTimeout = Duration.seconds(30)
    /// Time for a client to deliver a whole request, and again to take a whole answer; a slower one is cut off.
    package var transferTime = Duration.seconds(30)
    /// Time for a handler to answer; after it the client gets 504 and the handler's task is cancelled.
    package var handlerDeadline = Duration.seconds(60)
    /// How a request's body is taken, by its head.
    ///
    /// Called on a socket thread: it must not wait.
    package var intake: @Sendable (HttpRequest.Head) -> BodyIntake = { _ in
        BodyIntake(limit: HttpServerConfiguration.standardBodyBytes)
    }

    package static let standardBodyBytes = 64 * 1024

    /// Bytes of a refused body that are read and dropped, so that the client gets the refusal instead of a reset.
    static let discardedBodyBytes = 1024 * 1024

    /// Bytes of memory a connection may take for its heads, both ways.
    package var connectionMemory: Int { 2 * (maximumHeaderBytes + maximumTargetBytes) }

    package init() {}
}

/// How the body of a request is taken.
package struct BodyIntake: Hashable, Sendable {
    /// Bytes that it may have (413).
    package let limit: Int
    /// Whether it is handed to its handler while it comes in; other bodies come as a whole.
    ///
    /// A client has `transferTime` for each piece of such a body, and the body as a whole no deadline.
    package let isStreamed: Bool

    package init(limit: Int, isStreamed: Bool = false) {
        self.limit = limit
        self.isStreamed = isStreamed
    }
}

/// Who is at the other end of a request's connection.
package struct ConnectionInfo: Hashable, Sendable {
    /// The peer's numeric address.
    package let remoteAddress: String
    /// The body of a request that is streamed.
    package let body: BodyPipe?

    package init(remoteAddress: String, body: BodyPipe? = nil) {
        self.remoteAddress = remoteAddress
        self.body = body
    }

    package static func == (left: ConnectionInfo, right: ConnectionInfo) -> Bool {
        left.remoteAddress == right.remoteAddress
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(remoteAddress) }
}

/// Why a server could not start.
package struct HttpServerFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The address is not a numeric IPv4 or IPv6 address.
        case badAddress = "bad_address"
        /// The address cannot be bound; `errno` says why.
        case cannotBind = "cannot_bind"
        /// The socket threads could not be started.
        case cannotStart = "cannot_start"
        /// The server was started before.
        case alreadyStarted = "already_started"
    }

    package let code: Code
    package let errno: Int32

    package init(code: Code, errno: Int32) {
        self.code = code
        self.errno = errno
    }

    package var description: String {
        switch code {
        case .badAddress: "the address to listen on is no numeric IPv4 or IPv6 address"
        case .cannotBind where errno == EADDRINUSE: "the address to listen on is in use"
        case .cannotBind: unsafe "the address to listen on can't be bound: \(String(cString: strerror(errno)))"
        case .cannotStart: unsafe "the socket threads can't be started: \(String(cString: strerror(errno)))"
        case .alreadyStarted: "the server was started before"
        }
    }
}

/// How a drain ended.
package struct DrainReport: Hashable, Sendable {
    /// Requests whose handler had not answered at the deadline; their clients got 503 and their tasks were cancelled.
    package let unfinished: Int
}

/// The load of a server at this moment.
package struct HttpServerActivity: Hashable, Sendable {
    package let connections: Int
    /// Requests from their request line to the last byte of their answer.
    package let requests: Int
    /// Handler tasks that have not returned.
    package let handlers: Int

    package init(connections: Int, requests: Int, handlers: Int) {
        self.connections = connections
        self.requests = requests
        self.handlers = handlers
    }
}
