import Engine
import EventSourcing
import Kernel
import Payments
import Projections
import ProviderKit
import Store

/// What a node knows of an endpoint that it holds.
struct HeldWebhook: Sendable {
    /// A secret of `v1` or of `v1a`, and when it stops signing.
    private struct Signer: Sendable {
        let secret: Secret
        let endsAt: Timestamp?
    }

    let endpoint: WebhookEndpoint
    let url: String
    let isOrdered: Bool
    private let types: [String]
    private let signers: [Signer]

    /// Opens an endpoint's secrets; `nil` where none opens.
    static func open(_ endpoint: WebhookEndpoint, _ name: StreamName, _ vault: any Vault) async -> HeldWebhook? {
        guard let configuration = endpoint.configuration else { return nil }
        // Their public keys stand in the clear and under one name.
        let sealed = endpoint.secrets.flatMap { $0.sealed.members?.members ?? [] }.map { ($0.name, $0.value) }
            .filter { $0.0 != WebhookEndpointSecret.publicKeyName }
        let opened = try? await vault.secrets(.object(JsonObject(sealed)), account: name.id, merchant: name.merchant)
        guard let opened else { return nil }
        var signers: [Signer] = []
        for secret in endpoint.secrets.reversed() {
            let pair = configuration.signatures.contains(.v1a) ? opened[secret.pairName] : nil
            // One that was made before there were pairs of keys signs as it did.
            if configuration.signatures.contains(.v1) || pair == nil, let shared = opened[secret.name] {
                signers.append(Signer(secret: shared, endsAt: secret.endsAt))
            }
            if let pair { signers.append(Signer(secret: pair, endsAt: secret.endsAt)) }
        }
        guard !signers.isEmpty else { return nil }
        return HeldWebhook(
            endpoint: endpoint,
            url: configuration.url,
            isOrdered: configuration.order == .resource,
            types: configuration.typeNames,
            signers: signers
        )
    }

    /// What signs at a moment, the newest first.
    func secrets(at now: Timestamp) -> [Secret] {
        signers.filter { $0.endsAt.map { $0 > now } ?? true }.map(\.secret)
    }

    func demand(_ name: StreamName, most: Int) -> WebhookDemand {
        WebhookDemand(endpoint: name, types: types, isOrdered: isOrdered, most: most)
    }
}

extension RestingWebhook {
    init(_ name: StreamName, _ endpoint: WebhookEndpoint, _ disabled: WebhookDisablement) {
        let trouble: String? =
            switch disabled.reason {
            case .asked: nil
            case .gone, .failing: disabled.reason.rawValue
            }
        self.init(endpoint: name, version: endpoint.version, trouble: trouble, since: disabled.at)
    }
}
