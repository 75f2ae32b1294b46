/// What the daemon says when it refuses a request (RFC 9457).
///
/// Programs compare `code`; `title` and `detail` are for people and may change.
public struct Problem: Codable, Hashable, Sendable {
    public let type: String
    public let title: String
    public let status: Int
    public let code: String
    public let detail: String?
    /// The member, header or parameter at fault.
    public let path: String?
    /// The daemon's name for the request, or else the correlation id that the client sent along.
    public internal(set) var requestId: String?
    /// The cursor from which a feed can be read on, where this one can't be used any more.
    public let resume: String?
}

/// Why a call gave no value.
public enum PaystreamError: Error, Sendable {
    /// The daemon refused it.
    case problem(Problem)
    /// No answer came, or none that can be read. A command may have been carried out: repeat it with the same key.
    case noAnswer(NoAnswer)
    /// The daemon stored the command and had not decided it when the time was over: repeat it with the same key.
    case undecided(id: String, key: String)
    /// The task was cancelled. A command may have been carried out.
    case cancelled(key: String?)
    /// The request could not be written: nothing was sent.
    case unsendable(String)

    /// What is known where no answer came.
    public struct NoAnswer: Sendable {
        public let reason: String
        /// The status of an answer that can't be read.
        public let status: Int?
        /// The idempotency key to repeat the command with.
        public let key: String?
    }

    /// The refusal, where it is one.
    public var problem: Problem? {
        guard case .problem(let problem) = self else { return nil }
        return problem
    }

    /// Whether the same may go well in a while: nothing answered, or the daemon was too busy or not ready.
    public var isPassing: Bool {
        switch self {
        case .noAnswer: true
        case .problem(let problem): problem.status == 429 || problem.status >= 502
        case .undecided, .cancelled, .unsendable: false
        }
    }
}

extension PaystreamError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .problem(let problem):
            let detail = problem.detail ?? problem.title
            return "\(problem.status) \(problem.code): \(detail)" + (problem.path.map { " (\($0))" } ?? "")
        case .noAnswer(let failure): return "no answer: \(failure.reason)"
        case .undecided(let id, _): return "\(id) is stored and not decided yet"
        case .cancelled: return "cancelled"
        case .unsendable(let reason): return "not sent: \(reason)"
        }
    }
}
