package import EventSourcing
package import Http
import Kernel
import Payments
import Telemetry

extension Api {
    /// Reads a command of the SQL entrance as the request that it would be over HTTP: same forms, same guards, same key.
    ///
    /// `payment.create` holds what `POST /v1/payments` takes. The others hold what their route takes, and beside it the
    /// id of their `payment`, which stands in the path over HTTP.
    package func submission(of command: InboxCommand) async throws(Problem) -> Submission {
        guard let name = PaymentCommand.Name(rawValue: command.name), let route = Self.route(of: name) else {
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
        if route == .createPayment { return try await newPayment(call).0 }
        return try await submission(call, try await snapshot(try call.paymentId(), call).payment)
    }

    /// A backend that speaks through the database is known by the right to call `paystream.enqueue` alone.
    private static let sqlActor = Actor(id: "sql", isOperator: false)

    private static func route(of name: PaymentCommand.Name) -> Route? {
        switch name {
        case .create: .createPayment
        case .capture: .capturePayment
        case .void: .voidPayment
        case .refund: .refundPayment
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
        guard route != .createPayment else { return (PathParameters([]), given) }
        guard case .object(var members) = given else {
            throw Problem(.typeWrong, "An object is needed here.", path: JsonPath.root.description)
        }
        guard let payment = members["payment"] else {
            throw Problem(.memberMissing, "This member is needed.", path: "payment")
        }
        guard let text = payment.text else { throw Problem(.typeWrong, "A text is needed here.", path: "payment") }
        members["payment"] = nil
        return (PathParameters([(name: "payment", value: text)]), .object(members))
    }
}
