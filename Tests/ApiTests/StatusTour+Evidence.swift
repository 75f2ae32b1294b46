import Api
import Http
import Kernel

/// Files about disputes.
extension StatusTour {
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
