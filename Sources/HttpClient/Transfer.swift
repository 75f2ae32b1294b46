import CCurl
import Http
import Kernel

/// One exchange under way.
///
/// Everything but the waiting caller is touched by the loop's thread only, once the loop has taken the transfer.
@safe final class Transfer: @unchecked Sendable {
    let request: OutgoingRequest
    let aboutToSend: @Sendable () -> Bool
    private let waiting = Locked<CheckedContinuation<ExchangeOutcome, Never>?>(nil)

    /// The header list that libcurl reads while the transfer runs.
    var headerList: UnsafeMutablePointer<curl_slist>?
    /// How much of the body libcurl has taken.
    var bodyOffset = 0
    /// Whether the connection stood and a byte may have left.
    var hasStarted = false
    var wasVetoed = false
    var isTooLarge = false
    var status: Int?
    var headers = HttpHeaders()
    var body: [UInt8] = []

    init(_ request: OutgoingRequest, aboutToSend: @escaping @Sendable () -> Bool) {
        self.request = request
        self.aboutToSend = aboutToSend
    }

    func await(_ continuation: CheckedContinuation<ExchangeOutcome, Never>) {
        waiting.withLock { $0 = continuation }
    }

    /// Whether nobody has been told the end yet.
    var isAwaited: Bool { waiting.withLock { $0 != nil } }

    /// Tells the caller how it ended; only the first end counts.
    func finish(_ outcome: ExchangeOutcome) {
        let caller = waiting.withLock { slot in
            let taken = slot
            slot = nil
            return taken
        }
        caller?.resume(returning: outcome)
    }

    /// The end of a transfer that is broken off from here.
    func brokenOff(_ notSent: NotSentReason, _ noAnswer: NoAnswerReason) -> ExchangeOutcome {
        hasStarted ? .sentNoAnswer(NoAnswer(noAnswer, status: status)) : .notSent(notSent)
    }

    // MARK: What libcurl calls

    /// Gives the next part of the body.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, request.body.count - bodyOffset)
        guard count > 0 else { return 0 }
        unsafe buffer.copyBytes(from: request.body[bodyOffset..<bodyOffset + count])
        bodyOffset += count
        return count
    }

    /// Takes a part of the answer; `false` when it has grown too large.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= request.maximumAnswerBytes else {
            isTooLarge = true
            return false
        }
        unsafe body.append(contentsOf: bytes)
        return true
    }

    /// Takes one line of the head; a new status line begins the head anew (after an interim answer).
    func receiveHeader(_ bytes: UnsafeRawBufferPointer) {
        let line = unsafe String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            status = line.split(separator: " ").dropFirst().first.flatMap { Int($0.prefix(3)) }
            headers = HttpHeaders()
            return
        }
        guard let colon = line.firstIndex(of: ":"), headers.fields.count < Limits.headerCount else { return }
        let name = String(line[..<colon])
        let value = line[line.index(after: colon)...].trimmingSpace
        headers.append(name, String(value))
    }
}

extension Substring {
    fileprivate var trimmingSpace: Substring {
        var text = self
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }
}
