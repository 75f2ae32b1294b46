package import EventSourcing
package import Kernel

/// A fact about an endpoint of webhooks.
package enum WebhookEndpointEvent: StoredEvent, Hashable {
    case configured(WebhookConfiguration, by: String, at: Timestamp)
    /// Earlier secrets sign until `overlap`.
    case secretAdded(WebhookEndpointSecret, overlap: Timestamp, by: String, at: Timestamp)
    case enabled(by: String, at: Timestamp)
    case disabled(WebhookDisablement.Reason, by: String, at: Timestamp)
    case removed(by: String, at: Timestamp)

    /// The stored names; a changed shape gets a new version beside the old one.
    package enum Name: String, Hashable, Sendable, CaseIterable {
        case configured = "webhookEndpoint.configured.v1"
        case secretAdded = "webhookEndpoint.secretAdded.v1"
        case enabled = "webhookEndpoint.enabled.v1"
        case disabled = "webhookEndpoint.disabled.v1"
        case removed = "webhookEndpoint.removed.v1"
    }

    package var name: Name {
        switch self {
        case .configured: .configured
        case .secretAdded: .secretAdded
        case .enabled: .enabled
        case .disabled: .disabled
        case .removed: .removed
        }
    }
}

/// A request about an endpoint of webhooks.
package enum WebhookEndpointCommand: StoredCommand, Hashable {
    /// The secret is an object with what signs, sealed under names of the input's id.
    case create(WebhookConfiguration, secret: Json)
    /// Replaces the configuration in full.
    case change(WebhookConfiguration)
    case rotateSecret(Json, overlap: Duration)
    case enable
    case disable(WebhookDisablement.Reason)
    case remove

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case create = "webhookEndpoint.create"
        case change = "webhookEndpoint.change"
        case rotateSecret = "webhookEndpoint.rotateSecret"
        case enable = "webhookEndpoint.enable"
        case disable = "webhookEndpoint.disable"
        case remove = "webhookEndpoint.remove"
    }

    package var name: Name {
        switch self {
        case .create: .create
        case .change: .change
        case .rotateSecret: .rotateSecret
        case .enable: .enable
        case .disable: .disable
        case .remove: .remove
        }
    }
}

extension WebhookEndpointEvent {
    /// The payload as it is stored.
    package func write(into out: inout JsonText) {
        switch self {
        case .configured(let configuration, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("configuration", configuration)
        case .secretAdded(let secret, let overlap, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("id", secret.id)
            out.member("overlap", overlap)
            out.member("secret", secret.sealed)
        case .disabled(let reason, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("reason", reason)
        case .enabled(let actor, let at), .removed(let actor, let at):
            out.member("at", at)
            out.member("by", actor)
        }
    }

    /// Reads the payload of a stored event.
    package init(_ name: Name, _ fields: Fields) throws(CodecFailure) {
        let by = try fields.text("by")
        let at = try fields.time("at")
        switch name {
        case .configured:
            self = .configured(try WebhookConfiguration(fields.fields("configuration")), by: by, at: at)
        case .secretAdded:
            let secret = WebhookEndpointSecret(id: try fields.uuid("id"), sealed: try fields.value("secret"))
            self = .secretAdded(secret, overlap: try fields.time("overlap"), by: by, at: at)
        case .enabled: self = .enabled(by: by, at: at)
        case .disabled: self = .disabled(try fields.word("reason"), by: by, at: at)
        case .removed: self = .removed(by: by, at: at)
        }
    }
}

extension WebhookEndpointCommand {
    /// The body of the command's input, as it is stored.
    package func write(into out: inout JsonText) {
        switch self {
        case .create(let configuration, let secret):
            out.member("configuration", configuration)
            out.member("secret", secret)
        case .change(let configuration): out.member("configuration", configuration)
        case .rotateSecret(let secret, let overlap):
            out.member("overlapSeconds", overlap.components.seconds)
            out.member("secret", secret)
        case .disable(let reason): out.member("reason", reason)
        case .enable, .remove: break
        }
    }

    /// Reads a stored command.
    package init(name: Name, _ json: Json) throws(CodecFailure) {
        let fields = Fields(json)
        switch name {
        case .create:
            self = .create(
                try WebhookConfiguration(fields.fields("configuration")),
                secret: try fields.value("secret")
            )
        case .change: self = .change(try WebhookConfiguration(fields.fields("configuration")))
        case .rotateSecret:
            self = .rotateSecret(
                try fields.value("secret"),
                overlap: .seconds(try fields.integer("overlapSeconds"))
            )
        case .enable: self = .enable
        case .disable: self = .disable(try fields.word("reason"))
        case .remove: self = .remove
        }
    }
}

extension WebhookConfiguration: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("description", description)
        out.member("order", order)
        // What was stored before there was a choice says nothing of it.
        out.member("signatures", signatures == [.v1] ? nil : signatures.map(\.rawValue))
        out.member("types", types)
        out.member("url", url)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        let types = try fields.value("types").items?.compactMap(\.text)
        guard let types else { throw CodecFailure("types") }
        let signatures = try fields.optional("signatures") { json -> [Signature]? in
            let words = (json.items ?? []).map { $0.text.flatMap { Signature(rawValue: $0) } }
            return words.contains(nil) || words.isEmpty ? nil : words.compactMap(\.self)
        }
        self.init(
            url: try fields.text("url"),
            types: types,
            description: try fields.optional("description") { $0.text },
            order: try fields.word("order"),
            signatures: signatures ?? [.v1]
        )
    }
}
