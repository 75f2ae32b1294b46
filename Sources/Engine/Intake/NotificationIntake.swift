import Crypto
package import EventSourcing
package import Http
package import Kernel
import Payments
package import ProviderKit
package import Telemetry

/// Takes a provider's notification: authenticates the original bytes, cleans them, stores them raw, then answers.
package struct NotificationIntake: Sendable {
    private let store: any EventStore
    private let book: AccountBook
    private let adapters: AdapterRegistry
    private let vault: any Vault
    private let quarantine: any Quarantine
    private let cleaner: InputCleaner
    private let admissions: Batcher<InputRecord, Bool>
    private let publicUrl: String
    private let board: CommitBoard
    private let clock: @Sendable () -> Timestamp
    private let log: Logger
    private let meters: EngineMeters

    package init(
        store: any EventStore,
        book: AccountBook,
        adapters: AdapterRegistry,
        vault: any Vault,
        quarantine: any Quarantine,
        cleaner: InputCleaner,
        admissions: Batcher<InputRecord, Bool>,
        publicUrl: String,
        board: CommitBoard,
        clock: @escaping @Sendable () -> Timestamp,
        log: Logger,
        meters: EngineMeters
    ) {
        self.store = store
        self.book = book
        self.adapters = adapters
        self.vault = vault
        self.quarantine = quarantine
        self.cleaner = cleaner
        self.admissions = admissions
        self.publicUrl = publicUrl
        self.board = board
        self.clock = clock
        self.log = log
        self.meters = meters
    }

    private static let unknown = Problem(status: 404, code: "not_found", detail: "There is no such account.").response

    package func receive(
        _ request: HttpRequest,
        provider: String,
        merchant: MerchantNumber,
        account id: Uuid
    ) async -> HttpResponse {
        guard let adapter = adapters[provider] else { return Self.unknown }
        do {
            guard let account = try await book.newest(id, merchant), account.facts.provider == provider else {
                await quarantine.keep(request, source: "\(provider)/\(merchant)/\(id)", reason: "unknown account")
                return Self.unknown
            }
            if let answer = adapter.probe(request) {
                meters.notified(provider, "probe")
                return answer
            }
            let secrets = try await vault.secrets(account.sealedSecrets, account: id, merchant: merchant)
            let settings = account.settings(publicUrl: publicUrl)
            switch adapter.authenticate(request, settings, secrets) {
            case .rejected(let reason):
                meters.notified(provider, "rejected")
                log.warning("notification rejected", ["account": LogValue(id), "reason": .text(reason)])
                await quarantine.keep(request, source: "\(provider)/\(merchant)/\(id)", reason: reason)
                return adapter.reply(.rejected(reason: reason), to: request)
            case .verified(let proved):
                meters.notified(provider, "verified")
                return adapter.reply(await store(request, proved, .verified, account, adapter.declaration), to: request)
            case .unsigned(let claimed):
                meters.notified(provider, "unsigned")
                return adapter.reply(await store(request, claimed, .hint, account, adapter.declaration), to: request)
            }
        } catch {
            return adapter.reply(.unavailable, to: request)
        }
    }

    private func store(
        _ request: HttpRequest,
        _ notification: VerifiedNotification,
        _ trust: Trust,
        _ account: ConfiguredAccount,
        _ declaration: Declaration
    ) async -> NotificationVerdict {
        do throws(StoreFailure) {
            let stream = try await self.stream(of: notification, account)
            let content = notification.content?.compactBytes ?? request.body
            let clean = await cleaner.clean(content, declaration, stream: stream)
            // The provider sends it again, and then it can be stored whole.
            guard !clean.lacksPersonal else { return .unavailable }
            let meta: Json = .compact([
                ("account", account.facts.id.json), ("keyId", .string(notification.keyId)),
                ("findings", clean.findings.isEmpty ? nil : .array(clean.findings.map(Json.string))),
                (
                    "references",
                    .array(notification.references.map { ["kind": .string($0.kind), "value": .string($0.value)] })
                ), ("trust", .string(trust.rawValue)),
            ])
            let input = InputRecord(
                id: .version5(namespace: account.facts.id, name: name(of: notification, trust)),
                stream: stream,
                kind: .notification,
                name: "\(declaration.id).notification",
                meta: meta.canonical,
                body: clean.body,
                receivedAt: clock()
            )
            if !clean.hadCardData {
                let original = request.body.isEmpty ? content : request.body
                await vault.keepOriginal(original, input: input.id, merchant: account.merchant)
            }
            guard await admissions.submit(input) == true else { return .unavailable }
            board.mail.ring()
            return .stored
        } catch {
            log.warning("notification not stored", ["code": .text(error.code.rawValue)])
            return .unavailable
        }
    }

    /// A proved notification meets its own repetition; a hint never does.
    ///
    /// Anybody may have sent the same words before there was anything to see: the question that they led to must not stand for
    /// the one that the provider's own lead to.
    private func name(of notification: VerifiedNotification, _ trust: Trust) -> String {
        switch trust {
        case .verified: "notification:\(notification.dedupeKey)"
        case .hint: "notification:\(notification.dedupeKey):\(clock())"
        }
    }

    /// The stream that the surest known reference leads to, or the account's arrivals.
    private func stream(of notification: VerifiedNotification, _ account: ConfiguredAccount) async throws(StoreFailure)
        -> StreamName
    {
        for (kind, value) in notification.references {
            let reference = Reference(account: account.facts.id, kind: kind, value: value)
            if let stream = try await store.resolve(reference, merchant: account.merchant) { return stream }
        }
        return .arrivals(account.merchant, account: account.facts.id)
    }

    /// Notes that the payer's browser came back; it triggers a query and decides nothing.
    ///
    /// Answers the stream of the payment that the reference leads to.
    package func browserReturned(reference: String, account: Uuid, merchant: MerchantNumber) async -> StreamName? {
        let name = Reference(account: account, kind: "payment", value: reference)
        guard let stream = try? await store.resolve(name, merchant: merchant), stream.kind.isPayment else {
            return nil
        }
        let now = clock()
        let input = InputRecord(
            id: .version5(namespace: stream.id, name: "return:\(now.seconds / Self.returnSeconds)"),
            stream: stream,
            kind: .browserReturn,
            name: "browser.return",
            meta: Json.object(JsonObject([])).canonical,
            body: [],
            receivedAt: now
        )
        if await admissions.submit(input) == true { board.mail.ring() }
        return stream
    }

    /// Returns within so many seconds count as one.
    private static let returnSeconds: Int64 = 10
}
