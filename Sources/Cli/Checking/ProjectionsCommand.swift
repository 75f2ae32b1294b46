import EventSourcing
import Kernel
import Postgres
import Store
import SystemKit

/// `paystream projections`: the read models, their versions, and building them again beside those that are shown.
struct ProjectionsCommand: Command {
    static let name = "projections"
    static let summary = "Show how the read models stand, or build one again beside the one that is shown."
    static let usage = "[--json] status | rebuild [--fresh] [--swap] NAME…|all | swap NAME…|all | drop NAME…|all"
    static let notes = """
        'rebuild' makes a copy from the log in a schema of its own, or goes on with one that was begun; what is shown is read and
        followed meanwhile. 'swap' puts the copy in its place for everybody at once, 'drop' throws it away. After an update that
        raises a read model's version, 'migrate', then 'rebuild --swap all', then start the daemons: a daemon writes nothing
        into a version that is not its own. All of it needs the owner of the schema.
        """
    static let options = [
        PaymentsCommand.jsonOption,
        CommandOption("fresh", summary: "throw away a copy that was begun"),
        CommandOption("swap", summary: "put each copy in its place when it stands"),
    ]

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        let (verb, names) = (given.words.first ?? "status", given.words.dropFirst())
        guard ["status", "rebuild", "swap", "drop"].contains(verb) else {
            throw UsageError("projections knows no '\(verb)'; say 'status', 'rebuild', 'swap' or 'drop'")
        }
        guard verb != "status" || names.isEmpty else { throw UsageError("'status' shows all; name none") }
        return try await StoreSession.with { session in
            let all = session.views.all.map { Projection($0) }
            if verb == "status" {
                StandardStream.output.write(try await Self.status(all, isJson: given.has("json")))
                return 0
            }
            for projection in try Self.chosen(Array(names), among: all) {
                switch verb {
                case "rebuild": try await Self.rebuild(projection, given)
                case "swap": try await Self.swap(projection, given)
                default: try await Self.drop(projection, given)
                }
            }
            return 0
        }
    }

    private static func chosen(_ names: [String], among all: [Projection]) throws -> [Projection] {
        let known = all.map(\.name).joined(separator: ", ")
        guard !names.isEmpty else { throw UsageError("name read models, or say 'all': \(known)") }
        if names == ["all"] { return all }
        return try names.map { name in
            guard let found = all.first(where: { $0.name == name }) else {
                throw UsageError("there is no read model '\(name)'; there are \(known)")
            }
            return found
        }
    }

    private static func rebuild(_ projection: Projection, _ given: ScatteredArguments) async throws {
        if given.has("fresh") { _ = try await projection.drop() }
        let line = ProgressLine(projection.name)
        var events = 0
        try await projection.build { progress in
            events = progress.events
            line.tell(progress.position, of: progress.end, count: progress.events, "events")
        }
        line.end("\(projection.name): built from \(events) events")
        if given.has("swap") {
            try await swap(projection, given)
        } else {
            say("built", projection, "its copy stands; 'paystream projections swap \(projection.name)' shows it", given)
        }
    }

    private static func swap(_ projection: Projection, _ given: ScatteredArguments) async throws {
        guard try await projection.swap() else {
            throw CommandFailure(
                "\(projection.name) has no copy: 'paystream projections rebuild \(projection.name)' makes one"
            )
        }
        say("shown", projection, "the copy is shown", given)
    }

    private static func drop(_ projection: Projection, _ given: ScatteredArguments) async throws {
        let wasThere = try await projection.drop()
        say(wasThere ? "dropped" : "none", projection, wasThere ? "the copy is gone" : "there was no copy", given)
    }

    private static func say(_ copy: String, _ of: Projection, _ sentence: String, _ given: ScatteredArguments) {
        given.tell("\(of.name): \(sentence)", ["copy": .string(copy), "name": .string(of.name)])
    }

    private static func status(_ all: [Projection], isJson: Bool) async throws -> String {
        var table = ColumnTable(
            ["READ MODEL", "VERSION", "POSITION", "UNREAD", "LAG", "ASIDE", "COPY", "STATE"],
            rightAligned: [1, 2, 3, 4, 5]
        )
        var lines = ""
        for projection in all {
            let standing = try await projection.standing()
            let state = state(standing)
            let view = standing.view
            lines += standing.json(state).canonicalText + "\n"
            let copy = standing.next.map { "version \($0.version), \(standing.share(of: $0)) %" }
            table.add([
                standing.name, standing.shown.map { "\($0.version)" } ?? "-",
                standing.shown.map { "\($0.position)" } ?? "-",
                "\(view.unread)", "\(view.lag.wholeMilliseconds) ms", "\(view.aside.count)", copy ?? "-", state,
            ])
        }
        return isJson ? lines : table.text
    }

    private static func state(_ standing: Projection.Standing) -> String {
        if let other = standing.view.otherVersion {
            return "version \(other) is shown, version \(standing.version) is wanted"
        }
        return standing.view.aside.isEmpty ? "ok" : "streams set aside"
    }
}

extension Projection.Standing {
    /// How far a version is, in hundredths of the log.
    fileprivate func share(of version: ShownVersion) -> Int64 {
        end > 0 ? min(100, version.position * 100 / end) : 100
    }

    fileprivate func json(_ state: String) -> Json {
        .compact([
            ("aside", .integer(Int64(view.aside.count))),
            ("copy", next.map { ["position": .integer($0.position), "version": .integer(Int64($0.version))] }),
            ("lagMilliseconds", .integer(view.lag.wholeMilliseconds)), ("logEnd", .integer(end)),
            ("name", .string(name)),
            ("position", shown.map { .integer($0.position) }), ("state", .string(state)),
            ("unread", .integer(view.unread)), ("version", shown.map { .integer(Int64($0.version)) }),
            ("wanted", .integer(Int64(version))),
        ])
    }
}
