import EventSourcing
import Http
import Kernel
import Payments
import Schedules

/// The way of a command from its call to what became of it.
extension Api {
    /// Performs a proven caller's request.
    func perform(_ call: Call, _ handler: Endpoint.Handler) async throws(Problem) -> HttpResponse {
        switch handler {
        case .answer(let answer): try await answer(self)(call)
        case .payment(let read): try await commandPayment(call, read)
        case .schedule(let read): try await commandSchedule(call, read)
        }
    }

    /// Submits a command; a refusal becomes the problem that it always is for this key.
    func submit(_ submission: Submission) async throws(Problem) -> Submitted {
        switch await ports.commands.submit(submission) {
        case .accepted(let stream, let version, let isReplay):
            return Submitted(stream: stream, version: version, isReplay: isReplay)
        case .pending(let stream): return Submitted(stream: stream, version: nil, isReplay: false)
        case .rejected(let code, let detail, let path, let isReplay):
            throw Problem(
                // What an `If-Match` did not find was decided like any other refusal.
                status: ProblemCode(rawValue: code) == .preconditionFailed ? 412 : 422,
                code: code,
                detail: detail,
                members: path.map { [("path", .string($0))] } ?? [],
                headers: isReplay ? Submitted.replayed : HttpHeaders()
            )
        case .keyConflict:
            throw Problem(.idempotencyConflict, "This key was used for another command.", path: "Idempotency-Key")
        case .unavailable(let detail): throw .unavailable(detail)
        }
    }

    /// Runs a read; what can't be read now is a problem that says so.
    func read<Value>(_ body: () async throws(ReadFailure) -> Value) async throws(Problem) -> Value {
        do throws(ReadFailure) { return try await body() } catch { throw .unavailable(error.detail) }
    }
}

/// A command that was taken in.
struct Submitted: Sendable {
    let stream: StreamName
    /// `nil` while it waits for its turn.
    let version: Int32?
    let isReplay: Bool

    static let replayed = HttpHeaders([("Idempotent-Replayed", "true")])
}

extension HttpResponse {
    /// The answer to a command: its thing, as it is decided or while it waits.
    static func outcome(of submitted: Submitted, _ body: Json, done: Int = 200) -> HttpResponse {
        HttpResponse.json(submitted.version == nil ? 202 : submitted.isReplay ? 200 : done, body).marked(submitted)
    }

    /// The same answer; a repeated command's says so.
    func marked(_ submitted: Submitted) -> HttpResponse {
        submitted.isReplay ? with("Idempotent-Replayed", "true") : self
    }
}
