import EventSourcing
import Kernel
import Payments
import TestKit
import Testing

extension EventSample {
    /// Events of endpoints of webhooks.
    static let webhooks: [EventSample] = [
        webhook("webhookEndpoint.configured.v1", .configured(Hooks.configuration, by: "root", at: Samples.noon)),
        webhook(
            "webhookEndpoint.secretAdded.v1",
            .secretAdded(Hooks.secret(1), overlap: Samples.noon, by: "root", at: Samples.noon)
        ), webhook("webhookEndpoint.enabled.v1", .enabled(by: "root", at: Samples.noon)),
        webhook("webhookEndpoint.disabled.v1", .disabled(.gone, by: "webhooks", at: Samples.noon)),
        webhook("webhookEndpoint.removed.v1", .removed(by: "root", at: Samples.noon)),
    ]

    private static func webhook(_ name: String, _ event: WebhookEndpointEvent) -> EventSample {
        EventSample(name: name, draft: event.draft) { (draft) throws(CodecFailure) in
            let read = try WebhookEndpointEvent(type: draft.type, data: draft.data)
            guard read == event else { throw CodecFailure("value of \(name)") }
            return read.draft
        }
    }
}

private enum Hooks {
    static let configuration = WebhookConfiguration(
        url: "https://shop.com/hook",
        types: ["payment.*"],
        description: "orders",
        order: .resource
    )

    static func sealed(_ id: Uuid) -> Json {
        .object(JsonObject([(id.compact, Samples.sealed)]))
    }

    static func secret(_ number: UInt64) -> WebhookEndpointSecret {
        WebhookEndpointSecret(id: Samples.uuid(number), sealed: sealed(Samples.uuid(number)))
    }

    static func endpoint(_ events: [WebhookEndpointEvent] = []) -> WebhookEndpoint {
        WebhookEndpoint(id: WebhookEndpointId(Samples.uuid(9))).after(events)
    }
}

/// Endpoints of webhooks: what a command leads to.
struct WebhookEndpointTests {
    private func decide(_ endpoint: WebhookEndpoint, _ command: WebhookEndpointCommand) throws(Rejection)
        -> WebhookEndpoint
    { endpoint.after(try endpoint.decide(command, Samples.context())) }

    private var made: WebhookEndpoint {
        get throws {
            let input = Samples.context().input
            return try decide(Hooks.endpoint(), .create(Hooks.configuration, secret: Hooks.sealed(input)))
        }
    }

    @Test func `an endpoint is made once, with one secret, and enabled`() throws {
        let endpoint = try made
        #expect(endpoint.isEnabled && endpoint.secrets.count == 1 && endpoint.secrets[0].endsAt == nil)
        #expect(throws: Rejection.self) {
            try endpoint.decide(.create(Hooks.configuration, secret: [:]), Samples.context())
        }
        #expect(throws: Rejection.self, "a secret is sealed") {
            try Hooks.endpoint().decide(.create(Hooks.configuration, secret: ["x": "whsec_"]), Samples.context())
        }
    }

    @Test func `an earlier secret signs until the overlap ends, and not behind it`() throws {
        let input = Samples.context().input
        let rotated = try decide(try made, .rotateSecret(Hooks.sealed(input), overlap: .seconds(60)))
        #expect(rotated.secrets(at: Samples.noon).count == 2)
        #expect(rotated.secrets(at: Samples.noon)[0].endsAt == nil, "the newest is first")
        #expect(rotated.secrets(at: Samples.noon.adding(.seconds(60))).count == 1)
    }

    @Test func `so many secrets sign at a time and no more`() throws {
        var endpoint = try made
        let input = Samples.context().input
        for _ in 1..<WebhookEndpoint.secretsHeld {
            endpoint = try decide(endpoint, .rotateSecret(Hooks.sealed(input), overlap: .seconds(60)))
        }
        let full = endpoint
        #expect(throws: Rejection.self) {
            try decide(full, .rotateSecret(Hooks.sealed(input), overlap: .seconds(1)))
        }
        let replaced = try decide(full, .rotateSecret(Hooks.sealed(input), overlap: .zero))
        #expect(replaced.secrets(at: Samples.noon).count == 1, "a leaked one is replaced at once")
    }

    @Test func `what says what holds records nothing, and what was removed takes nothing`() throws {
        let endpoint = try made
        #expect(try endpoint.decide(.enable, Samples.context()).isEmpty)
        #expect(try endpoint.decide(.change(Hooks.configuration), Samples.context()).isEmpty)
        let off = try decide(endpoint, .disable(.failing))
        #expect(off.disabled?.reason == .failing && !off.isEnabled && off.exists)
        #expect(try off.decide(.disable(.asked), Samples.context()).isEmpty)
        #expect(try decide(off, .enable).isEnabled)
        let gone = try decide(off, .remove)
        #expect(!gone.exists)
        #expect(throws: Rejection.self) { try gone.decide(.enable, Samples.context()) }
    }

    @Test func `a pair of keys is sealed, and its public one is shown`() throws {
        let input = Samples.context().input
        func made(_ more: [(String, Json)]) throws(Rejection) -> WebhookEndpoint {
            let secret = Json.object(JsonObject([(input.compact, Samples.sealed)] + more))
            return try decide(Hooks.endpoint(), .create(Hooks.configuration, secret: secret))
        }
        let pair = (WebhookEndpointSecret.pairName(input), Samples.sealed)
        let endpoint = try made([pair, ("publicKey", "whpk_AAAA")])
        #expect(endpoint.secrets[0].publicKey == "whpk_AAAA")
        #expect(try made([]).secrets[0].publicKey == nil)
        for more in [(pair.0, "whsk_AAAA"), ("publicKey", "whsk_AAAA"), ("other", "whpk_AAAA")] as [(String, Json)] {
            #expect(throws: Rejection.self, "\(more.0)") { try made([more]) }
        }
    }

    @Test func `what signs is chosen, and was v1 before there was a choice`() throws {
        func chosen(_ signatures: [WebhookConfiguration.Signature]) -> WebhookConfiguration {
            WebhookConfiguration(
                url: "https://shop.com/",
                types: [],
                description: nil,
                order: .none,
                signatures: signatures
            )
        }
        #expect(chosen([.v1]).json["signatures"] == nil)
        for signatures in [[.v1], [.v1a], [.v1, .v1a]] as [[WebhookConfiguration.Signature]] {
            let configuration = chosen(signatures)
            #expect(try WebhookConfiguration(Fields(configuration.json)) == configuration)
        }
        let endpoint = try made
        for wrong in [[], [.v1, .v1]] as [[WebhookConfiguration.Signature]] {
            #expect(throws: Rejection.self) { try endpoint.decide(.change(chosen(wrong)), Samples.context()) }
        }
    }

    @Test func `commands survive their stored form`() throws {
        let secret = Hooks.sealed(Samples.uuid(1))
        let commands: [WebhookEndpointCommand] = [
            .create(Hooks.configuration, secret: secret), .change(Hooks.configuration),
            .rotateSecret(secret, overlap: .seconds(5)), .enable, .disable(.asked), .remove,
        ]
        for command in commands { #expect(try WebhookEndpointCommand(name: command.name, command.json) == command) }
        #expect(Set(commands.map(\.name)).count == WebhookEndpointCommand.Name.allCases.count)
    }
}
