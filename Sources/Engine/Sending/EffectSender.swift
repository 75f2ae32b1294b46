import Crypto
import Decisions
package import EventSourcing
import Http
package import Kernel
import Payments
package import ProviderKit
package import Telemetry

/// Sends licensed messages: claims those that it has not licensed itself, marks them as sending, and only then lets a byte leave.
package struct EffectSender: Sendable {
    private let queue: any WorkQueue
    private let book: AccountBook
    private let adapters: AdapterRegistry
    private let vault: any Vault
    private let transport: any Transport
    private let answers: AnswerIntake
    private let clock: @Sendable () -> Timestamp
    private let once: OnceCache
    private let time: EngineTime
    private let log: Logger
    private let meters: EngineMeters
    private let owner: String

    package static let lease = Duration.seconds(15)
    /// After so long without a claim the next one looks for what nobody told of.
    package static let rest = Duration.milliseconds(200)
    /// The same where a mark was not taken: by the database's clock the message may have been early.
    package static let shortRest = Duration.milliseconds(20)
    /// The time between the mark and the first byte; past it the message is not sent.
    package static let margin = Duration.seconds(5)

    package init(
        queue: any WorkQueue,
        book: AccountBook,
        adapters: AdapterRegistry,
        vault: any Vault,
        transport: any Transport,
        answers: AnswerIntake,
        clock: @escaping @Sendable () -> Timestamp,
        once: OnceCache,
        time: EngineTime,
        log: Logger,
        meters: EngineMeters,
        owner: String
    ) {
        self.queue = queue
        self.book = book
        self.adapters = adapters
        self.vault = vault
        self.transport = transport
        self.answers = answers
        self.clock = clock
        self.once = once
        self.time = time
        self.log = log
        self.meters = meters
        self.owner = owner
    }

    /// An effect in our hands whose request is signed and may leave until a moment of the boot-time clock.
    package struct Ready: Sendable {
        let claimed: LeasedEffect
        let request: OutgoingRequest
        let provider: String
        let mayStartUntil: ContinuousClock.Instant

        var account: Uuid { claimed.effect.account }
        var merchant: MerchantNumber { claimed.lease.stream.merchant }
    }

    /// Claims a page, signs what can be signed and marks it.
    ///
    /// 1. claim: a lease that proves nothing, 2. give back what the provider's rate does not let pass yet, 3. open and sign; what
    /// only another process can open, or what can't be read now, is given back, and what nobody can sign ends `notSent`,
    /// 4. mark as sending, which is durable before this returns. A mark that was not taken belongs to somebody else now.
    ///
    /// `claimed` is told what the claim got, whatever becomes of it.
    package func prepare(_ wish: EffectWish = .any, claimed: ([LeasedEffect]) -> Void = { _ in })
        async throws(StoreFailure) -> [Ready]
    {
        let claims = try await queue.claimEffects(owner: owner, lease: Self.lease, wish)
        claimed(claims)
        let page = try await paced(claims)
        var signed: [Signed] = []
        var others: [EffectLease] = []
        for claimed in page {
            do throws(Unsendable) {
                signed.append(try await sign(claimed))
            } catch {
                switch error {
                case .forNow(let why):
                    log.warning("message not signed yet", ["why": .text(why)])
                    others.append(claimed.lease)
                case .secretElsewhere where Self.mayBeKept(claimed): others.append(claimed.lease)
                case .secretElsewhere: try await answers.notSent(claimed, reason: DispatchReason.secretLost.text)
                case .forGood(let reason): try await answers.notSent(claimed, reason: reason)
                }
            }
        }
        try await queue.giveBack(others)
        return try await marked(signed)
    }

    /// Signs and marks messages that this process has licensed and nobody has claimed since.
    ///
    /// `left` have a rate or can't be signed here: they have to be claimed. What somebody has claimed since, and what the
    /// database doesn't take for due, is not marked.
    package func prepare(licensed messages: [LeasedEffect]) async throws(StoreFailure) -> (
        page: [Ready], left: [LeasedEffect]
    ) {
        var signed: [Signed] = []
        var left: [LeasedEffect] = []
        for message in messages {
            let lane = Lane(message)
            guard let known = try await book.newest(lane.account, lane.merchant), rate(of: lane, known) == nil else {
                left.append(message)
                continue
            }
            do throws(Unsendable) { signed.append(try await sign(message)) } catch { left.append(message) }
        }
        return (try await marked(signed), left)
    }

    /// Whether a message may be due by the database's clock, which may be a little ahead of this one.
    package func mayBeDue(_ message: LeasedEffect) -> Bool { message.effect.notBefore <= clock().adding(Self.rest) }

    private func marked(_ signed: [Signed]) async throws(StoreFailure) -> [Ready] {
        guard !signed.isEmpty else { return [] }
        let started = time.now()
        let marks = try await queue.markSending(signed.map(\.claimed.lease), margin: Self.margin)
        let until = started + Self.margin
        return zip(signed, marks).compactMap { one, isTaken in
            guard isTaken else { return nil }
            return Ready(claimed: one.claimed, request: one.request, provider: one.provider, mayStartUntil: until)
        }
    }

    /// Whether the process that has the secret may still be about to mark the message.
    ///
    /// It does so within moments of the licence. Who lacks the secret gives the message back for as long as a lease lasts; after
    /// that nobody is left who could send it. The database's clock decides.
    private static func mayBeKept(_ claimed: LeasedEffect) -> Bool {
        claimed.leaseUntil < claimed.effect.notBefore.adding(lease + lease)
    }

    /// Those that may leave now, in their order; the others wait for their turn in the store.
    private func paced(_ page: [LeasedEffect]) async throws(StoreFailure) -> [LeasedEffect] {
        var waiting: Set<EffectLease> = []
        for (lane, group) in Dictionary(grouping: page, by: Lane.init) {
            guard let known = try await book.newest(lane.account, lane.merchant), let rate = rate(of: lane, known)
            else {
                continue
            }
            let mayLeave = try await queue.pace(
                group.map(\.lease),
                account: lane.id,
                spacing: rate.spacing,
                burst: rate.burst
            )
            for (claimed, isNow) in zip(group, mayLeave) where !isNow { waiting.insert(claimed.lease) }
        }
        meters.postponed.increment(by: Int64(waiting.count))
        return waiting.isEmpty ? page : page.filter { !waiting.contains($0.lease) }
    }

    /// The unit that has a rate of its own: an account for its payments, and beside it the same account for its bills.
    private struct Lane: Hashable {
        let account: Uuid
        let merchant: MerchantNumber
        let isForBills: Bool

        init(_ claimed: LeasedEffect) {
            account = claimed.effect.account
            merchant = claimed.lease.stream.merchant
            isForBills = claimed.lease.stream.kind == .chunk
        }

        var id: Uuid { isForBills ? .version5(namespace: account, name: "bills") : account }
    }

    private func rate(of lane: Lane, _ account: ConfiguredAccount) -> RequestRate? {
        let adapter = adapters[account.facts.provider]
        guard lane.isForBills else { return adapter?.requestRate(account.settings(publicUrl: "")) }
        let limits = try? adapter?.bills?.terms(account.settings(publicUrl: "")).limits
        return limits.flatMap { $0.spacing > .zero ? RequestRate(spacing: $0.spacing) : nil }
    }

    /// Sends one marked message and admits what became of it.
    package func send(_ ready: Ready) async {
        let until = ready.mayStartUntil
        let begun = time.now()
        let outcome = await transport.send(ready.request) { [now = time.now] in now() < until }
        meters.exchanged(ready.provider, outcome, took: begun.duration(to: time.now()))
        var pause = Duration.milliseconds(50)
        // The answer is evidence: it is kept trying until the store takes it or the process ends; then recovery takes over.
        while !Task.isCancelled {
            do throws(StoreFailure) {
                return try await answers.observe(ready.claimed, outcome)
            } catch {
                log.warning("answer not stored yet", ["code": .text(error.code.rawValue)])
                await time.sleep(pause)
                pause = min(pause * 2, .seconds(2))
            }
        }
    }

    /// A message with its finished request, and the provider that it goes to.
    private typealias Signed = (claimed: LeasedEffect, request: OutgoingRequest, provider: String)

    private func sign(_ claimed: LeasedEffect) async throws(Unsendable) -> Signed {
        let effect = claimed.effect
        let merchant = claimed.lease.stream.merchant
        let account = try await account(effect.account, merchant)
        guard let adapter = adapters[account.facts.provider] else { throw .forGood(reason: "account") }
        let (template, secrets) = try await opened(effect, account, merchant)
        let now = clock()
        let isWhole = template.content.onceHoles.allSatisfy { once.value(of: $0, merchant: merchant, at: now) != nil }
        guard isWhole else { throw .secretElsewhere }
        let values: [Json: Json]
        do throws(VaultFailure) { values = try await vault.open(template.content, merchant: merchant) } catch {
            throw Unsendable(error)
        }
        let materials = Materials(
            secrets: secrets,
            open: { values[$0] ?? once.value(of: $0, merchant: merchant, at: clock()) },
            now: clock()
        )
        do throws(FinishFailure) {
            var request = try adapter.finish(template, materials)
            request.deadline = effect.deadline
            request.authorities = secrets[Declaration.authoritiesName]?.withBytes { Array($0) }
            return (claimed, request, account.facts.provider)
        } catch {
            throw .forGood(reason: "unsigned: \(error)")
        }
    }

    private func account(_ id: Uuid, _ merchant: MerchantNumber) async throws(Unsendable) -> ConfiguredAccount {
        let known: ConfiguredAccount?
        do throws(StoreFailure) { known = try await book.newest(id, merchant) } catch {
            throw .forNow("account: \(error.code.rawValue)")
        }
        guard let known else { throw .forGood(reason: "account") }
        return known
    }

    private func opened(_ effect: NewEffect, _ account: ConfiguredAccount, _ merchant: MerchantNumber)
        async throws(Unsendable) -> (RequestTemplate, AccountSecrets)
    {
        do throws(VaultFailure) {
            let bytes = try vault.open(template: effect.template, effect: effect.id, merchant: merchant)
            let secrets = try await vault.secrets(account.sealedSecrets, account: effect.account, merchant: merchant)
            if let template = (try? Json(bytes)).flatMap({ RequestTemplate($0) }) { return (template, secrets) }
        } catch {
            throw Unsendable(error)
        }
        throw .forGood(reason: "template")
    }
}

/// Why a message has no request.
private enum Unsendable: Error {
    /// A value that it needs can't be read now, which says nothing about the message.
    case forNow(String)
    /// Another process has a value that it carries, or nobody any more.
    case secretElsewhere
    /// Nobody can ever sign it.
    case forGood(reason: String)

    init(_ failure: VaultFailure) {
        switch failure.code {
        case .unavailable: self = .forNow("vault: \(failure.detail)")
        case .reservedName, .erased, .notAuthentic: self = .forGood(reason: "unsigned: \(failure)")
        }
    }
}
