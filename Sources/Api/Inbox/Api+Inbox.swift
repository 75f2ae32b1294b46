package import EventSourcing
package import Http
import Kernel
import Payments
import Schedules
import Telemetry

extension Api {
    /// Reads a command of the SQL entrance by the endpoint that takes the same over HTTP: same forms, same guards, same key.
    ///
    /// It holds what its endpoint's body takes, and beside it what stands in the path over HTTP: the id of its `payment`,
    /// `transfer`, `schedule` or `instrument`, or for a batch of bills the key of the command that makes it.
    package func submission(of command: InboxCommand) async throws(Problem) -> Submission {
        let call = try call(of: command)
        switch call.endpoint.access {
        case .keyed(_, .payment(let read, _)):
            return try await submission(call, try await snapshot(try call.paymentId(), call).payment, read)
        case .keyed(_, .schedule(let read)): return try await submission(call, read)
        case .keyed(_, .answer), .open:
            guard let make = call.endpoint.stored?.make else { throw Self.notTaken }
            return try await make(self)(call)
        }
    }

    private static var notTaken: Problem { Problem(.routeUnknown, "The SQL entrance takes no such command.") }

    private func call(of command: InboxCommand) throws(Problem) -> Call {
        let isBills = BillBatchCommand.Name(rawValue: command.name) != nil
        let given = isBills ? try Self.object(command) : try body(of: command)
        guard let endpoint = Self.endpoint(of: command.name, given) else { throw Self.notTaken }
        let (path, body) = try Self.parts(of: given, endpoint, command.merchant)
        try CardScreen.check(path)
        try CardScreen.check(key: command.key)
        try CardScreen.check(body, of: endpoint, passing: adapters)
        try amounts.check(body)
        try Call.check(key: command.key)
        let caller = Self.caller(command.merchant)
        return Call(
            endpoint: endpoint,
            path: path,
            caller: caller,
            actor: isBills ? caller.actor : Self.sqlActor,
            key: command.key,
            body: body,
            trace: TraceContext.new(from: random),
            now: now
        )
    }

    private func body(of command: InboxCommand) throws(Problem) -> Json {
        guard !command.body.isEmpty else { throw Problem(.bodyMissing, "A JSON object is needed.") }
        let body = try parsed(command.body)
        try amounts.check(body)
        return body
    }

    private static func caller(_ merchant: MerchantNumber) -> Caller {
        Caller(
            keyId: Uuid(high: 0, low: 0),
            name: sqlActor.id,
            merchant: merchant,
            merchantName: "",
            scopes: [.commands]
        )
    }

    /// A backend that speaks through the database is known by the right to call `paystream.enqueue` alone.
    static let sqlActor = Actor(id: "sql", isOperator: false)

    /// The endpoint by the name of the command; the stage of a dispute tells its three apart.
    private static func endpoint(of name: String, _ given: Json) -> Endpoint? {
        var stage: Dispute.Stage?
        if name == PaymentCommand.Name.recordDispute.rawValue {
            stage = given["stage"] == nil ? .opened : given["stage"]?.text.flatMap(Dispute.Stage.init)
            guard stage != nil else { return nil }
        }
        return Endpoints.all.first { $0.stored?.name == name && $0.stored?.stage == stage }
    }

    /// Parts what stands in the path over HTTP from the members that the endpoint itself takes.
    private static func parts(of given: Json, _ endpoint: Endpoint, _ merchant: MerchantNumber) throws(Problem)
        -> (PathParameters, Json)
    {
        guard let subject = Router<Endpoint>.captureNames(of: endpoint.pattern).first else {
            return (PathParameters([]), given)
        }
        let form = try Form(given)
        var members = given.members ?? JsonObject([])
        guard let named = members[subject] else {
            guard subject != "batch" else {
                throw Problem(.memberMissing, "The key of the batch's own command is needed.", path: subject)
            }
            throw form.missing(subject)
        }
        guard let text = named.text else { throw form.wrongType(subject, "A text") }
        members[subject] = nil
        var path = [(name: subject, value: try id(text, of: subject, form, merchant))]
        if endpoint.stored?.stage != nil {
            if let dispute = members["dispute"]?.text { path.append((name: "dispute", value: dispute)) }
            members["dispute"] = nil
            members["stage"] = nil
        }
        if endpoint.body.rule == .none { try Form(.object(members)).end() }
        return (PathParameters(path), .object(members))
    }

    /// Makes the part of the path; an id that is none of a payment names none, as over HTTP.
    private static func id(_ text: String, of subject: String, _ form: Form, _ merchant: MerchantNumber)
        throws(Problem) -> String
    {
        var form = form
        switch subject {
        case "batch": return batch(named: text, merchant).text
        case "schedule":
            let id: ScheduleId? = try form.id(subject)
            return id?.text ?? text
        case "instrument":
            let id: InstrumentId? = try form.id(subject)
            return id?.text ?? text
        default: return text
        }
    }
}
