import Crypto
import Decisions
package import EventSourcing
package import Http
package import Kernel
import Payments
package import ProviderKit

/// Turns what became of a message into an input and admits it, raw, before anything reads it.
package struct AnswerIntake: Sendable {
    private let observations: Batcher<(EffectLease, InputRecord), Result<Void, StoreFailure>>
    private let book: AccountBook
    private let adapters: AdapterRegistry
    private let cleaner: InputCleaner
    private let notifier: CommitNotifier
    private let clock: @Sendable () -> Timestamp

    package init(
        queue: any WorkQueue,
        book: AccountBook,
        adapters: AdapterRegistry,
        cleaner: InputCleaner,
        notifier: CommitNotifier,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        observations = Batcher(limit: 64, lanes: 1) { answers in
            let outcome: Result<Void, StoreFailure>
            do throws(StoreFailure) {
                try await queue.observe(answers)
                outcome = .success(())
            } catch { outcome = .failure(error) }
            return answers.map { _ in outcome }
        }
        self.book = book
        self.adapters = adapters
        self.cleaner = cleaner
        self.notifier = notifier
        self.clock = clock
    }

    /// Admits the end of an exchange.
    package func observe(_ claimed: ClaimedEffect, _ outcome: ExchangeOutcome) async throws(StoreFailure) {
        switch outcome {
        case .notSent(let reason):
            try await admit(claimed.lease, claimed.effect.ordinal, .notSent, reason: Self.text(reason))
        case .sentNoAnswer(let lost):
            try await admit(claimed.lease, claimed.effect.ordinal, .noAnswer, reason: lost.reason.rawValue)
        case .answered(let response):
            try await admit(claimed.lease, claimed.effect, response)
        }
    }

    package func notSent(_ claimed: ClaimedEffect, reason: String) async throws(StoreFailure) {
        try await admit(claimed.lease, claimed.effect.ordinal, .notSent, reason: reason)
    }

    /// Admits the knowledge that nobody knows: the sender vanished, or the window passed.
    package func lost(_ lost: LostEffect, _ name: AnswerName, reason: String) async throws(StoreFailure) {
        try await admit(lost.lease, lost.ordinal, name, reason: reason)
    }

    private static func text(_ reason: NotSentReason) -> String {
        switch reason {
        case .unreachable, .nameUnresolved, .deadline, .tlsFailed, .overloaded, .transport:
            "unreachable: \(reason.rawValue)"
        case .vetoed, .cancelled, .stopped: "unreachable: \(reason.rawValue)"
        case .insecure, .invalidRequest, .identityUnusable, .certificateRefused: reason.rawValue
        }
    }

    private func admit(_ lease: EffectLease, _ ordinal: Int32, _ name: AnswerName, reason: String)
        async throws(StoreFailure)
    {
        let meta = InputMeta.noAnswer(lease, ordinal: ordinal, reason: reason)
        try await admit(lease, ordinal, name, meta, body: [])
    }

    private func admit(_ lease: EffectLease, _ effect: NewEffect, _ response: HttpResponse) async throws(StoreFailure) {
        let merchant = lease.stream.merchant
        let account = try await book.newest(effect.account, merchant)
        let declaration = account.flatMap { adapters[$0.facts.provider]?.declaration }
        let clean = try await cleaner.clean(
            response.body,
            declaration,
            stream: lease.stream,
            isLive: account?.facts.mode == .live
        )
        let names = ["content-type", "retry-after", "date"] + (declaration?.answerHeaders ?? [])
        let kept = names.compactMap { name in
            response.headers[name].map { (name, String($0.prefix(256))) }
        }
        let meta = InputMeta.answer(
            lease,
            ordinal: effect.ordinal,
            status: response.status,
            headers: kept,
            findings: clean.findings
        )
        try await admit(lease, effect.ordinal, .answered, meta, body: clean.body)
    }

    private func admit(_ lease: EffectLease, _ ordinal: Int32, _ name: AnswerName, _ meta: Json, body: [UInt8])
        async throws(StoreFailure)
    {
        let input = InputRecord(
            id: .version5(namespace: lease.id, name: "\(ordinal):\(lease.fence):\(name.rawValue)"),
            stream: lease.stream,
            kind: .answer,
            name: name.rawValue,
            meta: meta.canonical,
            body: body,
            receivedAt: clock()
        )
        guard let kept = await observations.submit((lease, input)) else {
            throw StoreFailure(.unavailable, detail: "too many answers wait")
        }
        try kept.get()
        notifier.mail.ring()
    }
}
