import Http
import Kernel

/// Which account takes a new payment: a plain order, and rules.
enum RoutingEndpoints {
    static let order: [Endpoint] = [
        .reading("getRouting", "/v1/routing", by: Api.getRouting)
            .documented(.configuration, "Read the routing", "Routing"),
        .command("setRouting", "/v1/routing", .json(.setRouting), method: .put, scope: .admin, by: Api.setRouting)
            .documented(.configuration, "Set the routing", "Routing")
            .ids(["accounts.*"])
            .atOnce,
    ]

    static let rules: [Endpoint] = [
        .reading("getRoutes", "/v1/routes", by: Api.getRoutes)
            .documented(.configuration, "Read the rules of routing, and the breakers", "Routes"),
        .command(
            "setRoutes",
            "/v1/routes",
            .json(RouteRulesForm.schema),
            method: .put,
            scope: .admin,
            by: Api.setRoutes
        )
        .documented(.configuration, "Set the rules of routing", "Routes")
        .ids(["rules.*.to.*.account", "rules.*.then.*"])
        .atOnce,
        .asking("explainRoute", "/v1/routes/explain", .optional(ExplainForm.schema), scope: .read, by: Api.explainRoute)
            .documented(.configuration, "Explain which account a payment takes", "RouteExplanation")
            .ids(["payment"]),
    ]
}
