package import EventSourcing
package import Http
import Kernel
import Payments
import Schedules
import Telemetry

extension Api {
    /// Reads a command of the SQL entrance as the request that it would be over HTTP: same forms, same guards, same key.
    ///
    /// `payment.create` holds what `POST /v1/payments` takes, `transfer.create` what `POST /v1/transfers` does. The others
    /// hold what their route takes, and beside it the id of their `payment` or `transfer`, which stands in the path over
    /// HTTP.
    package func submission(of command: InboxCommand) async throws(Problem) -> Submission {
        if let name = BillBatchCommand.Name(rawValue: command.name) {
            return try await billSubmission(of: command, name)
        }
        if let name = ScheduleCommand.Name(rawValue: command.name) { return try await submission(of: command, name) }
        switch InstrumentCommand.Name(rawValue: command.name) {
        case .remove?: return try await about(.removeInstrument, command)
        case .check?: return try await about(.checkInstrument, command)
        case .save?, .use?, .charge?, .endUse?, .report?, nil: break
        }
        let given = try body(of: Self.request(.createPayment, command.key, command.body), .json)
        guard let route = Self.route(of: command.name, given) else {
            throw Problem(.routeUnknown, "The SQL entrance takes no such command.")
        }
        let (path, body) = try Self.parts(of: given, route)
        let call = try call(
            route,
            Self.request(route, command.key, body.compactBytes),
            path,
            Self.caller(command.merchant),
            Self.sqlActor,
            TraceContext.new(from: random)
        )
        if route == .createPayment || route == .createTransfer { return try await newPayment(call).0 }
        return try await submission(call, try await snapshot(try call.paymentId(), call).payment)
    }

    /// `instrument.remove` and `instrument.check` hold the id of their `instrument`.
    private func about(_ route: Route, _ command: InboxCommand) async throws(Problem) -> Submission {
        var form = try Form(try body(of: Self.request(.createPayment, command.key, command.body), .json))
        guard let id: InstrumentId = try form.id("instrument") else { throw form.missing("instrument") }
        try form.end()
        let call = try call(
            route,
            Self.request(route, command.key, []),
            PathParameters([(name: "instrument", value: id.text)]),
            Self.caller(command.merchant),
            Self.sqlActor,
            TraceContext.new(from: random)
        )
        return try await (route == .checkInstrument ? check(call) : removal(call).0)
    }

    static func caller(_ merchant: MerchantNumber) -> Caller {
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

    /// The stage of a dispute names its route.
    private static func route(of text: String, _ given: Json) -> Route? {
        if let name = PaymentCommand.Name(text, in: .transfer) {
            switch name {
            case .create: return .createTransfer
            case .sync: return .syncTransfer
            case .addEvidence: return .addTransferEvidence
            case .adopt, .capture, .void, .refund, .completeDelivery, .confirm, .recordDispute, .propose, .approve:
                return nil
            }
        }
        guard let name = PaymentCommand.Name(rawValue: text) else { return nil }
        return switch name {
        case .create: .createPayment
        case .adopt: nil
        case .capture: .capturePayment
        case .void: .voidPayment
        case .refund: .refundPayment
        case .completeDelivery: .completeDelivery
        case .sync: .syncPayment
        case .recordDispute:
            switch given["stage"]?.text.flatMap(Dispute.Stage.init) {
            case .opened?: .openDispute
            case .won?: .winDispute
            case .lost?: .loseDispute
            case nil: given["stage"] == nil ? .openDispute : nil
            }
        case .addEvidence: .addEvidence
        case .confirm, .propose, .approve: nil
        }
    }

    static func request(_ route: Route, _ key: String, _ body: [UInt8]) -> HttpRequest {
        HttpRequest(
            method: route.method,
            target: route.pattern,
            headers: HttpHeaders([("Content-Type", "application/json"), ("Idempotency-Key", key)]),
            body: body
        )
    }

    /// Parts the payment's id from the members that the route itself takes.
    private static func parts(of given: Json, _ route: Route) throws(Problem) -> (PathParameters, Json) {
        guard route != .createPayment, route != .createTransfer else { return (PathParameters([]), given) }
        let subject = route.streamKind == .transfer ? "transfer" : "payment"
        guard case .object(var members) = given else {
            throw Problem(.typeWrong, "An object is needed here.", path: JsonPath.root.description)
        }
        guard let named = members[subject] else {
            throw Problem(.memberMissing, "This member is needed.", path: subject)
        }
        guard let text = named.text else { throw Problem(.typeWrong, "A text is needed here.", path: subject) }
        members[subject] = nil
        var path = [(name: subject, value: text)]
        if route.pattern.contains("/disputes") {
            if let dispute = members["dispute"]?.text { path.append((name: "dispute", value: dispute)) }
            members["dispute"] = nil
            members["stage"] = nil
        }
        return (PathParameters(path), .object(members))
    }
}
