import EventSourcing
import Http
import Kernel
import Payments

extension Api {
    /// Performs a proven caller's request.
    func perform(_ call: Call) async throws(Problem) -> HttpResponse {
        switch call.route {
        case .createPayment, .createTransfer: return try await createPayment(call)
        case .confirmPayment, .capturePayment, .completeDelivery, .voidPayment, .refundPayment, .syncPayment,
            .openDispute, .winDispute,
            .loseDispute, .addEvidence, .addTransferEvidence, .proposeResolution, .approveResolution, .confirmTransfer,
            .syncTransfer,
            .proposeTransferResolution, .approveTransferResolution:
            return try await commandPayment(call)
        case .getPayment, .getTransfer: return try await getPayment(call)
        case .listPayments, .listTransfers: return try await listPayments(call)
        case .listUnresolved: return try await listUnresolved(call)
        case .paymentEvents, .transferEvents: return try await paymentEvents(call)
        case .paymentReadModel: return try await paymentReadModel(call)
        case .nextAction, .transferNextAction: return try await nextAction(call)
        case .appParameters, .transferAppParameters: return try await appParameters(call)
        case .signature: return try await signature(call)
        case .configureAccount: return try await configureAccount(call)
        case .listAccounts: return try await listAccounts(call)
        case .testConnection: return try await testConnection(call)
        case .openSession: return try await openSession(call)
        case .listProducts: return try await listProducts(call)
        case .getProduct: return try await getProduct(call)
        case .checkFields: return try await checkFields(call)
        case .cardPrefix: return try await cardPrefix(call)
        case .getRouting: return try await getRouting(call)
        case .setRouting: return try await setRouting(call)
        case .getRoutes: return try await getRoutes(call)
        case .setRoutes: return try await setRoutes(call)
        case .explainRoute: return try await explainRoute(call)
        case .listInstruments: return try await listInstruments(call)
        case .getInstrument: return try await getInstrument(call)
        case .removeInstrument: return try await removeInstrument(call)
        case .checkInstrument: return try await checkInstrument(call)
        case .createSchedule: return try await createSchedule(call)
        case .getClock: return try await getClock(call)
        case .ownClock: return try await ownClock(call)
        case .advanceClock: return try await advanceClock(call)
        case .listSchedules: return try await listSchedules(call)
        case .previewSchedule: return try await previewSchedule(call)
        case .getSchedule: return try await getSchedule(call)
        case .changeSchedule, .pauseSchedule, .resumeSchedule, .cancelSchedule, .runOccurrence:
            return try await commandSchedule(call)
        case .listOccurrences: return try await listOccurrences(call)
        case .previewOccurrences: return try await previewOccurrences(call)
        case .scheduleEvents: return try await scheduleEvents(call)
        case .listDunning: return try await listDunning(call)
        case .keepDunning: return try await keepDunning(call)
        case .listZones: return try await listZones()
        case .listCalendars: return try await listCalendars()
        case .inboxOutcome: return try await inboxOutcome(call)
        case .notification, .browserReturn, .bankReturn, .openApi, .health, .readiness, .metrics:
            preconditionFailure("open routes need no caller")
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

    /// A payment as it is now, or as it was at a version.
    func snapshot(_ id: PaymentId, _ call: Call, upTo version: Int32? = nil) async throws(Problem) -> PaymentSnapshot {
        let found = try await read { () async throws(ReadFailure) in
            try await ports.reader.payment(call.stream(of: id), upTo: version)
        }
        guard let found else { throw .unknownPayment }
        return found
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
