import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit

extension Api {
    // MARK: Rules

    func getRoutes(_ call: Call) async throws(Problem) -> HttpResponse {
        .json(200, RoutingPage.shown(try await routing(call), try await accounts(call)))
    }

    func setRoutes(_ call: Call) async throws(Problem) -> HttpResponse {
        let known = try await accountsNow(call)
        let form = try RouteRulesForm(call.body, known)
        let command = RoutingCommand.setRules(form.rules, seen: form.seen)
        let stream = DerivedNames.routing(call.merchant)
        let submitted = try await submit(try call.submission(stream, command.name.rawValue, command.json))
        let routing = try await routing(call)
        var response = HttpResponse.json(submitted.version == nil ? 202 : 200, RoutingPage.shown(routing, known))
        if submitted.isReplay { response.headers.set("Idempotent-Replayed", "true") }
        return response
    }

    /// Tells which account a payment takes and why: one that might be created now, or one that was.
    func explainRoute(_ call: Call) async throws(Problem) -> HttpResponse {
        let form = try ExplainForm(call.body)
        if let id = form.payment { return try await recorded(id, call) }
        let known = try await accounts(call)
        let question = form.question(PaymentId(Uuid(high: 0, low: 0)))
        let decision = try await routing(call).route(question, among: adapters.routed(known), at: call.now)
        return .json(200, ["object": "routeExplanation", "decisions": [decision.shown]])
    }

    /// The decisions that an existing payment keeps.
    private func recorded(_ id: PaymentId, _ call: Call) async throws(Problem) -> HttpResponse {
        let payment = try await snapshot(id, call).payment
        var response = HttpResponse.json(
            200,
            [
                "object": "routeExplanation", "payment": id.json,
                "decisions": .array(payment.routes.map(\.shown)),
            ]
        )
        response.headers.set("Paystream-Mode", payment.account?.mode.rawValue)
        return response
    }

    func routing(_ call: Call) async throws(Problem) -> Routing {
        try await read { () async throws(ReadFailure) in try await ports.reader.routing(merchant: call.merchant) }
    }
}
