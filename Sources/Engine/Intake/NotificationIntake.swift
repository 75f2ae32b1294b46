import Crypto
import Decisions
package import EventSourcing
package import Http
package import Kernel
import Payments
package import ProviderKit
package import Telemetry

/// Takes a provider's notification: authenticates the original bytes, cleans them, keeps them, then answers.
package struct NotificationIntake: Sendable {
    private let references: ReferenceCache
    private let book: AccountBook
    private let adapters: AdapterRegistry
    private let vault: any Vault
    private let quarantine: any Quarantine
    private let gate: StrangerGate
    private let cleaner: InputCleaner
    private let evidence: EvidenceIntake
    private let publicUrl: String
    private let clock: @Sendable () -> Timestamp
    private let log: Logger
    private let meters: EngineMeters

    package init(
        references: ReferenceCache,
        book: AccountBook,
        adapters: AdapterRegistry,
        vault: any Vault,
        quarantine: any Quarantine,
        gate: StrangerGate,
        cleaner: InputCleaner,
        evidence: EvidenceIntake,
        publicUrl: String,
        clock: @escaping @Sendable () -> Timestamp,
        log: Logger,
        meters: EngineMeters
    ) {
        self.references = references
        self.book = book
        self.adapters = adapters
        self.vault = vault
        self.quarantine = quarantine
        self.gate = gate
        self.cleaner = cleaner
        self.evidence = evidence
        self.publicUrl = publicUrl
        self.clock = clock
        self.log = log
        self.meters = meters
    }

    private static let unknown = Problem(
        status: 404,
        code: "account_unknown",
        detail: "There is no such account. GET /v1/accounts lists the accounts there are."
    ).response

    /// Where a provider sends the notifications of an account.
    package func address(of account: Uuid, provider: String, merchant: MerchantNumber) -> String {
        ConfiguredAccount.notificationUrl(publicUrl, provider, merchant, account)
    }

    package func receive(
        _ request: HttpRequest,
        provider: String,
        merchant: MerchantNumber,
        account id: Uuid
    ) async -> HttpResponse {
        guard let adapter = adapters[provider] else { return Self.unknown }
        if let pause = gate.pause(request, account: id, at: clock()) { return tooMany(pause, provider) }
        do {
            guard let account = try await book.newest(id, merchant), account.facts.provider == provider else {
                if let pause = gate.refuse(request, account: id, at: clock()) { return tooMany(pause, provider) }
                await quarantine.keep(request, source: "\(provider)/\(merchant)/\(id)", reason: "unknown account")
                return Self.unknown
            }
            if let answer = adapter.probe(request) {
                meters.notified(provider, "probe")
                return answer
            }
            let secrets = try await vault.secrets(account.sealedSecrets, account: id, merchant: merchant)
            let settings = account.settings(publicUrl: publicUrl)
            switch adapter.authenticate(request, settings, secrets).withReadableNames {
            case .rejected(let reason):
                if let pause = gate.refuse(request, account: id, at: clock()) { return tooMany(pause, provider) }
                meters.notified(provider, "rejected")
                log.warning("notification rejected", ["account": LogValue(id), "reason": .text(reason)])
                await quarantine.keep(request, source: "\(provider)/\(merchant)/\(id)", reason: reason)
                return adapter.reply(.rejected(reason: reason), to: request)
            case .verified(let proved):
                gate.prove(request, account: id, at: clock())
                meters.notified(provider, "verified")
                return adapter.reply(await store(request, proved, .verified, account, adapter.declaration), to: request)
            case .unrecognised(let what):
                meters.notified(provider, "unrecognised")
                log.warning("notification of an unknown kind", ["account": LogValue(id), "what": .text(what)])
                await quarantine.keep(request, source: "\(provider)/\(merchant)/\(id)", reason: "unrecognised: \(what)")
                return adapter.reply(.stored, to: request)
            case .unsigned(let claimed):
                let streams = try await streams(of: claimed.events, account)
                let isKnown = streams.contains { $0.kind != .arrivals }
                let events = max(1, claimed.events.count)
                if let pause = gate.hint(request, account: id, events: events, isKnown: isKnown, at: clock()) {
                    return tooMany(pause, provider)
                }
                meters.notified(provider, "unsigned")
                let verdict = await store(request, claimed, .hint, account, adapter.declaration, streams)
                return adapter.reply(verdict, to: request)
            }
        } catch {
            return adapter.reply(.unavailable, to: request)
        }
    }

    /// Nothing is kept of what comes too often: the provider repeats what was its own.
    private func tooMany(_ pause: Duration, _ provider: String) -> HttpResponse {
        meters.notified(provider, "limited")
        let detail =
            "Too many messages without proof came from here. Wait as long as Retry-After says and send it again."
        return Problem.tooMany(pause, detail).response
    }

    /// Stores each event of a delivery, in its stream where these are known; where one can't be stored now, the provider repeats the
    /// whole.
    private func store(
        _ request: HttpRequest,
        _ notification: VerifiedNotification,
        _ trust: Trust,
        _ account: ConfiguredAccount,
        _ declaration: Declaration,
        _ streams: [StreamName]? = nil
    ) async -> NotificationVerdict {
        do throws(StoreFailure) {
            for (index, event) in notification.events.enumerated() {
                let stream = if let streams { streams[index] } else { try await stream(of: event, account) }
                let content = event.content?.compactBytes ?? request.body
                // What can't be sealed now the provider sends again, and then it can be stored whole.
                let clean = try await cleaner.clean(
                    content,
                    declaration,
                    stream: stream,
                    isLive: account.facts.mode == .live
                )
                let meta = InputMeta.notification(
                    account: account.facts.id,
                    keyId: notification.keyId,
                    findings: clean.findings,
                    references: event.references,
                    trust: trust
                )
                let input = InputRecord(
                    id: .version5(namespace: account.facts.id, name: name(of: event, content, index, trust)),
                    stream: stream,
                    kind: .notification,
                    name: "\(declaration.id).notification",
                    meta: meta,
                    body: clean.body,
                    receivedAt: clock()
                )
                // Of a delivery of several events each keeps its own part: the others may be about other people.
                let original = request.body.isEmpty || notification.events.count > 1 ? content : request.body
                // It is kept beside the decision, which doesn't wait for it; the provider's answer does.
                async let kept: Void = keep(clean.hadCardData ? nil : original, input.id, account.merchant)
                // A stranger's word waits for its turn, and whoever brings it for nothing.
                if trust == .verified {
                    try await evidence.take(input)
                    if let news = event.credential { try await tell(news, account, because: input.id) }
                } else {
                    try await evidence.keep(input)
                }
                await kept
            }
            return .stored
        } catch {
            log.warning("notification not stored", ["code": .text(error.code.rawValue)])
            return .unavailable
        }
    }

    private func keep(_ original: [UInt8]?, _ input: Uuid, _ merchant: MerchantNumber) async {
        if let original { await vault.keepOriginal(original, input: input, merchant: merchant) }
    }

    /// The name by which an event is known.
    ///
    /// A proved delivery id names the event. Otherwise content, position and time do: equal content may be a second event,
    /// and an unproved copy must not suppress the proved one.
    private func name(of event: NotifiedEvent, _ content: [UInt8], _ index: Int, _ trust: Trust) -> String {
        if trust == .verified, let id = event.deliveryId { return "notification:\(id)" }
        return "notification:\(Hex.encode(Digest.sha256(content))):\(index):\(clock())"
    }

    /// Tells a saved credential what a proved notification says of it; one that nobody saved ignores it.
    private func tell(_ news: CredentialNews, _ account: ConfiguredAccount, because input: Uuid)
        async throws(StoreFailure)
    {
        guard let id = try await cleaner.instrument(news, account: account.facts, account.merchant) else { return }
        let report = InstrumentCommand.report(news.report)
        let meta = InputMeta.command(
            actor: Actor(id: account.facts.provider, isOperator: false),
            account: account.facts.id,
            traceparent: nil,
            correlation: nil
        )
        try await evidence.take(
            InputRecord(
                id: .version5(namespace: input, name: "credential"),
                stream: StreamName(account.merchant, .instrument, id.uuid),
                kind: .command,
                name: report.name.rawValue,
                meta: meta,
                body: report.canonical,
                receivedAt: clock()
            )
        )
    }

    /// The stream that the surest known reference leads to, or the account's arrivals.
    private func stream(of event: NotifiedEvent, _ account: ConfiguredAccount) async throws(StoreFailure)
        -> StreamName
    {
        for name in Self.names(of: event, account) {
            if let stream = try await references.stream(of: name, account.merchant) { return stream }
        }
        return .arrivals(account.merchant, account: account.facts.id)
    }

    /// The same for many events, with one look at the store.
    private func streams(of events: [NotifiedEvent], _ account: ConfiguredAccount) async throws(StoreFailure)
        -> [StreamName]
    {
        let names = events.map { Self.names(of: $0, account) }
        let all = names.flatMap { $0 }
        let found = Dictionary(zip(all, try await references.streams(of: all, account.merchant))) { first, _ in first }
        return names.map { names in
            names.lazy.compactMap { found[$0] ?? nil }.first ?? .arrivals(account.merchant, account: account.facts.id)
        }
    }

    private static func names(of event: NotifiedEvent, _ account: ConfiguredAccount) -> [Reference] {
        event.references.map { Reference(account: account.facts.id, kind: $0.kind, value: $0.value) }
    }

    /// Notes that the payer's browser came back; it triggers a query and decides nothing.
    ///
    /// Answers the stream of the payment that the reference leads to.
    package func browserReturned(reference: String, account: Uuid, merchant: MerchantNumber) async -> StreamName? {
        let name = Reference(account: account, kind: "payment", value: reference)
        guard ProviderName.isReadable(reference), let stream = try? await references.stream(of: name, merchant),
            stream.kind.isPayment
        else {
            return nil
        }
        let now = clock()
        let input = InputRecord(
            id: .version5(namespace: stream.id, name: "return:\(now.seconds / Self.returnSeconds)"),
            stream: stream,
            kind: .browserReturn,
            name: "browser.return",
            meta: JsonText.canonical { _ in },
            body: [],
            receivedAt: now
        )
        // The payer is shown the way on, whatever becomes of it: a timer asks, too.
        try? await evidence.take(input)
        return stream
    }

    /// Returns within so many seconds count as one.
    private static let returnSeconds: Int64 = 10
}
