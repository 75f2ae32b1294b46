import Conformance
import Daemon
import Kernel
import ProviderKit
import SystemKit

/// `paystream adapter`: holds vector files against an adapter's own code, and prints its state machine.
struct AdapterCommand: Command {
    static let name = "adapter"
    static let summary = "Check an adapter against vector files, or print its provider-side states."
    static let usage = "check PROVIDER [--kind KIND] FILE… | states PROVIDER"
    static let options = [
        CommandOption("kind", value: "KIND", summary: "what the files hold (default: what each says it is)")
    ]

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        switch given.words.first {
        case "check": return try check(given)
        case "states": return try states(given)
        case let verb?: throw UsageError("adapters know no '\(verb)'; say 'check' or 'states'")
        case nil: throw UsageError("say 'check' or 'states'")
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

    private func provider(_ given: ScatteredArguments) throws(UsageError) -> String {
        guard given.words.count > 1 else {
            throw UsageError("name a provider: \(Node.adapters.ids.joined(separator: ", "))")
        }
        return given.words[1]
    }
}
