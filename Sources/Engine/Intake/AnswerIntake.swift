import Crypto
import Decisions
package import EventSourcing
package import Http
package import Kernel
import Payments
package import ProviderKit

/// Turns what became of a message into an input, which is kept raw.
package struct AnswerIntake: Sendable {
    private let evidence: EvidenceIntake
    private let book: AccountBook
    private let adapters: AdapterRegistry
    private let cleaner: InputCleaner
    private let clock: @Sendable () -> Timestamp

    package init(
        evidence: EvidenceIntake,
        book: AccountBook,
        adapters: AdapterRegistry,
        cleaner: InputCleaner,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.evidence = evidence
        self.book = book
        self.adapters = adapters
        self.cleaner = cleaner
        self.clock = clock
    }

    /// Takes the end of an exchange.
    package func observe(_ claimed: LeasedEffect, _ outcome: ExchangeOutcome) async throws(StoreFailure) {
        switch outcome {
        case .notSent(let reason):
            try await admit(claimed.lease, claimed.effect.ordinal, .notSent, reason: Self.text(reason))
        case .sentNoAnswer(let lost):
            try await admit(claimed.lease, claimed.effect.ordinal, .noAnswer, reason: lost.reason.rawValue)
        case .answered(let response):
            try await admit(claimed.lease, claimed.effect, response)
        }
    }

    package func notSent(_ claimed: LeasedEffect, reason: String) async throws(StoreFailure) {
        try await admit(claimed.lease, claimed.effect.ordinal, .notSent, reason: reason)
    }

    /// Takes the knowledge that nobody knows: whoever sent it vanished before there was an answer, or before it was kept.
    package func vanished(_ lost: LostEffect) async throws(StoreFailure) {
        evidence.beCareful(with: lost.lease.stream)
        try await admit(lost.lease, lost.ordinal, .noAnswer, reason: DispatchReason.senderVanished.text)
    }

    /// Takes the knowledge that nothing left while it might have.
    package func expired(_ lost: LostEffect) async throws(StoreFailure) {
        try await admit(lost.lease, lost.ordinal, .notSent, reason: DispatchReason.expired.text)
    }

    private static func text(_ reason: NotSentReason) -> String {
        switch reason {
        case .unreachable, .nameUnresolved, .deadline, .tlsFailed, .overloaded, .transport:
            "unreachable: \(reason.rawValue)"
        case .vetoed, .cancelled, .stopped: "unreachable: \(reason.rawValue)"
        case .insecure, .invalidRequest, .addressRefused, .identityUnusable, .certificateRefused: reason.rawValue
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

    private func admit(_ lease: EffectLease, _ ordinal: Int32, _ name: AnswerName, _ meta: [UInt8], body: [UInt8])
        async throws(StoreFailure)
    {
        let input = InputRecord(
            id: .version5(namespace: lease.id, name: "\(ordinal):\(lease.fence):\(name.rawValue)"),
            stream: lease.stream,
            kind: .answer,
            name: name.rawValue,
            meta: meta,
            body: body,
            receivedAt: clock()
        )
        // That nothing left is the word of whoever holds the fence, which the store looks at where it keeps it.
        switch name {
        case .notSent: try await evidence.keep(input, answers: lease)
        case .answered, .noAnswer: try await evidence.take(input, answers: lease)
        }
    }
}
