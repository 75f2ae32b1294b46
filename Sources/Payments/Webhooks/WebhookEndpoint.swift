import EventSourcing
package import Kernel

/// Names the webhook-endpoint kind of identifier.
package enum WebhookEndpointKind: IdentifierKind { package static let prefix = "whe" }

package typealias WebhookEndpointId = Identifier<WebhookEndpointKind>

/// One address of a merchant that is sent public events: the fold of its stream.
package struct WebhookEndpoint: Aggregate, Hashable {
    package let id: WebhookEndpointId
    package private(set) var version: Int32 = 0
    package private(set) var configuration: WebhookConfiguration?
    /// The newest last; an earlier one has an end.
    package private(set) var secrets: [WebhookEndpointSecret] = []
    package private(set) var createdAt: Timestamp?
    /// Why nothing is sent to it now; `nil` while it is enabled.
    package private(set) var disabled: WebhookDisablement?
    package private(set) var removedAt: Timestamp?

    /// Endpoints that a merchant may have.
    package static let perMerchant = 20
    /// Secrets that sign at a time.
    package static let secretsHeld = 4

    package init(id: WebhookEndpointId) { self.id = id }

    /// Whether there is such an endpoint.
    package var exists: Bool { configuration != nil && removedAt == nil }

    /// Whether events are sent to it.
    package var isEnabled: Bool { exists && disabled == nil }

    /// The secrets that sign at a moment, the newest first.
    package func secrets(at now: Timestamp) -> [WebhookEndpointSecret] {
        secrets.filter { $0.endsAt.map { $0 > now } ?? true }.reversed()
    }

    /// Applies one event; never fails and never decides.
    package mutating func evolve(_ event: WebhookEndpointEvent) {
        version += 1
        switch event {
        case .configured(let configuration, _, let at):
            self.configuration = configuration
            createdAt = createdAt ?? at
        case .secretAdded(let secret, let overlap, _, let at):
            secrets = secrets.filter { $0.endsAt.map { $0 > at } ?? true }.map { earlier in
                var earlier = earlier
                earlier.endsAt = min(earlier.endsAt ?? overlap, overlap)
                return earlier
            }
            secrets.append(secret)
        case .enabled: disabled = nil
        case .disabled(let why, _, let at): disabled = WebhookDisablement(reason: why, at: at)
        case .removed(_, let at): removedAt = at
        }
    }

    /// Decides a command.
    package func decide(_ command: WebhookEndpointCommand, _ context: CommandContext) throws(Rejection)
        -> [WebhookEndpointEvent]
    {
        let (actor, now) = (context.actor.id, context.now)
        if case .create(let wanted, let sealed) = command {
            guard configuration == nil else {
                throw Rejection(.webhookEndpointExists, "There is such an endpoint already.")
            }
            try wanted.check()
            let secret = try WebhookEndpointSecret(made: context.input, sealed)
            return [
                .configured(wanted, by: actor, at: now), .secretAdded(secret, overlap: now, by: actor, at: now),
            ]
        }
        guard exists else { throw Rejection(.webhookEndpointUnknown, "There is no such endpoint.") }
        switch command {
        case .create: return []
        case .change(let wanted):
            try wanted.check()
            return wanted == configuration ? [] : [.configured(wanted, by: actor, at: now)]
        case .rotateSecret(let sealed, let overlap):
            // Without an overlap the new one alone signs, so that a leaked one is replaced at once.
            guard overlap <= .zero || secrets(at: now).count < Self.secretsHeld else {
                throw Rejection(.webhookSecretsMany, "At most \(Self.secretsHeld) secrets sign at a time.")
            }
            let secret = try WebhookEndpointSecret(made: context.input, sealed)
            return [.secretAdded(secret, overlap: now.adding(overlap), by: actor, at: now)]
        case .enable: return disabled == nil ? [] : [.enabled(by: actor, at: now)]
        case .disable(let reason):
            return disabled == nil ? [.disabled(reason, by: actor, at: now)] : []
        case .remove: return [.removed(by: actor, at: now)]
        }
    }
}

/// A secret that signs what is sent to an endpoint.
package struct WebhookEndpointSecret: Hashable, Sendable {
    /// The command that made it.
    package let id: Uuid
    /// An object with what signs, each sealed under its name, and the public key in the clear.
    package let sealed: Json
    /// When it stops signing; `nil` for the newest.
    package var endsAt: Timestamp?

    package init(id: Uuid, sealed: Json) {
        self.id = id
        self.sealed = sealed
    }

    /// The name that the shared secret of `v1` is sealed under.
    package var name: String { Self.name(id) }

    /// The name that the private key of `v1a` is sealed under; one that was made before there were any has none.
    package var pairName: String { Self.pairName(id) }

    /// What verifies `v1a`, as `whpk_` and base64.
    package var publicKey: String? { sealed[Self.publicKeyName]?.text }

    package static func name(_ id: Uuid) -> String { id.compact }
    package static func pairName(_ id: Uuid) -> String { id.compact + "-ed25519" }
    package static let publicKeyName = "publicKey"

    /// Refuses one that is not sealed.
    init(made id: Uuid, _ sealed: Json) throws(Rejection) {
        let isWhole = (sealed.members?.members ?? []).allSatisfy { member in
            switch member.name {
            case Self.name(id), Self.pairName(id): Sealed(member.value) != nil
            case Self.publicKeyName: member.value.text?.hasPrefix("whpk_") == true
            default: false
            }
        }
        guard isWhole, sealed[Self.name(id)] != nil else {
            throw Rejection(.secretNotSealed, "A secret is stored sealed or not at all.", path: "secret")
        }
        self.init(id: id, sealed: sealed)
    }
}

/// Why an endpoint is sent nothing, and since when.
package struct WebhookDisablement: Hashable, Sendable {
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// A person or program of the merchant said so.
        case asked
        /// It answered 410.
        case gone
        /// It failed for days.
        case failing
    }

    package let reason: Reason
    package let at: Timestamp
}

/// What a merchant says of an endpoint; a new one replaces the old one in full.
package struct WebhookConfiguration: Hashable, Sendable {
    /// What is kept of the order of events.
    package enum Order: String, Hashable, Sendable, CaseIterable {
        /// A resource's next event waits until the earlier one was delivered or given up.
        case resource
        case none
    }

    /// How what is sent is signed, by the words of Standard Webhooks.
    package enum Signature: String, Hashable, Sendable, CaseIterable {
        /// By a secret that both sides have: HMAC-SHA256.
        case v1
        /// By a pair of keys, whose public one verifies: Ed25519.
        case v1a
    }

    package let url: String
    /// Types as they were named, as in `payment.*`; none means all.
    package let types: [String]
    package let description: String?
    package let order: Order
    /// In the order of their words, each once.
    package let signatures: [Signature]

    package static let urlBytes = 1024
    package static let typesNamed = 64
    package static let typeBytes = 64
    package static let descriptionCharacters = 255

    package init(
        url: String,
        types: [String],
        description: String?,
        order: Order,
        signatures: [Signature] = [.v1]
    ) {
        self.url = url
        self.types = types
        self.description = description
        self.order = order
        self.signatures = signatures
    }

    /// Checks what holds for every endpoint; the caller has judged the address.
    func check() throws(Rejection) {
        guard !url.isEmpty, url.utf8.count <= Self.urlBytes else {
            throw Rejection(.webhookEndpointInvalid, "An address has 1 to \(Self.urlBytes) bytes.", path: "url")
        }
        guard types.count <= Self.typesNamed, types.allSatisfy({ $0.utf8.count <= Self.typeBytes }) else {
            throw Rejection(.webhookEndpointInvalid, "At most \(Self.typesNamed) types are named.", path: "types")
        }
        guard !signatures.isEmpty, Set(signatures).count == signatures.count else {
            throw Rejection(.webhookEndpointInvalid, "A signature is named once.", path: "signatures")
        }
    }
}
