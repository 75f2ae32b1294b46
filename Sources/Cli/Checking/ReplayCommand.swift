import Daemon
import Decisions
import Engine
import EventSourcing
import Kernel
import Store
import SystemKit

/// `paystream replay`: decides the whole history again, or builds the read models again, and compares.
struct ReplayCommand: Command {
    static let name = "replay"
    static let summary = "Decide every recorded input again and compare, or rebuild the read models and compare."
    static let usage = "verify | views"
    static let notes = """
        'verify' ends with 1 where this program's rules decide an input otherwise than it was decided, or a stream has holes. What an earlier
        build decided otherwise is told with that build and is no error. 'views' ends with 1 where the rows that are shown are not those of the
        log or are of another version, or where a stream stands aside because its events can't be shown; it names the stream and the reason.
        """

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        try given.demand(words: 1)
        switch given.words.first {
        case "verify": return try await StoreSession.with { try await verify($0) }
        case "views": return try await StoreSession.with { try await views($0) }
        case let verb?: throw UsageError("replay knows no '\(verb)'; say 'verify' or 'views'")
        case nil: throw UsageError("say 'verify' or 'views'")
        }
    }

    // MARK: Decisions

    private func verify(_ session: StoreSession) async throws -> Int32 {
        let report = try await ReplayRun.verify(session.store) { report in
            StandardStream.error.write("\(report.decisions) decisions, \(report.events) events\n")
        }
        for difference in report.differences {
            let place =
                "input \(difference.input) of \(difference.stream) at \(difference.position): \(difference.what)"
            let build = difference.earlierBuild.map { "EARLIER RULES, verify it with build \($0): " }
            StandardStream.output.write((build ?? "DIFFERENT ") + place + "\n")
        }
        for stream in report.brokenStreams { StandardStream.output.write("BROKEN \(stream): versions have holes\n") }
        StandardStream.output.write(ReplayRun.closing(report) + "\n")
        return report.isClean ? 0 : 1
    }

    // MARK: Read models

    private func views(_ session: StoreSession) async throws -> Int32 {
        var worst: Int32 = 0
        for view in session.views.all { worst = max(worst, try await rebuild(view, session.store)) }
        return worst
    }

    private func rebuild(_ view: any FollowedView, _ store: PostgresStore) async throws -> Int32 {
        let name = view.follower.name
        let worst = try await compare(view, name, store)
        let aside = try await view.follower.standing().aside
        for stream in aside {
            StandardStream.output.write(
                "\(name): stream \(stream.stream) of merchant \(stream.merchant) stands aside: \(stream.reason)\n"
            )
        }
        return aside.isEmpty ? worst : 1
    }

    private func compare(_ view: any FollowedView, _ name: String, _ store: PostgresStore) async throws -> Int32 {
        switch try await ViewRebuild.run(view, store) {
        case .identical(let fingerprint):
            StandardStream.output.write("\(name): \(fingerprint) before and after, identical rows\n")
            return 0
        case .different(let before, let after):
            StandardStream.output.write("\(name): \(before) before, \(after) after\n")
            return 1
        case .otherVersion(let shown):
            StandardStream.output.write(
                "\(name): version \(shown) is shown, which this program doesn't make; run 'paystream projections rebuild'\n"
            )
            return 1
        }
    }
}

/// The replay of a store's decisions, for the command and for the demo.
enum ReplayRun {
    /// Lines of progress come after so many decisions.
    private static let progressStep = 10_000

    static func verify(_ store: PostgresStore, progress: @escaping @Sendable (ReplayReport) -> Void = { _ in })
        async throws(StoreFailure) -> ReplayReport
    {
        let contexts = Contexts(
            book: AccountBook(store: store, recovery: NoRecovery()),
            publicUrl: "",
            zones: StoreZones(rows: ZoneRows(store), calendars: CalendarRows(store)),
            clock: WallClock.now
        )
        let replay = Replay(store: store, deciders: Deciders(adapters: Node.adapters), contexts: contexts)
        let told = Locked(0)
        return try await replay.verify { report in
            let isDue = told.withLock { told in
                guard report.decisions - told >= progressStep else { return false }
                told = report.decisions
                return true
            }
            if isDue { progress(report) }
        }
    }

    static func closing(_ report: ReplayReport) -> String {
        let earlier = report.differences.count { $0.earlierBuild != nil }
        let differences = report.differences.count - earlier + report.brokenStreams.count
        var verdict = differences == 0 ? "no difference" : "\(differences) differences"
        if earlier > 0 { verdict += "; \(earlier) decided otherwise by earlier rules" }
        return "replayed \(report.decisions) decisions with \(report.events) events: \(verdict)"
    }
}
