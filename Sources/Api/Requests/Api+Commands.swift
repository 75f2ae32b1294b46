package import Engine
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
        case .payment(let read, let isOfBody): try await commandPayment(call, read, isOfBody: isOfBody)
        case .schedule(let read): try await commandSchedule(call, read)
        }
    }

    /// Submits a command; a refusal becomes the problem that it always is for this key.
    func submit(_ submission: Submission) async throws(Problem) -> Submitted {
        switch await take(submission) {
        case .accepted(let stream, let version, let isReplay):
            return Submitted(stream: stream, version: version, isReplay: isReplay)
        case .pending(let stream): return Submitted(stream: stream, version: nil, isReplay: false)
        case .rejected(let code, let detail, let isReplay):
            throw Problem(
                // What an `If-Match` did not find was decided like any other refusal.
                status: ProblemCode(rawValue: code) == .preconditionFailed ? 412 : 422,
                code: code,
                detail: detail["detail"]?.text ?? "",
                members: Problem.path(of: detail),
                headers: isReplay ? Submitted.replayed : HttpHeaders()
            )
        case .keyConflict:
            throw Problem(.idempotencyConflict, "This key was used for another command.", path: "Idempotency-Key")
        case .idTaken: throw .idTaken
        case .unavailable(let detail): throw .unavailable(detail)
        }
    }

    /// Hands a command to the engine.
    package func take(_ submission: Submission) async -> CommandResult {
        defer { if !submission.stream.kind.isPayment { reader.forgetConfiguration(of: submission.merchant) } }
        let (input, macs) = submission.input(keys, at: now)
        return await commands.take(input, macs: macs)
    }

    /// Seals the values at the paths under the payer's key, and notes the e-mail address that he is found by.
    func seal(
        _ document: Json,
        paths: [JsonPath],
        customer: String?,
        payment: PaymentId,
        merchant: MerchantNumber
    ) async throws(Problem) -> Json {
        let subject = PayerSubject.of(customer: customer, payment: payment.uuid, merchant: merchant)
        let sealed: Json
        do throws(VaultFailure) {
            sealed = try await vault.seal(document, paths: paths, subject: subject, merchant: merchant)
        } catch {
            throw .unavailable(error.detail)
        }
        if let email = document.at("payer", "email")?.text {
            let payer = NotedPayer(
                merchant: merchant,
                code: PayerCode.codes(ofEmail: email, merchant, keys)[0],
                subject: subject,
                customer: customer,
                payment: payment.uuid
            )
            guard await reader.tables.note(payer) else { throw .unavailable("the index of payers can't be written") }
        }
        return sealed
    }
}

extension Problem {
    static var idTaken: Problem {
        Problem(.idTaken, "Something of yours with other content has this id.", path: "id")
    }

    /// The place that a refused command names.
    static func path(of detail: Json) -> [(String, Json)] {
        (detail["path"]?.text).map { [("path", .string($0))] } ?? []
    }
}

/// A command that was taken in.
struct Submitted: Sendable {
    let stream: StreamName
    /// `nil` while it waits for its turn.
    let version: Int32?
    let isReplay: Bool

    /// The status of an answer that shows its thing: `done` where it was decided for the first time.
    func status(_ done: Int = 200) -> Int { version == nil ? 202 : isReplay ? 200 : done }

    static let replayed = HttpHeaders([("Idempotent-Replayed", "true")])
}

extension HttpResponse {
    /// The answer to a command: its thing, as it is decided or while it waits.
    static func outcome(of submitted: Submitted, _ body: Json, done: Int = 200) -> HttpResponse {
        HttpResponse.json(submitted.status(done), body).marked(submitted)
    }

    /// The answer that shows a thing with a version, of an account in a mode.
    static func thing(_ status: Int, _ body: Json, version: Int32, _ mode: AccountFacts.Mode?) -> HttpResponse {
        thing(status, body.compactBytes, version: version, mode)
    }

    /// `body` is JSON text.
    static func thing(_ status: Int, _ body: [UInt8], version: Int32, _ mode: AccountFacts.Mode?) -> HttpResponse {
        HttpResponse(status: status, contentType: "application/json", body: body).with(
            "ETag",
            Preconditions.tag(version)
        ).with(mode)
    }

    /// The same answer about an account in this mode.
    func with(_ mode: AccountFacts.Mode?) -> HttpResponse {
        var copy = self
        copy.headers.set("Paystream-Mode", mode?.rawValue)
        return copy
    }

    /// The same answer; a repeated command's says so.
    func marked(_ submitted: Submitted) -> HttpResponse {
        submitted.isReplay ? with("Idempotent-Replayed", "true") : self
    }
}
