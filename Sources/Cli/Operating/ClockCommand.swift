import Daemon
import Http
import Kernel
import SystemKit

/// `paystream clock`: the business clock that a merchant in test mode owns.
struct ClockCommand: Command {
    static let name = "clock"
    static let summary = "Read a test merchant's own clock, take one, or move it forward."
    static let usage = "[OPTIONS] show | own [TIME] | advance TIME"
    static let options = [
        PaymentsCommand.jsonOption,
        CommandOption("wait", value: "SECONDS", summary: "wait so long until it has arrived (default: 600)"),
    ]
    static let notes = """
        A clock stands still until it is moved, and stops at every timer on its way: what falls due is done before it goes
        on. It never goes back. Leases, deadlines and the lifetimes of keys stay on the server's clock.
        Asks the daemon that PAYSTREAM_URL and PAYSTREAM_KEY name, for that key's merchant.
        """

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        let verb = given.words.first ?? "show"
        switch verb {
        case "show":
            try given.demand(words: 1)
            return try await ask(given) { try await $0.call(.get, "/v1/clock", nil, key: nil) }
        case "own":
            try given.demand(words: 2)
            let body: Json = given.words.count == 2 ? ["at": .string(try Self.time(given.words[1]))] : [:]
            return try await ask(given) { try await $0.call(.put, "/v1/clock", body, key: nil) }
        case "advance":
            try given.demand(words: 2)
            guard given.words.count == 2 else { throw UsageError("say where to: 'clock advance 2027-12-31T00:00:00Z'") }
            let target = try Self.time(given.words[1])
            let patience = Duration.seconds(try given.integer("wait", in: 0...86_400) ?? 600)
            return try await ask(given) { try await Self.advance($0, target, patience) }
        default: throw UsageError("clock knows no '\(verb)'; say 'show', 'own' or 'advance TIME'")
        }
    }

    private static func time(_ text: String) throws(UsageError) -> String {
        guard let time = Timestamp(text) else { throw UsageError("'\(text)' is no time as in 2027-01-31T12:00:00Z") }
        return time.description
    }

    private static func advance(_ client: ApiClient, _ target: String, _ patience: Duration) async throws -> Json {
        var clock = try await client.call(.post, "/v1/clock/advance", ["to": .string(target)], key: nil)
        let deadline = ContinuousClock.now + patience
        while clock["travellingTo"] != nil, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(100))
            clock = try await client.call(.get, "/v1/clock", nil, key: nil)
        }
        return clock
    }

    private func ask(_ given: ScatteredArguments, _ question: (ApiClient) async throws -> Json) async throws -> Int32 {
        DaemonCall.show(try await DaemonCall.withClient(question), given)
        return 0
    }
}
