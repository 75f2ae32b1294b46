import Glibc
package import SystemKit

/// `paystream cluster`: the private PostgreSQL of a checkout.
package struct ClusterCommand: Command {
    package init() {}

    package static let name = "cluster"
    package static let summary = "Run a private PostgreSQL: for development, or for the length of one command."
    package static let usage = "[--checkout DIR] start|stop|status|url|remove|[--in-memory] exec [-- COMMAND…]"
    package static let options = [
        CommandOption(
            "checkout",
            value: "DIR",
            summary: "the folder whose .paystream keeps the cluster (default: here)"
        ),
        CommandOption("in-memory", summary: "exec: keep the cluster in /dev/shm, where there is room for it"),
    ]

    /// The cluster that stays between commands.
    package static let developmentName = "cluster"
    /// The variable by which a command under `exec` finds its server.
    package static let urlVariable = "PAYSTREAM_TEST_DATABASE_URL"
    /// The code of `status` when nothing runs, as `pg_ctl` has it.
    private static let notRunningExitCode: Int32 = 3

    package func run(arguments: [String]) async throws -> Int32 {
        let parsed = try parse(arguments)
        guard let verb = parsed.rest.first else { throw UsageError("say what to do with the cluster") }
        let checkout = try Self.absolute(parsed["checkout"] ?? ".")
        var words = Array(parsed.rest.dropFirst())
        let inMemory = parsed.has("in-memory")
        guard verb == "exec" || !inMemory else {
            throw UsageError("'\(verb)' is about a cluster that stays, and what is in memory does not")
        }
        if verb == "exec" {
            if words.first == "--" { words.removeFirst() }
            guard !words.isEmpty else { throw UsageError("exec wants a command") }
            let command = words
            return try await OwnThread.run { () throws(ClusterFailure) in
                try Self.execute(command, checkout: checkout, inMemory: inMemory)
            }
        }
        guard words.isEmpty else { throw UsageError("'\(words[0])' is one word too many") }
        guard let action = Action(rawValue: verb) else { throw UsageError("the cluster knows no '\(verb)'") }
        return try await OwnThread.run { () throws(ClusterFailure) in try Self.perform(action, checkout: checkout) }
    }

    private enum Action: String {
        case start, stop, status, url, remove
    }

    private static func perform(_ action: Action, checkout: String) throws(ClusterFailure) -> Int32 {
        let cluster = try EmbeddedCluster(checkout: checkout, name: developmentName)
        switch action {
        case .start:
            try cluster.start()
            StandardStream.output.write(cluster.url() + "\n")
        case .stop:
            try cluster.stop()
        case .remove:
            try cluster.remove()
        case .status:
            guard let id = cluster.processId else {
                StandardStream.output.write("not running (\(cluster.directory.path))\n")
                return notRunningExitCode
            }
            StandardStream.output.write("running as process \(id) (\(cluster.directory.path))\n")
        case .url:
            StandardStream.output.write(cluster.url() + "\n")
        }
        return 0
    }

    /// Runs a command beside a cluster of its own, and ends as the command did.
    private static func execute(_ command: [String], checkout: String, inMemory: Bool) throws(ClusterFailure) -> Int32 {
        ForwardedSignals.install()
        let cluster = try TemporaryCluster.start(checkout: checkout, inMemory: inMemory)
        let ending = Result<Int32, ClusterFailure> { () throws(ClusterFailure) in
            if let signal = ForwardedSignals.received { return 128 + signal }
            var environment = ChildProcess.environment
            environment[urlVariable] = cluster.url()
            environment[PostgresPrograms.variable] = cluster.programFolder
            let child = try ClusterFailure.starting(command[0], Array(command.dropFirst()), environment: environment)
            ForwardedSignals.forward(to: child)
            defer { ForwardedSignals.end() }
            return child.wait().exitCode
        }
        try cluster.remove()
        return try ending.get()
    }

    package static func absolute(_ path: String) throws(UsageError) -> String {
        guard let resolved = realpath(path, nil) else { throw UsageError("there is no folder '\(path)'") }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
