import Api
import Http
import Kernel
import Projections

/// Webhooks of the harness: endpoints are its memory store's, and nothing is sent.
extension StatusTour {
    var isAboutWebhooks: Bool { route.pattern.hasPrefix("/v1/webhook-endpoints") }

    private static let receiver: Json = ["url": "https://shop.com/hook"]

    /// An endpoint that is there.
    func webhookValues() async throws -> [String: String] {
        let made = try await api.post("/v1/webhook-endpoints", Self.receiver, key: "tour-endpoint").expect(201)
        return ["endpoint": made.json["id"]?.text ?? ""]
    }

    var webhookBody: Json? {
        switch route.id {
        case "createWebhookEndpoint", "changeWebhookEndpoint": Self.receiver
        case "redeliverWebhooks": ["event": .string(MemoryWebhooks.event.text)]
        default: nil
        }
    }

    /// What one that is disabled answers.
    func webhookStatuses(_ target: String, _ body: Json?) async throws -> [Int] {
        guard route.id == "pingWebhookEndpoint" || route.id == "redeliverWebhooks" else { return [] }
        let one = target.split(separator: "/").dropLast().joined(separator: "/")
        try await api.post("/\(one)/disable", [:], key: "tour-disable").expect(200)
        return [try await api.send(route.method, target, body).status]
    }
}
