package import Decisions
package import EventSourcing
package import Kernel

/// A difference between what was decided and what the same input decides now.
package struct ReplayDifference: Hashable, Sendable {
    package let input: Uuid
    package let stream: StreamName
    package let position: Int64
    /// As in `event 3 differs` or `context unresolved`.
    package let what: String
    /// The build that decided by other rules than this one, as its record names it; `nil` under the same rules.
    package let earlierBuild: String?
}

/// The findings of a replay.
package struct ReplayReport: Hashable, Sendable {
    package var decisions = 0
    package var events = 0
    package var differences: [ReplayDifference] = []
    /// Streams whose versions do not run 1, 2, 3 … without holes.
    package var brokenStreams: [StreamName] = []

    /// Nothing differs but what was decided by rules of another version: that is for the build that the record names.
    package var isClean: Bool { differences.allSatisfy { $0.earlierBuild != nil } && brokenStreams.isEmpty }
}

/// Decides every recorded input again with its recorded context and compares the events byte for byte.
package struct Replay: Sendable {
    private let store: any EventStore
    private let deciders: Deciders
    private let contexts: Contexts
    private static let page = 500
    /// Differences that are reported one by one.
    private static let reported = 100

    package init(store: any EventStore, deciders: Deciders, contexts: Contexts) {
        self.store = store
        self.deciders = deciders
        self.contexts = contexts
    }

    /// Walks the decision records in the order of the log, up to the horizon at the start.
    package func verify(progress: @Sendable (ReplayReport) -> Void = { _ in }) async throws(StoreFailure)
        -> ReplayReport
    {
        var report = ReplayReport()
        var walk = StreamWalk(store)
        var after: Int64 = 0
        while true {
            let page = try await store.decisions(after: after, limit: Self.page)
            guard let last = page.rows.last else { return report }
            for stream in try await walk.read(for: page.rows) where !report.brokenStreams.contains(stream) {
                report.brokenStreams.append(stream)
            }
            let named = page.rows.map { (id: $0.input, merchant: $0.stream.merchant) }
            let inputs = Dictionary(grouping: try await store.inputs(named), by: \.id)
            for decision in page.rows {
                report.decisions += 1
                if case .events(let count) = decision.record.outcome { report.events += count }
                let input = inputs[decision.input]?.first { $0.stream.merchant == decision.stream.merchant }
                guard let found = try await difference(decision, input, &walk),
                    report.differences.count < Self.reported
                else { continue }
                report.differences.append(found)
            }
            after = last.position
            progress(report)
        }
    }

    /// Decides one input again; `nil` where everything is the same.
    private func difference(
        _ decision: RecordedDecision,
        _ input: InputRecord?,
        _ walk: inout StreamWalk
    ) async throws(StoreFailure) -> ReplayDifference? {
        var rules: Json?
        guard let what = try await deviation(decision, input, &walk, &rules) else { return nil }
        let recorded = try? Json(decision.record.versions)
        let isEarlier = rules != nil && recorded?["of"] != rules
        return ReplayDifference(
            input: decision.input,
            stream: decision.stream,
            position: decision.position,
            what: what,
            earlierBuild: isEarlier ? recorded?["build"]?.text ?? "unknown" : nil
        )
    }

    /// The difference, if there is one; `rules` gets the versions by which it was decided again.
    private func deviation(
        _ decision: RecordedDecision,
        _ input: InputRecord?,
        _ walk: inout StreamWalk,
        _ rules: inout Json?
    ) async throws(StoreFailure) -> String? {
        guard let input else { return "input missing" }
        guard let context = try await contexts.recorded(decision) else { return "context unresolved" }
        let base = decision.record.baseVersion
        guard let (history, written) = walk.step(decision) else { return "history shorter than version \(base)" }
        let decided: Decided
        do throws(Undecidable) { decided = try deciders.decide(history, input, context) } catch {
            return "undecidable: \(error.reason)"
        }
        rules = decided.versions
        guard decided.outcome == decision.record.outcome else { return "outcome differs" }
        for (offset, draft) in decided.events.enumerated() {
            let version = base + Int32(offset) + 1
            guard let recorded = written.first(where: { $0.version == version }) else {
                return "event \(version) missing"
            }
            guard recorded.type == draft.type, recorded.data == draft.data, recorded.cause == input.id else {
                return "event \(recorded.version) differs"
            }
        }
        return nil
    }
}
