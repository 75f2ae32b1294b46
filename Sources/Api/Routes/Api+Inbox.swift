package import EventSourcing
package import Http
import Kernel
import Payments
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
        guard let route = Self.route(of: command.name) else {
            throw Problem(.routeUnknown, "The SQL entrance takes no such command.")
        }
        let given = try body(of: Self.request(route, command.key, command.body), .json)
        let (path, body) = try Self.parts(of: given, route)
        let call = try call(
            route,
            Self.request(route, command.key, body.compactBytes),
            path,
            Caller(
                keyId: Uuid(high: 0, low: 0),
                name: Self.sqlActor.id,
                merchant: command.merchant,
                merchantName: "",
                scopes: [.commands]
            ),
            Self.sqlActor,
            TraceContext.new(from: random)
        )
        if route == .createPayment || route == .createTransfer { return try await newPayment(call).0 }
        return try await submission(call, try await snapshot(try call.paymentId(), call).payment)
    }

    /// A backend that speaks through the database is known by the right to call `paystream.enqueue` alone.
    private static let sqlActor = Actor(id: "sql", isOperator: false)

    private static func route(of text: String) -> Route? {
        if let name = PaymentCommand.Name(text, in: .transfer) {
            switch name {
            case .create: return .createTransfer
            case .sync: return .syncTransfer
            case .capture, .void, .refund, .completeDelivery, .confirm, .recordDispute, .propose, .approve: return nil
            }
        }
        guard let name = PaymentCommand.Name(rawValue: text) else { return nil }
        return switch name {
        case .create: .createPayment
        case .capture: .capturePayment
        case .void: .voidPayment
        case .refund: .refundPayment
        case .completeDelivery: .completeDelivery
        case .sync: .syncPayment
        case .confirm, .recordDispute, .propose, .approve: nil
        }
    }

    private static func request(_ route: Route, _ key: String, _ body: [UInt8]) -> HttpRequest {
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
        return (PathParameters([(name: subject, value: text)]), .object(members))
    }
}
