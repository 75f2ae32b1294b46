import Daemon
import Dev
import Http
import Kernel
import Projections
import SystemKit

/// `paystream trigger`: a public event that really happens, in the sandbox.
struct TriggerCommand: Command {
    static let name = "trigger"
    static let summary = "Make a public event happen in the sandbox, by a backend's and a payer's steps."
    static let usage = "[--json] [EVENT]"
    static let options = [PaymentsCommand.jsonOption]
    static let notes = """
        Without EVENT it lists the types, and of those that it can't make why. What it plays are payments, cards, series and bills of
        their own at the demo accounts of 'paystream dev'; a merchant with a live account is refused. It prints the event's id
        and waits for it up to a minute; a merchant whose own clock stands still may wait in vain.
        Asks the daemon that PAYSTREAM_URL and PAYSTREAM_KEY name, and the sandbox at PAYSTREAM_SANDBOX; 'paystream dev' sets them.
        """

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        try given.demand(words: 1)
        guard let type = given.words.first else {
            Self.list(given)
            return 0
        }
        guard let way = EventTrigger.ways[type] else {
            throw UsageError("there is no event '\(type)'; 'paystream trigger' lists the types")
        }
        switch way {
        case .never(let why): throw CommandFailure("'\(type)' can't be made here: \(why)")
        case .scene(let scene): return try await Self.play(type, scene, given)
        }
    }

    private static func play(_ type: String, _ scene: EventTrigger.Scene, _ given: ScatteredArguments) async throws
        -> Int32
    {
        let sandbox = try sandbox()
        let event = try await DaemonCall.withClient { client -> Json in
            if let live = try await client.liveAccount() {
                throw CommandFailure("\(live); events are made for merchants in test mode alone")
            }
            // In letters: a long run of digits alone can look like a card number.
            let run = "trigger-" + String(WallClock.now().microseconds, radix: 36)
            let trigger = EventTrigger(api: client, sandbox: sandbox, run: run)
            guard let event = try await trigger.play(type, scene) else {
                throw CommandFailure(
                    "its steps were taken and '\(type)' was not told; 'paystream events' shows what was"
                )
            }
            return event
        }
        guard !given.has("json") else {
            StandardStream.output.write(event.canonicalText + "\n")
            return 0
        }
        let id = Cell.text(event["id"])
        StandardStream.output.write("\(id)  \(type)  \(Cell.text(event.at("resource", "id")))\n")
        StandardStream.error.write("look at it with 'paystream events show \(id)'\n")
        return 0
    }

    private static func sandbox() throws(UsageError) -> String {
        let (given, left) = (ChildProcess.environment, DevFile.read())
        let name = "PAYSTREAM_SANDBOX"
        guard let address = given[name] ?? (DevFile.isElsewhere(given, left) ? nil : left[name]) else {
            throw UsageError("\(name) names the sandbox, where the accounts of 'paystream dev' are")
        }
        return DevFile.plain(address)
    }

    private static func list(_ given: ScatteredArguments) {
        var table = ColumnTable(["EVENT", "MADE", "WHEN IT IS TOLD, OR WHY NOBODY CAN MAKE IT"])
        for type in PublicEventType.all {
            guard let way = EventTrigger.ways[type.name] else { continue }
            let why: String? =
                switch way {
                case .scene: nil
                case .never(let why): why
                }
            if given.has("json") {
                let line: Json = .compact([
                    ("made", .bool(why == nil)), ("summary", .string(type.summary)), ("type", .string(type.name)),
                    ("why", why.map(Json.string)),
                ])
                StandardStream.output.write(line.canonicalText + "\n")
            }
            table.add([type.name, why == nil ? "yes" : "no", why ?? type.summary])
        }
        if !given.has("json") { StandardStream.output.write(table.text) }
    }
}
