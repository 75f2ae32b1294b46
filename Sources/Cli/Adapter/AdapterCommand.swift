import Conformance
import Daemon
import Kernel
import ProviderKit
import SystemKit

/// `paystream adapter`: holds vector files against an adapter's own code, prints its state machine, and begins a new one.
struct AdapterCommand: Command {
    static let name = "adapter"
    static let summary = "Check an adapter against vector files, print its provider-side states, or begin a new one."
    static let usage = "check PROVIDER [--kind KIND] FILE… | states PROVIDER | new NAME [--into DIR] [--dry-run]"
    static let options = [
        CommandOption("kind", value: "KIND", summary: "what the files hold (default: what each says it is)"),
        CommandOption("into", value: "DIR", summary: "the checkout that a new adapter goes into (default: here)"),
        CommandOption("dry-run", summary: "say what a new adapter would write, and write nothing"),
    ]

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        switch given.words.first {
        case "check": return try check(given)
        case "states": return try states(given)
        case "new": return try new(given)
        case let verb?: throw UsageError("adapters know no '\(verb)'; say 'check', 'states' or 'new'")
        case nil: throw UsageError("say 'check', 'states' or 'new'")
        }
    }

    // MARK: Check

    private func check(_ given: ScatteredArguments) throws(UsageError) -> Int32 {
        let provider = try provider(given)
        guard let suite = Providers.suites[provider] else {
            throw UsageError("there is no adapter '\(provider)' to check")
        }
        let files = given.words.dropFirst(2)
        guard !files.isEmpty else { throw UsageError("name the files to check") }
        let kind = try given["kind"].map { text throws(UsageError) in
            try VectorFile.kind(text, of: provider, known: suite.kinds)
        }
        var tally = VectorTally()
        for path in files {
            try VectorFile(path, kind: kind, provider: provider, suite: suite).check(&tally) {
                StandardStream.output.write($0 + "\n")
            }
        }
        StandardStream.output.write("\(tally.passed) passed, \(tally.failed) failed\n")
        return tally.failed == 0 ? 0 : 1
    }

    // MARK: States

    private func states(_ given: ScatteredArguments) throws(UsageError) -> Int32 {
        let provider = try provider(given)
        try given.demand(words: 2)
        guard let adapter = Node.adapters[provider] else { throw UsageError("there is no adapter '\(provider)'") }
        StandardStream.output.write(adapter.states.mermaid)
        return 0
    }

    // MARK: New

    private func new(_ given: ScatteredArguments) throws(UsageError) -> Int32 {
        guard given.words.count > 1 else { throw UsageError("name the adapter, as in 'Acme'") }
        try given.demand(words: 2)
        try NewAdapter(given.words[1], into: given["into"] ?? ".").run(isDry: given.has("dry-run")) {
            StandardStream.output.write($0 + "\n")
        }
        return 0
    }

    private func provider(_ given: ScatteredArguments) throws(UsageError) -> String {
        guard given.words.count > 1 else {
            throw UsageError("name a provider: \(Node.adapters.ids.joined(separator: ", "))")
        }
        return given.words[1]
    }
}
