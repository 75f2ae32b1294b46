import Crypto
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Projections
import ProviderKit

extension Api {
    // MARK: Commands

    func createWebhookEndpoint(_ call: Call) async throws(Problem) -> HttpResponse {
        let form = try WebhookForm(call.body, webhookAddresses)
        let id = WebhookEndpointId(.version5(namespace: call.inputId, name: "webhookEndpoint"))
        let known = try await webhookEndpoints(call)
        // One that this command made before is shown again.
        if !known.contains(where: { $0.id == id }) {
            let stream = StreamName(call.merchant, .webhookEndpoint, id.uuid)
            let hasPlace = try await asked { () async throws(StoreFailure) in
                try await reader.tables.webhooks.reserve(
                    stream,
                    most: WebhookEndpoint.perMerchant,
                    ever: WebhookEndpoints.everMade
                )
            }
            guard hasPlace else {
                throw Problem(.webhookEndpointsMany, "A merchant has at most \(WebhookEndpoint.perMerchant) endpoints.")
            }
        }
        return try await submit(.create(form.configuration, secret: newSecret(of: id, call)), to: id, call, done: 201)
    }

    func changeWebhookEndpoint(_ call: Call) async throws(Problem) -> HttpResponse {
        let form = try WebhookForm(call.body, webhookAddresses)
        return try await submit(.change(form.configuration), to: try await webhookEndpointInPath(call).id, call)
    }

    func removeWebhookEndpoint(_ call: Call) async throws(Problem) -> HttpResponse {
        try await submit(.remove, to: try await webhookEndpointInPath(call, removed: true).id, call)
    }

    func rotateWebhookSecret(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try Form(call.body)
        let overlap = try form.integer("overlapSeconds", in: 0...WebhookForm.mostOverlap) ?? WebhookForm.usualOverlap
        try form.end()
        let id = try await webhookEndpointInPath(call).id
        return try await submit(.rotateSecret(newSecret(of: id, call), overlap: .seconds(overlap)), to: id, call)
    }

    func enableWebhookEndpoint(_ call: Call) async throws(Problem) -> HttpResponse {
        _ = try Form(call.body).end()
        return try await submit(.enable, to: try await webhookEndpointInPath(call).id, call)
    }

    func disableWebhookEndpoint(_ call: Call) async throws(Problem) -> HttpResponse {
        _ = try Form(call.body).end()
        return try await submit(.disable(.asked), to: try await webhookEndpointInPath(call).id, call)
    }

    private func submit(_ command: WebhookEndpointCommand, to id: WebhookEndpointId, _ call: Call, done: Int = 200)
        async throws(Problem) -> HttpResponse
    {
        let stream = StreamName(call.merchant, .webhookEndpoint, id.uuid)
        let submitted = try await submit(call.submission(stream, command.name.rawValue, command.canonical))
        let endpoint = try await reader.webhookEndpoint(id, merchant: call.merchant)
        guard let endpoint, endpoint.configuration != nil else {
            return .json(202, ["id": id.json, "object": "webhookEndpoint"])
        }
        // The stored secret and not the one made just now: this may be a repetition.
        let made = endpoint.secrets.first { $0.id == call.inputId }
        let secret = made == nil ? nil : try await secret(made, of: endpoint, call)
        return .outcome(of: submitted, endpoint.shown(at: now, secret: secret), done: done)
    }

    /// A new secret and a new pair of keys, sealed under the id of the command that makes them; the public key stands beside them.
    private func newSecret(of id: WebhookEndpointId, _ call: Call) -> Json {
        let (shared, seed) = (random.bytes(32), random.bytes(32))
        let secrets = [
            WebhookEndpointSecret.name(call.inputId): Secret("whsec_" + Base64.encode(shared)),
            WebhookEndpointSecret.pairName(call.inputId): Secret("whsk_" + Base64.encode(seed)),
        ]
        let sealed = vault.seal(secrets: secrets, account: id.uuid, merchant: call.merchant)
        guard let pair = Ed25519SigningKey(seed: Secret(seed)), var members = sealed.members else { return sealed }
        members[WebhookEndpointSecret.publicKeyName] = .string("whpk_" + Base64.encode(pair.publicKey.bytes))
        return .object(members)
    }

    private func secret(_ made: WebhookEndpointSecret?, of endpoint: WebhookEndpoint, _ call: Call)
        async throws(Problem) -> String?
    {
        guard let made else { return nil }
        do throws(VaultFailure) {
            let opened = try await vault.secrets(made.sealed, account: endpoint.id.uuid, merchant: call.merchant)
            return opened[made.name].map { $0.withBytes { String(decoding: $0, as: UTF8.self) } }
        } catch {
            throw .unavailable(error.detail)
        }
    }

    // MARK: Reading

    func listWebhookEndpoints(_ call: Call) async throws(Problem) -> HttpResponse {
        let known = try await webhookEndpoints(call)
        let newest = try await newestAttempts(known.compactMap { try? $0.found.get() }, call)
        var items: [Json] = []
        for (id, found) in known {
            switch found {
            case .success(let endpoint) where endpoint.exists:
                items.append(endpoint.shown(at: call.now, newest[id.uuid]))
            case .success: continue
            case .failure(let failure):
                items.append(unreadable("webhookEndpoint", id.text, failure.detail, call))
            }
        }
        return Self.page(items, next: nil)
    }

    func getWebhookEndpoint(_ call: Call) async throws(Problem) -> HttpResponse {
        let endpoint = try await webhookEndpointInPath(call)
        let newest = try await newestAttempts([endpoint], call)
        return .json(200, endpoint.shown(at: call.now, newest[endpoint.id.uuid]))
    }

    private func newestAttempts(_ endpoints: [WebhookEndpoint], _ call: Call) async throws(Problem)
        -> [Uuid: WebhookDelivery.Newest]
    {
        try await asked { () async throws(StoreFailure) in
            try await reader.tables.webhooks.newestAttempts(of: call.merchant, endpoints.map(\.id.uuid))
        }
    }

    private func webhookEndpoints(_ call: Call) async throws(Problem)
        -> [(id: WebhookEndpointId, found: Result<WebhookEndpoint, Problem>)]
    {
        let ids = try await asked { () async throws(StoreFailure) in
            try await reader.tables.webhooks.endpoints(of: call.merchant, limit: WebhookEndpoints.everMade)
        }
        return try await reader.webhookEndpoints(ids, merchant: call.merchant)
    }

    private func webhookEndpointInPath(_ call: Call, removed: Bool = false) async throws(Problem) -> WebhookEndpoint {
        let unknown = Problem(.webhookEndpointUnknown, "There is no such endpoint.")
        guard let id = call.path["endpoint"].flatMap({ WebhookEndpointId($0) }) else { throw unknown }
        let endpoint = try await reader.webhookEndpoint(id, merchant: call.merchant)
        guard let endpoint, endpoint.exists || removed && endpoint.configuration != nil else { throw unknown }
        return endpoint
    }

    // MARK: Deliveries

    func listWebhookDeliveries(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.query)
        let endpoint = try await webhookEndpointInPath(call)
        let status = try form.text("status", bytes: Limits.identifierBytes)
        let type = try form.text("type", bytes: WebhookConfiguration.typeBytes)
        let seal = CursorSeal(
            keys,
            merchant: call.merchant,
            list: "webhook-deliveries/\(endpoint.id.text)",
            filter: [("status", status), ("type", type)].compactMap { name, value in value.map { (name, $0) } }
        )
        var query = WebhookDeliveryQuery(endpoint: StreamName(call.merchant, .webhookEndpoint, endpoint.id.uuid))
        if let status {
            query.state = WebhookDelivery.State.allCases.first { $0.word == status }
            guard query.state != nil else {
                throw Problem(.queryInvalid, "A status is waiting, delivered or givenUp.", path: "status")
            }
        }
        query.type = type
        if let type, type != WebhookDelivery.testType, PublicEventType.named(type) == nil {
            throw Problem(.queryInvalid, "This names no type of events.", path: "type")
        }
        let limit = try form.integer("limit", in: 1...Limits.pageRows) ?? 20
        query.behind = try form.cursor(seal).map { EventPosition(deliveryCursor: $0) }
        try form.end()
        query.limit = limit + 1
        let wanted = query
        let found = try await asked { () async throws(StoreFailure) in
            try await reader.tables.webhooks.deliveries(wanted)
        }
        let page = found.prefix(limit)
        let next = found.count > limit ? page.last.map { seal.text($0.position.deliveryCursor) } : nil
        return Self.page(page.map(\.json), next: next)
    }

    /// Sends one event of a type of its own, once for each request.
    func pingWebhookEndpoint(_ call: Call) async throws(Problem) -> HttpResponse {
        _ = try Form(call.body).end()
        let endpoint = try await enabledEndpointInPath(call)
        let event = PublicEventId(stream: random.uuid(at: call.now), version: 1, number: 0)
        let body: Json = [
            "id": .string(event.text), "object": "event", "type": .string(WebhookDelivery.testType),
            "createdAt": call.now.json, "sequence": 1,
            "resource": ["object": "webhookEndpoint", "id": endpoint.id.json],
            "data": endpoint.shown(at: call.now),
        ]
        let stream = StreamName(call.merchant, .webhookEndpoint, endpoint.id.uuid)
        let hasPlace = try await asked { () async throws(StoreFailure) in
            try await reader.tables.webhooks.ping(
                stream,
                event: event,
                type: WebhookDelivery.testType,
                body: body.compactBytes,
                most: WebhookEndpoints.pingsWaiting
            )
        }
        guard hasPlace else {
            throw Problem(
                .webhookQueueFull,
                "\(WebhookEndpoints.pingsWaiting) test events wait for this endpoint already."
            )
        }
        return .json(202, ["object": "webhookPing", "event": .string(event.text)])
    }

    func redeliverWebhooks(_ call: Call) async throws(Problem) -> HttpResponse {
        let endpoint = try await enabledEndpointInPath(call)
        guard let configuration = endpoint.configuration else { throw Problem(.eventUnknown, "") }
        let range = try RedeliveryForm(call.body, configuration).range
        let stream = StreamName(call.merchant, .webhookEndpoint, endpoint.id.uuid)
        let made = try await asked { () async throws(StoreFailure) in
            try await reader.tables.webhooks.redeliver(range, to: stream, limit: WebhookEndpoints.redelivered)
        }
        guard let made else { throw Problem(.eventUnknown, "There is no such event.") }
        switch made {
        case .asked(let count, let last, let isCut):
            return .json(
                202,
                .compact([
                    ("object", "webhookRedelivery"), ("events", .integer(count)),
                    ("next", isCut ? last.map { .string($0.text) } : nil),
                ])
            )
        case .full:
            throw Problem(
                .webhookQueueFull,
                "As many events wait for this endpoint as may: ask again when some are sent."
            )
        }
    }

    private func enabledEndpointInPath(_ call: Call) async throws(Problem) -> WebhookEndpoint {
        let endpoint = try await webhookEndpointInPath(call)
        guard endpoint.isEnabled else {
            throw Problem(.webhookEndpointDisabled, "Nothing is sent to this endpoint.")
        }
        return endpoint
    }
}

extension EventPosition {
    /// The place of a delivery in the form that cursors of lists have.
    fileprivate var deliveryCursor: PageCursor {
        PageCursor(createdAt: Timestamp(microseconds: position), id: Uuid(high: 0, low: UInt64(number)))
    }

    fileprivate init(deliveryCursor cursor: PageCursor) {
        let number = cursor.id.bytes.suffix(2).reduce(Int16(0)) { $0 << 8 | Int16($1) }
        self.init(cursor.createdAt.microseconds, number)
    }
}

extension WebhookEndpoint {
    /// As the API shows it: which secrets it has; what one is, to the command that made it alone.
    fileprivate func shown(at now: Timestamp, _ newest: WebhookDelivery.Newest? = nil, secret: String? = nil) -> Json {
        let status = removedAt != nil ? "removed" : disabled != nil ? "disabled" : "enabled"
        return .compact([
            ("id", id.json), ("object", "webhookEndpoint"), ("version", .integer(Int64(version))),
            ("url", configuration.map { .string($0.url) }),
            ("types", configuration.map { .array($0.types.map(Json.string)) }),
            ("description", configuration?.description.map(Json.string)),
            ("order", configuration.map { .string($0.order.rawValue) }),
            ("signatures", configuration.map { .array($0.signatures.map { .string($0.rawValue) }) }),
            ("status", .string(status)),
            ("disabledReason", disabled.map { .string($0.reason.rawValue) }), ("createdAt", createdAt?.json),
            ("lastSuccessAt", newest?.success?.json), ("lastFailureAt", newest?.failure?.json),
            (
                "secrets",
                .array(
                    secrets(at: now).map {
                        .compact([
                            ("id", .string($0.id.compact)), ("endsAt", $0.endsAt?.json),
                            ("publicKey", $0.publicKey.map(Json.string)),
                        ])
                    }
                )
            ), ("secret", secret.map(Json.string)),
        ])
    }
}
