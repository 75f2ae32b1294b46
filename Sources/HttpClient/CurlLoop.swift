import CCurl
import Glibc
import Http
import Kernel
import SystemKit

/// A libcurl multi handle and the thread that owns it; everybody else talks to it through a mailbox.
final class CurlLoop: Sendable {
    private enum Message: Sendable {
        case start(Transfer)
        case cancel(Transfer)
    }

    private struct Mailbox: Sendable {
        var messages: [Message] = []
        /// Set when the client stops: the instant at which what is under way is broken off.
        var stopAt: ContinuousClock.Instant?
        var isStopped = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// The easy handles of the thread: those under way, and those that wait for their next use.
    private struct Handles {
        var live: [EasyHandle: Transfer] = [:]
        private var resting: [EasyHandle] = []
        private static let restingMost = 64

        mutating func next() -> EasyHandle? { resting.popLast() ?? EasyHandle() }

        /// Takes a handle back whose transfer is over.
        mutating func rest(_ easy: EasyHandle, _ transfer: Transfer) {
            easy.reset(transfer)
            if resting.count < Self.restingMost { resting.append(easy) } else { easy.free() }
        }

        mutating func free() {
            for easy in resting { easy.free() }
            resting = []
        }
    }

    /// Milliseconds between two looks at the clock while the client stops.
    private static let stopTick: Int32 = 10
    /// Milliseconds of rest where nothing happens.
    private static let longRest: Int32 = 60_000

    private let mailbox = Locked(Mailbox())
    private let handle: MultiHandle
    private let configuration: HttpClientConfiguration

    init(_ configuration: HttpClientConfiguration) {
        self.configuration = configuration
        handle = MultiHandle(connectionsPerHost: configuration.connectionsPerHost)
        OwnThread.detach { self.run() }
    }

    func start(_ transfer: Transfer) {
        let isTaken = mailbox.withLock { box in
            guard box.stopAt == nil else { return false }
            put(.start(transfer), &box)
            return true
        }
        if !isTaken { transfer.finish(.notSent(.stopped)) }
    }

    // The handle is woken under the lock: the thread frees it only after it has taken the lock and set `isStopped`.

    /// Leaves a message; the first one wakes the thread, which takes all of them.
    private func put(_ message: Message, _ box: inout Mailbox) {
        box.messages.append(message)
        if box.messages.count == 1 { handle.wake() }
    }

    func cancel(_ transfer: Transfer) {
        mailbox.withLock { box in
            guard !box.isStopped else { return }
            put(.cancel(transfer), &box)
        }
    }

    func orderStop(within duration: Duration) {
        let instant = ContinuousClock.now + duration
        mailbox.withLock { box in
            guard !box.isStopped else { return }
            box.stopAt = min(box.stopAt ?? instant, instant)
            handle.wake()
        }
    }

    func stop(within duration: Duration) async {
        orderStop(within: duration)
        await withCheckedContinuation { continuation in
            let isStopped = mailbox.withLock { box in
                if !box.isStopped { box.waiters.append(continuation) }
                return box.isStopped
            }
            if isStopped { continuation.resume() }
        }
    }

    // MARK: The thread

    private func run() {
        blockBrokenPipes()
        var handles = Handles()
        var messages: [Message] = []
        while true {
            // The two lists change places, so that both keep their memory.
            let stopAt = mailbox.withLock { box in
                swap(&box.messages, &messages)
                return box.stopAt
            }
            for message in messages {
                switch message {
                case .start(let transfer): begin(transfer, &handles)
                case .cancel(let transfer): breakOff(transfer, &handles)
                }
            }
            messages.removeAll(keepingCapacity: true)
            handle.perform()
            while let (easy, code) = handle.nextFinished() {
                guard let transfer = handles.live.removeValue(forKey: easy) else { continue }
                transfer.sentBytes = easy.sentBytes(transfer)
                handle.remove(easy)
                transfer.finish(CurlOutcome.read(code, transfer))
                handles.rest(easy, transfer)
            }
            if let stopAt, handles.live.isEmpty || stopAt <= .now { return end(&handles) }
            let rest = endOverdue(&handles)
            handle.poll(stopAt == nil ? rest : CurlLoop.stopTick)
        }
    }

    /// Ends what waited for a connection past its deadline, and tells how many milliseconds the next one has left.
    ///
    /// libcurl looks at the time of a transfer that has a connection, and of one that waits for it only now and then.
    private func endOverdue(_ handles: inout Handles) -> Int32 {
        let now = ContinuousClock.now
        var rest = Duration.milliseconds(CurlLoop.longRest)
        for (easy, transfer) in handles.live where transfer.progress == .connecting {
            let left = transfer.endsAt - now
            if left <= .zero {
                breakOff(easy, transfer, .deadline, .deadline, &handles)
            } else {
                rest = min(rest, left)
            }
        }
        // Rounded up, so that the moment has come when the rest is over.
        return Int32(clamping: rest.milliseconds + 1)
    }

    /// Writing to a TLS connection that the peer has closed raises a signal, which would end the process.
    private func blockBrokenPipes() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private func begin(_ transfer: Transfer, _ handles: inout Handles) {
        guard transfer.isAwaited else { return }
        guard handles.live.count < configuration.maximumRequests else { return transfer.finish(.notSent(.overloaded)) }
        let own = transfer.request.clientCertificate
        let identity =
            own.map { ClientIdentity.pem(certificate: $0.certificate, key: $0.key) }
            ?? transfer.request.clientIdentity.flatMap { configuration.identities[$0] }
        guard let easy = handles.next() else { return transfer.finish(.notSent(.overloaded)) }
        guard easy.isPrepared(transfer, configuration, identity) else {
            handles.rest(easy, transfer)
            return transfer.finish(.notSent(.invalidRequest))
        }
        handles.live[easy] = transfer
        handle.add(easy)
    }

    private func breakOff(_ transfer: Transfer, _ handles: inout Handles) {
        guard let easy = handles.live.first(where: { $0.value === transfer })?.key else {
            return transfer.finish(.notSent(.cancelled))
        }
        breakOff(easy, transfer, .cancelled, .cancelled, &handles)
    }

    private func breakOff(
        _ easy: EasyHandle,
        _ transfer: Transfer,
        _ notSent: NotSentReason,
        _ noAnswer: NoAnswerReason,
        _ handles: inout Handles
    ) {
        handles.live[easy] = nil
        transfer.sentBytes = easy.sentBytes(transfer)
        handle.remove(easy)
        transfer.finish(CurlOutcome.brokenOff(transfer, notSent, noAnswer))
        handles.rest(easy, transfer)
    }

    private func end(_ handles: inout Handles) {
        for (easy, transfer) in handles.live { breakOff(easy, transfer, .stopped, .stopped, &handles) }
        handles.free()
        let (messages, waiters) = mailbox.withLock { box in
            box.isStopped = true
            let left = (box.messages, box.waiters)
            box.messages = []
            box.waiters = []
            return left
        }
        for case .start(let transfer) in messages { transfer.finish(.notSent(.stopped)) }
        handle.free()
        for waiter in waiters { waiter.resume() }
    }
}
