import CCurl
import Http
import Kernel

/// One exchange under way.
///
/// Everything but the waiting caller is touched by the loop's thread only, once the loop has taken the transfer.
@safe final class Transfer: @unchecked Sendable {
    /// How near the request is to the wire.
    enum Progress {
        /// No byte can have left. Goes to `vetoed` or `sending`.
        case connecting
        /// The caller said no.
        case vetoed
        /// The connection stood and bytes may have left.
        case sending
    }

    let request: OutgoingRequest
    let aboutToSend: @Sendable () -> Bool
    /// When the time for the whole exchange is over, that for a connection included.
    let endsAt: ContinuousClock.Instant
    private let waiting = Locked<CheckedContinuation<ExchangeOutcome, Never>?>(nil)

    /// What libcurl reads while the transfer runs.
    var headerLines: HeaderLines?
    /// How much of the body libcurl has taken.
    var bodyOffset = 0
    var progress = Progress.connecting
    /// Bytes of the request that left, as far as libcurl counts them; read at the end.
    var sentBytes = 0
    var isTooLarge = false
    /// Whether an address of the host was refused.
    private(set) var isAddressRefused = false
    /// Whom it may connect to; set by the loop before libcurl has it.
    var addresses: AddressPolicy?
    /// Whether the last line of the answer's head is in: what follows the body is not a part of it.
    private(set) var isHeadOver = false
    private var headBytes = 0

    /// Bytes of all heads of one exchange, interim answers and trailers included.
    private static let maximumHeadBytes = 64 * 1024
    var status: Int?
    var headers = HttpHeaders()
    var body: [UInt8] = []

    init(_ request: OutgoingRequest, aboutToSend: @escaping @Sendable () -> Bool) {
        self.request = request
        self.aboutToSend = aboutToSend
        endsAt = .now + request.deadline
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

    // MARK: What libcurl calls

    /// Decides right before the first byte; libcurl asks again where it wants to repeat the request.
    ///
    /// It repeats on a fresh connection what went unanswered on a resting one. A request that changes nothing may be
    /// repeated, any other may not: it ends as sent without an answer.
    func maySend() -> Bool {
        switch progress {
        case .connecting:
            progress = aboutToSend() ? .sending : .vetoed
            return progress == .sending
        case .vetoed: return false
        case .sending: return !request.method.isMutating
        }
    }

    /// Whether a connection to this address may be begun.
    func mayConnect(to address: SourceAddress?) -> Bool {
        guard let addresses else { return true }
        let isPermitted = address.map { addresses.permits($0) } ?? false
        if !isPermitted { isAddressRefused = true }
        return isPermitted
    }

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

    /// Takes one line of the head; `false` when the head has grown too large.
    ///
    /// A new status line begins the head anew: what came before was an interim answer.
    func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headBytes += bytes.count
        guard headBytes <= Transfer.maximumHeadBytes else {
            isTooLarge = true
            return false
        }
        guard !isHeadOver else { return true }
        let end = unsafe bytes.firstIndex(of: UInt8(ascii: "\r")) ?? bytes.count
        let line = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<end])
        if unsafe line.starts(with: "HTTP/".utf8) {
            status = unsafe statusCode(line)
            if !headers.isEmpty { headers = HttpHeaders() }
        } else if let colon = unsafe line.firstIndex(of: UInt8(ascii: ":")) {
            let name = unsafe String(decoding: line[..<colon], as: UTF8.self)
            let value = unsafe String(decoding: trimmed(line[(colon + 1)...]), as: UTF8.self)
            headers.append(name, value)
        } else if unsafe line.isEmpty {
            isHeadOver = status.map { $0 >= 200 } ?? false
        }
        return true
    }

    /// The number behind the protocol's name.
    private func statusCode(_ line: UnsafeRawBufferPointer) -> Int? {
        guard let space = unsafe line.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        let rest = unsafe line[space...].drop { $0 == UInt8(ascii: " ") }
        return unsafe Int(String(decoding: rest.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
    }

    /// Cuts spaces and tabs off both ends; other bytes belong to the value.
    private func trimmed(_ text: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        var text = unsafe text
        while let first = unsafe text.first, Self.isBlank(first) { unsafe text.removeFirst() }
        while let last = unsafe text.last, Self.isBlank(last) { unsafe text.removeLast() }
        return unsafe text
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
    }
}
