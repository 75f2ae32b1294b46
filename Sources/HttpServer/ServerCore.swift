import Http
import Kernel
import Synchronization

/// The part of a running server that its socket threads, handler tasks and watch share; the one owner of handler tasks.
final class ServerCore: Sendable {
    typealias Handler = @Sendable (HttpRequest, ConnectionInfo) async -> HttpResponse

    struct Lifecycle {
        /// Set when the server drains: the instant at which it gives up waiting.
        var drainUntil: MonotonicInstant?
        /// Connections that libmicrohttpd has put aside; it cannot be stopped while there are any.
        var suspended = 0
        /// Handler tasks that have not returned.
        var handlers = 0
        var unfinished = 0
        var isStopped = false
        var waiters: [CheckedContinuation<DrainReport, Never>] = []
    }

    let configuration: HttpServerConfiguration
    private let handler: Handler
    private let connections = Locked(OpenConnections())
    private let lifecycle = Locked(Lifecycle())
    /// Answers that are being written while they go out.
    private let answers = Locked<[ObjectIdentifier: AnswerPipe]>([:])
    /// Times that the socket loops have run.
    private let runs = Atomic(0)
    /// Wakes the watch.
    let signal = LoopSignal()

    init(configuration: HttpServerConfiguration, handler: @escaping Handler) {
        self.configuration = configuration
        self.handler = handler
    }

    // MARK: Connections

    /// Whether one more connection from that address fits.
    func admits(_ address: String) -> Bool {
        let site = ConnectionSite(address)
        return connections.withLock { $0.perSite[site, default: 0] } < configuration.maximumConnectionsPerAddress
            || configuration.isProxy(address)
    }

    func opened(_ connection: ServerConnection) {
        let count = connections.withLock { open in
            open.all[ObjectIdentifier(connection)] = connection
            open.perSite[connection.site, default: 0] += 1
            return open.all.count
        }
        if count == 1 { signal.ring() }
    }

    func closed(_ connection: ServerConnection) {
        connection.closed()
        connections.withLock { open in
            open.all[ObjectIdentifier(connection)] = nil
            let rest = open.perSite[connection.site, default: 1] - 1
            open.perSite[connection.site] = rest > 0 ? rest : nil
        }
    }

    private var openConnections: [ServerConnection] { connections.withLock { Array($0.all.values) } }

    var hasConnections: Bool { connections.withLock { !$0.all.isEmpty } }

    // MARK: Handlers

    var isDraining: Bool { lifecycle.withLock { $0.drainUntil != nil } }

    /// Puts the connection aside and starts the handler; `false` while the server drains.
    func begin(_ exchange: Exchange, _ request: HttpRequest) -> Bool {
        let admitted = lifecycle.withLock { state in
            guard state.drainUntil == nil else { return false }
            state.suspended += 1
            state.handlers += 1
            return true
        }
        guard admitted else { return false }
        exchange.suspend()
        let task = Task { [self] in
            let answer = await handler(request, exchange.connection.info)
            exchange.finish(answer)
            lifecycle.withLock { $0.handlers -= 1 }
            if isDraining { signal.ring() }
        }
        exchange.started(task)
        exchange.connection.enter(
            .handling(exchange),
            until: .now.advanced(by: configuration.handlerDeadline)
        )
        return true
    }

    /// Starts the handler of a body that is still to come; `false` while the server drains.
    func beginStream(_ exchange: Exchange, _ head: HttpRequest.Head) -> Bool {
        let admitted = lifecycle.withLock { state in
            guard state.drainUntil == nil else { return false }
            state.handlers += 1
            return true
        }
        guard admitted else { return false }
        let pipe = BodyPipe { [weak exchange] in exchange?.unpark() }
        exchange.pipe = pipe
        exchange.stage = .streaming
        let info = ConnectionInfo(remoteAddress: exchange.connection.info.remoteAddress, body: pipe)
        let task = Task { [self] in
            let answer = await handler(HttpRequest(head: head, body: []), info)
            exchange.finish(answer)
            lifecycle.withLock { $0.handlers -= 1 }
            if isDraining { signal.ring() }
        }
        exchange.started(task)
        return true
    }

    /// Puts a streaming connection aside: for want of room, or at the end of its body.
    func park(_ exchange: Exchange, atEnd: Bool) {
        lifecycle.withLock { $0.suspended += 1 }
        exchange.connection.enter(.handling(exchange), until: .now.advanced(by: configuration.handlerDeadline))
        if atEnd { exchange.suspend() } else { exchange.park() }
    }

    /// Starts the writer of an answer that goes out meanwhile; one that begins while the server drains has nothing to say.
    func beginAnswer(_ exchange: Exchange, _ stream: ResponseStream) -> AnswerPipe {
        let pipe = AnswerPipe { [weak exchange] in
            exchange?.unpark()
        } written: { [self] pipe in
            answers.withLock { $0[ObjectIdentifier(pipe)] = nil }
            lifecycle.withLock { $0.handlers -= 1 }
            if isDraining { signal.ring() }
        }
        answers.withLock { $0[ObjectIdentifier(pipe)] = pipe }
        lifecycle.withLock { $0.handlers += 1 }
        if isDraining { pipe.close() }
        exchange.answer = (pipe, stream.begin(pipe))
        return pipe
    }

    /// Puts a connection aside until the writer of its answer goes on.
    func awaitWriter(_ exchange: Exchange, atMost time: Duration) {
        lifecycle.withLock { $0.suspended += 1 }
        exchange.connection.enter(.answering, until: .now.advanced(by: time))
        exchange.park()
    }

    /// Ends the answers that are being written: their readers ask again, here or elsewhere.
    private func endAnswers() {
        for pipe in answers.withLock({ Array($0.values) }) { pipe.close() }
    }

    /// Answers for a handler that is late or has no time left, and cancels its task.
    func expire(_ exchange: Exchange, _ problem: Problem) -> Bool {
        let (counts, task) = exchange.finish(problem.response)
        task?.cancel()
        return counts
    }

    /// So many connections go on.
    func resumed(_ count: Int) {
        guard count > 0 else { return }
        lifecycle.withLock { $0.suspended -= count }
    }

    // MARK: Watching

    /// Cuts off slow peers and answers for late handlers, and keeps places free for who comes next.
    func sweep(_ now: MonotonicInstant) {
        let open = openConnections
        defer { makeRoom(open) }
        for connection in open {
            switch connection.check(now) {
            case .leave: break
            case .expire(let exchange): _ = expire(exchange, .handlerLate)
            }
        }
    }

    /// Refuses the requests of a socket loop that never come in.
    func refuseStuck(in loop: ServerLoop) {
        for connection in openConnections where connection.loop === loop { connection.refuseIfStuck() }
    }

    /// Cuts off connections without a whole request where fewer than an eighth of the places are free.
    ///
    /// Those of whoever holds most go first, and the oldest of them. A proxy's stay: it brings many clients.
    private func makeRoom(_ open: [ServerConnection]) {
        let comfortable = configuration.maximumConnections - configuration.maximumConnections / 8
        guard open.count > comfortable else { return }
        let excess = open.count { !$0.isCut } - comfortable
        guard excess > 0 else { return }
        var held: [ConnectionSite: Int] = [:]
        let ranked = open.filter { !$0.isCut && !$0.isOwedAnAnswer && !configuration.isProxy($0.info.remoteAddress) }
            .sorted { $0.opened > $1.opened }
            .map { connection in
                held[connection.site, default: 0] += 1
                return (connection, rank: held[connection.site, default: 0])
            }
            .sorted { ($0.rank, $1.0.opened) > ($1.rank, $0.0.opened) }
        for (connection, _) in ranked.prefix(excess) { connection.giveWay() }
    }

    /// Answers for every handler that still works: the drain's time is over.
    func abandonAll() {
        for exchange in openConnections.compactMap(\.handled) where expire(exchange, .abandoned) {
            lifecycle.withLock { $0.unfinished += 1 }
        }
    }

    var drainUntil: MonotonicInstant? { lifecycle.withLock { $0.drainUntil } }

    var hasSuspended: Bool { lifecycle.withLock { $0.suspended > 0 } }

    /// Whether no handler works and no answer is on its way.
    var isQuiet: Bool {
        lifecycle.withLock { $0.suspended == 0 && $0.handlers == 0 }
            && !openConnections.contains(where: \.isOwedAnAnswer)
    }

    var owesAnswers: Bool { openConnections.contains(where: \.isOwedAnAnswer) }

    var activity: HttpServerActivity {
        let open = openConnections
        return HttpServerActivity(
            connections: open.count,
            requests: open.count(where: \.isBusy),
            handlers: lifecycle.withLock { $0.handlers }
        )
    }

    /// A socket loop has run once.
    func ran() { runs.add(1, ordering: .relaxed) }

    var runCount: Int { runs.load(ordering: .relaxed) }

    // MARK: Stopping

    /// Orders the drain; of several orders the earliest deadline holds.
    func orderDrain(within duration: Duration) {
        let deadline = MonotonicInstant.now.advanced(by: duration)
        lifecycle.withLock { $0.drainUntil = min($0.drainUntil ?? deadline, deadline) }
        endAnswers()
        signal.ring()
    }

    func awaitStop() async -> DrainReport {
        await withCheckedContinuation { continuation in
            let report = lifecycle.withLock { state -> DrainReport? in
                if state.isStopped { return DrainReport(unfinished: state.unfinished) }
                state.waiters.append(continuation)
                return nil
            }
            if let report { continuation.resume(returning: report) }
        }
    }

    func stopped() {
        let (waiters, report) = lifecycle.withLock { state in
            state.isStopped = true
            let waiters = state.waiters
            state.waiters = []
            return (waiters, DrainReport(unfinished: state.unfinished))
        }
        for waiter in waiters { waiter.resume(returning: report) }
    }
}

/// The connections of all socket loops.
private struct OpenConnections {
    var all: [ObjectIdentifier: ServerConnection] = [:]
    var perSite: [ConnectionSite: Int] = [:]
}

/// The range that one peer commands: an address of version 4, or the 64 bits that a line of version 6 is given.
struct ConnectionSite: Hashable, Sendable {
    private let bytes: [UInt8]

    init(_ address: String) { bytes = SourceAddress(address)?.site ?? Array(address.utf8) }
}
