import Api
import Http
import Kernel

/// Disputes, and files about them.
extension StatusTour {
    /// A payment with a dispute, and a file about it.
    func disputeValues() async throws -> [String: String] {
        let id = try await api.paid(key: "tour")
        let body: Json = ["amount": ["value": 5, "currency": "EUR"]]
        let opened = try await api.post("/v1/payments/\(id)/disputes", body, key: "tour-dispute").expect(200)
        let dispute = opened.json["disputes"]?.items?.first?["id"]?.text ?? ""
        var values = ["payment": id.text, "dispute": dispute]
        if route.id == "readDisputeEvidence" {
            let files = "/v1/payments/\(id)/disputes/\(dispute)/evidence"
            values["evidence"] = try await bringEvidence(to: files).json["id"]?.text
        }
        return values
    }

    private func request(_ files: String, _ type: String) -> HttpRequest {
        let headers = HttpHeaders([("Authorization", "Bearer \(ApiHarness.allKey)"), ("Content-Type", type)])
        return HttpRequest(method: .post, target: files + "?name=a.txt", headers: headers, body: Array("signed".utf8))
    }

    func bringEvidence(to files: String, as type: String = "text/plain") async throws -> Answer {
        try await api.send(request(files, type))
    }

    /// Statuses that keeping a file has of its own.
    func evidenceStatuses(_ files: String) async throws -> [Int] {
        let long = await api.api.handle(request(files, "text/plain"), from: GuardTests.peer, body: EndlessBody())
        return [
            try await bringEvidence(to: files).status, try await bringEvidence(to: files).status,
            try await bringEvidence(to: files, as: "text/html").status, long.status,
        ]
    }
}
