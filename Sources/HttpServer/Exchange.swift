import CMicrohttpd
import Http
import Kernel

/// One request and its answer.
///
/// Everything but `slot` is touched by the connection's socket thread only: libmicrohttpd calls back for one connection
/// on one thread, and while the connection is suspended it does not call at all. `slot` is shared with the handler's task
/// and the watch, behind its lock.
@safe final class Exchange: @unchecked Sendable {
    enum Stage {
        /// The request line is read. Goes to `body` when the head is in, or to `answered` where it is refused at once.
        case head
        /// The body is read. Goes to `suspended`, or to `answered` where the request is refused.
        case body
        /// The body is read while a handler works on it. Goes to `suspended` at its end, or to `answered` where the
        /// handler was faster.
        case streaming
        /// A handler works and the connection rests. Goes to `answered`.
        case suspended
        /// The answer is queued.
        case answered
    }

    /// The handler's side of the exchange so far.
    private enum Slot {
        case open
        case running(Task<Void, Never>)
        case filled(HttpResponse)
        case sent
    }

    let target: [UInt8]
    /// Where in the connection's memory the first field of the head begins, behind the request line.
    let headersBegin: UInt?
    let connection: ServerConnection
    var stage = Stage.head
    var head: HttpRequest.Head?
    var refusal: Problem?
    var body: [UInt8] = []
    var bodyLimit = 0
    /// Bytes of a refused body that were read and dropped.
    var discarded = 0
    /// The body of a request that is streamed, and how much of it came.
    var pipe: BodyPipe?
    var streamed = 0
    /// An answer that is written while it goes out, and what stops its writer.
    var answer: (pipe: AnswerPipe, stop: @Sendable () -> Void)?

    private let loop: ServerLoop
    private let wire: OpaquePointer
    private let slot = Locked(Slot.open)
    /// Whether the connection is put aside; only such a one is woken.
    private let isParked = Locked(false)

    init(
        target: [UInt8],
        headersBegin: UInt? = nil,
        connection: ServerConnection,
        loop: ServerLoop,
        wire: OpaquePointer
    ) {
        self.target = target
        self.headersBegin = headersBegin
        self.connection = connection
        self.loop = loop
        unsafe self.wire = unsafe wire
    }

    /// Keeps the handler's task, so that it can be cancelled; too late where the answer is there already.
    func started(_ task: Task<Void, Never>) {
        slot.withLock { slot in if case .open = slot { slot = .running(task) } }
    }

    /// Fills in the answer and wakes the connection; only the first call does.
    ///
    /// - Returns: whether this call's answer is the one that counts, and the task that may still run.
    @discardableResult
    func finish(_ answer: HttpResponse) -> (counts: Bool, task: Task<Void, Never>?) {
        let (counts, task) = slot.withLock { slot -> (Bool, Task<Void, Never>?) in
            switch slot {
            case .open:
                slot = .filled(answer)
                return (true, nil)
            case .running(let task):
                slot = .filled(answer)
                return (true, task)
            case .filled, .sent: return (false, nil)
            }
        }
        if counts {
            pipe?.abandon()
            unpark()
        }
        return (counts, task)
    }

    /// Whether the handler has answered.
    var isAnswered: Bool {
        slot.withLock { slot in
            switch slot {
            case .open, .running: false
            case .filled, .sent: true
            }
        }
    }

    /// Lets a connection that was put aside go on; once.
    func unpark() {
        let wakes = isParked.withLock { parked in
            defer { parked = false }
            return parked
        }
        if wakes { loop.wake(self) }
    }

    /// Puts the connection aside until `resume`; on the loop's thread.
    func suspend() {
        stage = .suspended
        park()
    }

    /// Puts the connection aside and leaves the stage as it is; on the loop's thread, which alone resumes it.
    func park() {
        unsafe MHD_suspend_connection(wire)
        isParked.withLock { $0 = true }
    }

    /// Lets the connection go on; on the loop's thread.
    func resume() { unsafe MHD_resume_connection(wire) }

    /// Takes the answer out, once.
    func takeAnswer() -> HttpResponse? {
        slot.withLock { slot in
            guard case .filled(let answer) = slot else { return nil }
            slot = .sent
            return answer
        }
    }
}
