import Daemon
import Http
import Kernel

/// Dolyame: the web form, parts of orders, returned goods, and the five endings of the SDK's demo flow.
package struct DolyameScenes: DemoScenes {
    package static let provider = "dolyame"
    private let stage: DemoStage

    package init(_ stage: DemoStage) { self.stage = stage }

    /// The endings that the demo flow offers, each with what becomes of the payment.
    private static let endings: [(String, String)] = [
        ("demo: scoring refused", "failed"), ("demo: first payment made", "authorized"),
        ("demo: first payment failed", "expired"), ("demo: unknown, then made", "authorized"),
        ("demo: unknown, then failed", "expired"),
    ]

    package func all() async throws -> [DemoRow] {
        var rows: [DemoRow] = []
        rows.append(try await committed())
        rows.append(try await formed("order, refused", "decline", "failed"))
        rows.append(try await formed("order, given up by its payer", "abandon", "expired"))
        for (index, (title, expected)) in Self.endings.enumerated() {
            rows.append(try await demo(title, ending: Int64(index + 1), expected))
        }
        return rows
    }

    /// A part is delivered and committed, all of that comes back.
    private func committed() async throws -> DemoRow {
        let title = "order, part delivered and returned"
        let id = try await create(title)
        try await stage.submit([("choice", "approve")], to: try await stage.page(of: id))
        try await stage.wait(id, for: "authorized")
        let delivered: Json = ["items": [["name": "Sneakers", "price": "4600.00", "sku": "SN-1"]]]
        try await stage.perform(
            "capture",
            id,
            title,
            ["amount": Self.roubles(460_000), "details": delivered]
        )
        try await stage.wait(id, for: "captured")
        try await stage.perform("refund", id, title)
        return try await stage.row(title, id, "refunded")
    }

    private func formed(_ title: String, _ choice: String, _ expected: String) async throws -> DemoRow {
        let id = try await create(title)
        try await stage.submit([("choice", choice)], to: try await stage.page(of: id))
        return try await stage.row(title, id, expected)
    }

    /// The app starts the SDK with what the daemon gave it, chooses an ending, and reports what the SDK said.
    private func demo(_ title: String, ending: Int64, _ expected: String) async throws -> DemoRow {
        let id = try await create(title, method: "sdk")
        let given = try await stage.api.call(.post, "/v1/payments/\(id)/app-parameters", [:])
        let body: Json = ["ending": .integer(ending), "parameters": given["parameters"] ?? .null]
        let answer = try await stage.api.open(stage.sandbox + "/dolyame/app", posting: body)
        guard answer.status == 200, let said = try? Json(answer.body) else {
            throw ApiClient.Failure(
                description: "app: \(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
            )
        }
        try await stage.perform("confirm", id, title, said)
        return try await stage.row(title, id, expected)
    }

    // MARK: Steps

    private static func roubles(_ kopecks: Int64) -> Json { ["currency": "RUB", "value": .integer(kopecks)] }

    func create(_ title: String, method: String = "hosted") async throws -> String {
        let items: Json = [
            ["name": "Sneakers", "price": "4600.00", "sku": "SN-1"],
            ["name": "Ball", "quantity": 4, "price": "600.00", "sku": "BL-4"],
        ]
        return try await stage.create(
            title,
            mode: "authorize",
            amount: Self.roubles(700_000),
            [
                "details": ["items": items, "payer": ["birthdate": "28.05.1991", "phone": "8 913 001 01 01"]],
                "method": .string(method),
            ]
        )
    }
}
