import EventSourcing
import Http
import Kernel
import Payments
import Projections
import ProviderKit

extension Api {
    // MARK: The plain order

    func getRouting(_ call: Call) async throws(Problem) -> HttpResponse {
        let routing = try await reader.routing(merchant: call.merchant)
        return .json(200, self.routing(routing.accounts, try await accounts(call), call))
    }

    func setRouting(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try Form(call.body)
        guard let value = form.value("accounts") else { throw form.missing("accounts") }
        guard let items = value.items else { throw form.wrongType("accounts", "A list") }
        try form.end()
        guard items.count <= Routing.accountsPerMerchant else {
            throw Problem(.tooMany, "At most \(Routing.accountsPerMerchant) accounts.", path: "accounts")
        }
        let known = try await accountsNow(call)
        var order: [Uuid] = []
        for (index, item) in items.enumerated() {
            guard let text = item.text else { throw form.wrongType("accounts.\(index)", "A name") }
            guard let account = known.called(text) else {
                throw Problem(.accountUnknown, "There is no such account.", path: "accounts.\(index)")
            }
            order.append(account.id)
        }
        let command = RoutingCommand.set(order)
        let stream = DerivedNames.routing(call.merchant)
        if let change = try await proposed(call, stream, command.name.rawValue, command.json) { return change }
        let submitted = try await submit(call.submission(stream, command.name.rawValue, command.canonical))
        return .outcome(of: submitted, routing(order, known, call))
    }

    private func routing(_ order: [Uuid], _ accounts: [Account], _ call: Call) -> Json {
        let items = order.compactMap { id in accounts[id].flatMap { shown($0, call) } }
        return ["object": "routing", "accounts": .array(items)]
    }

    // MARK: Rules

    func getRoutes(_ call: Call) async throws(Problem) -> HttpResponse {
        .json(200, RoutingPage.shown(try await routing(call), try await accounts(call)))
    }

    func setRoutes(_ call: Call) async throws(Problem) -> HttpResponse {
        let known = try await accountsNow(call)
        let form = try RouteRulesForm(call.body, known)
        let command = RoutingCommand.setRules(form.rules, seen: form.seenNumber)
        let stream = DerivedNames.routing(call.merchant)
        if let change = try await proposed(call, stream, command.name.rawValue, command.json) { return change }
        let submitted = try await submit(call.submission(stream, command.name.rawValue, command.canonical))
        let routing = try await routing(call)
        return .outcome(of: submitted, RoutingPage.shown(routing, known))
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
        let decisions = Json.array(payment.routes.map(\.shown))
        return HttpResponse.json(200, ["object": "routeExplanation", "payment": id.json, "decisions": decisions])
            .with(payment.account?.mode)
    }

    func routing(_ call: Call) async throws(Problem) -> Routing {
        try await reader.routing(merchant: call.merchant)
    }
}
