package import EventSourcing
import Kernel

/// Takes what providers, payers' browsers and the wire say of a stream: what is said is kept, whatever it means.
///
/// It is decided at once and written with its decision, as a command is. Where that can't be, it is kept raw in its stream's
/// mailbox: the stream is busy, the input can't be decided now, or the decision found no way into the store.
package struct EvidenceIntake: Sendable {
    private let decisions: Batcher<Work, WorkOutcome>
    private let mailbox: Batcher<Work, Result<Void, StoreFailure>>
    private let notifier: CommitNotifier
    /// Streams whose evidence is kept before anybody reads it.
    private let careful = Locked(GenerationCache<StreamName, Bool>(capacity: 8192))

    package init(
        store: any EventStore & WorkQueue,
        decisions: Batcher<Work, WorkOutcome>,
        notifier: CommitNotifier
    ) {
        self.decisions = decisions
        self.notifier = notifier
        mailbox = Batcher(limit: 64, lanes: 1) { works in
            let together = await Self.admit(works, into: store)
            guard case .failure(let failure) = together, works.count > 1,
                failure.isAboutData || failure.code == .timeout
            else { return works.map { _ in together } }
            // One of them is to blame, and no neighbour waits for it.
            var alone: [Result<Void, StoreFailure>] = []
            for work in works { alone.append(await Self.admit([work], into: store)) }
            return alone
        }
    }

    /// Returns when the input is kept, decided where that is possible; `lease` is of the message that it answers.
    package func take(_ input: InputRecord, answers lease: EffectLease? = nil) async throws(StoreFailure) {
        if careful.withLock({ $0.find(input.stream) }) == nil {
            switch await decisions.submit(Work(input: input, fence: nil, answers: lease)) {
            case .decided, .duplicate: return
            case nil, .busy, .fenced, .undecidable, .foreign, .unavailable: break
            }
        }
        try await keep(input, answers: lease)
    }

    /// Returns when the input is in its stream's mailbox; it is decided when its turn comes.
    package func keep(_ input: InputRecord, answers lease: EffectLease? = nil) async throws(StoreFailure) {
        guard let outcome = await mailbox.submit(Work(input: input, fence: nil, answers: lease)) else {
            throw StoreFailure(.unavailable, detail: "too many inputs wait")
        }
        try outcome.get()
        notifier.mail.ring()
    }

    /// Keeps further evidence of a stream before anybody reads it: a process ended while it waited for some.
    ///
    /// An answer that ends whoever decides on it never gets into the log with its decision. In the mailbox it stands, and the
    /// attempts at it are counted.
    package func beCareful(with stream: StreamName) { careful.withLock { $0.keep(true, of: stream) } }

    private static func admit(_ works: [Work], into store: any EventStore & WorkQueue) async -> Result<
        Void, StoreFailure
    > {
        var answers: [(lease: EffectLease, input: InputRecord)] = []
        var others: [InputRecord] = []
        for work in works {
            if let lease = work.answers { answers.append((lease, work.input)) } else { others.append(work.input) }
        }
        do throws(StoreFailure) {
            if !answers.isEmpty { try await store.observe(answers) }
            if !others.isEmpty { _ = try await store.admit(others) }
            return .success(())
        } catch { return .failure(error) }
    }
}
