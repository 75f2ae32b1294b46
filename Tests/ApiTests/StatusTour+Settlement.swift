import Api
import Http
import Kernel
import Projections
import TestKit

/// Endpoints about settlement: the harness's own account and the standard form of its provider's files.
extension StatusTour {
    var isAboutSettlement: Bool { route.pattern.contains("settlement") }

    /// What the path of an endpoint names that has no other of its kind.
    func otherValues() async throws -> [String: String] {
        if isAboutBills { return try await billValues() }
        if isAboutEvents { return try await eventValues() }
        if isAboutWebhooks { return try await webhookValues() }
        if isAboutAccess { return try await accessValues() }
        if isAboutLinks { return ["link": try await link(key: "tour-link").json["id"]?.text ?? ""] }
        if route.id == "problem" { return ["code": "rate_limited"] }
        return isAboutSettlement ? try await settlementValues() : [:]
    }

    /// What is posted to them.
    func otherBody(_ target: String) async throws -> Json? {
        if isAboutBills { return try await billBody(target) }
        if isAboutLinks { return linkBody }
        return isAboutWebhooks ? webhookBody : settlementBody
    }

    private static let imports = "/v1/settlement-files?account=ecommpay-eur"
    private static let file = """
        operation_type,operation_id,payment_id,amount,currency,commission,operation_date,operation_status
        sale,101,order-1,19.99,EUR,0.40,2026-11-21 10:00:00,success

        """

    /// What the path of an endpoint about settlement names.
    func settlementValues() async throws -> [String: String] {
        switch route.id {
        case "getSettlementFile":
            return ["file": try await bring(Self.file, to: Self.imports).json["id"]?.text ?? ""]
        case "getSettlementMapping", "keepSettlementMapping": return ["account": "ecommpay-eur"]
        default: return ["exception": "\(MemorySettlements.open)", "proposal": "1"]
        }
    }

    /// A body that is accepted.
    var settlementBody: Json? {
        switch route.id {
        case "assignSettlementException": ["owner": "anna"]
        case "proposeSettlementResolution": ["verdict": ["is": "adjust"], "reason": "confirmed"]
        case "keepSettlementMapping":
            [
                "name": "own", "format": "csv", "zone": "Europe/Kyiv", "currency": "EUR", "kind": "captured",
                "columns": ["amount": "sum", "at": "date"], "dates": "yyyy-MM-dd",
            ]
        default: nil
        }
    }

    /// Statuses that are endpoints' own.
    func settlementStatuses(_ target: String) async throws -> [Int] {
        guard route.id != "importSettlementFile" else { return try await importing() }
        guard route.statuses.contains(409) else { return [] }
        let ended = target.replacing("\(MemorySettlements.open)", with: "\(MemorySettlements.ended)")
        return [try await api.send(route.method, ended, settlementBody).status]
    }

    private func importing() async throws -> [Int] {
        let long = await api.api.handle(
            request(Self.imports, Self.file),
            from: GuardTests.peer,
            body: EndlessBody()
        )
        return [
            try await bring(Self.file, to: Self.imports).status, try await bring(Self.file, to: Self.imports).status,
            try await bring(Self.file, to: "/v1/settlement-files").status,
            try await bring("no header", to: Self.imports).status, long.status,
        ]
    }

    private func bring(_ file: String, to target: String) async throws -> Answer {
        try await api.send(request(target, file))
    }

    private func request(_ target: String, _ file: String) -> HttpRequest {
        let headers = HttpHeaders([("Authorization", "Bearer \(ApiHarness.allKey)"), ("Content-Type", "text/csv")])
        return HttpRequest(method: .post, target: target, headers: headers, body: Array(file.utf8))
    }
}
