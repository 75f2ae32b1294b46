import Crypto
import Daemon
import EventSourcing
import Glibc
import Kernel
import Store
import SystemKit

/// `paystream quarantine`: notifications that failed authentication or name no account, and inputs that could not be decided.
struct QuarantineCommand: Command {
    static let name = "quarantine"
    static let summary =
        "List inputs that can't be decided and refused notifications, open one of these, or decide an input again."
    static let usage = "[--merchant NAME] [--json] list | show ID | retry INPUT"
    static let notes = """
        'list' shows the inputs of all merchants, or of the one that --merchant names, each with the reason; and, where none is
        named, notifications that failed authentication or name no account. 'show' opens one of these and leaves a record of it.
        """
    static let options = [
        PaymentsCommand.jsonOption, PaymentsCommand.merchantOption,
        CommandOption("limit", value: "N", summary: "messages at most, newest first (default: 100)"),
    ]

    private static let standardLimit = 100

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        switch given.words.first {
        case "list", nil:
            try given.demand(words: 1)
            let limit = try given.integer("limit", in: 1...10_000) ?? Self.standardLimit
            let (inputs, rows) = try await StoreSession.with { session in
                let merchant: MerchantNumber? =
                    if given["merchant"] == nil { nil } else { try await session.merchant(given["merchant"]) }
                return (
                    try await session.registers.undecidable(of: merchant, limit: limit),
                    merchant == nil ? try await session.registers.notifications(limit: limit) : []
                )
            }
            StandardStream.output.write(Self.text(inputs, rows, isJson: given.has("json"), at: WallClock.now()))
        case "show":
            try given.demand(words: 2)
            guard given.words.count == 2, let id = Int64(given.words[1]) else {
                throw UsageError("name the message by its number in the list")
            }
            let (row, body) = try await StoreSession.with { session in
                let ring = try MasterKeyFile.read(session.configuration.masterKeyFile)
                return try await SealedQuarantine(registers: session.registers, ring: ring).open(id, by: Self.actor)
            }
            StandardStream.output.write(Self.text(row, body, isJson: given.has("json")))
        case "retry":
            try given.demand(words: 2)
            guard given.words.count == 2, let input = Uuid(given.words[1]) else {
                throw UsageError("name the input as 'paystream quarantine list' does")
            }
            let isThere = try await StoreSession.with { session in
                let merchant = try await session.merchant(given["merchant"])
                return try await session.registers.retry(input: input, of: merchant)
            }
            guard isThere else {
                StandardStream.error.write("no such input waits in quarantine\n")
                return 1
            }
            given.tell(
                "it is decided again; 'paystream quarantine list' tells if that is in vain",
                ["input": input.json, "retried": true]
            )
        case let verb?:
            throw UsageError("quarantine knows no '\(verb)'; say 'list', 'show ID' or 'retry INPUT'")
        }
        return 0
    }

    /// The person at the machine, as it knows them.
    private static var actor: String {
        guard let entry = getpwuid(getuid()), let name = entry.pointee.pw_name else { return "cli:\(getuid())" }
        return "cli:\(String(cString: name))"
    }

    // MARK: List

    static func text(_ rows: [QuarantinedNotification], isJson: Bool) -> String {
        guard !isJson else { return rows.map { json($0).canonicalText + "\n" }.joined() }
        var table = ColumnTable(["ID", "RECEIVED", "SENT TO", "REASON", "BYTES"], rightAligned: [0, 4])
        for row in rows {
            table.add([
                String(row.id), Cell.time(row.receivedAt.json), row.source, row.reason, Cell.text(row.meta["bytes"]),
            ])
        }
        return table.text(orSay: "nothing in quarantine")
    }

    /// Inputs of merchants, then notifications that are nobody's.
    static func text(
        _ inputs: [UndecidableInput],
        _ rows: [QuarantinedNotification],
        isJson: Bool,
        at now: Timestamp
    ) -> String {
        guard !inputs.isEmpty else { return text(rows, isJson: isJson) }
        guard !isJson else {
            return inputs.map { json($0, at: now).canonicalText + "\n" }.joined() + text(rows, isJson: true)
        }
        var table = ColumnTable(
            ["INPUT", "MERCHANT", "OF", "NAME", "SINCE", "AGE", "CLAIMS", "REASON"],
            rightAligned: [5, 6]
        )
        for input in inputs {
            table.add([
                "\(input.id)", input.merchantName, input.subject, input.name, Cell.time(input.at),
                Self.age(input.at, now),
                String(input.attempts), input.reason,
            ])
        }
        return table.text + (rows.isEmpty ? "" : "\n" + text(rows, isJson: false))
    }

    private static func json(_ input: UndecidableInput, at now: Timestamp) -> Json {
        [
            "ageSeconds": .integer(now.since(input.at).components.seconds), "attempts": .integer(Int64(input.attempts)),
            "input": input.id.json, "merchant": .string(input.merchantName), "name": .string(input.name),
            "object": "undecidableInput", "reason": .string(input.reason), "since": input.at.json,
            "subject": .string(input.subject),
        ]
    }

    /// How long it has waited, in the largest unit that is whole.
    private static func age(_ since: Timestamp, _ now: Timestamp) -> String {
        let seconds = max(0, now.since(since).components.seconds)
        for (size, unit) in [(86_400, "d"), (3600, "h"), (60, "m")] as [(Int64, String)] where seconds >= size {
            return "\(seconds / size)\(unit)"
        }
        return "\(seconds)s"
    }

    private static func json(_ row: QuarantinedNotification, _ more: [(String, Json?)] = []) -> Json {
        let parts = row.source.split(separator: "/", omittingEmptySubsequences: false).map { Json.string(String($0)) }
        let place: [(String, Json?)] =
            parts.count == 3 ? [("provider", parts[0]), ("merchant", parts[1]), ("account", parts[2])] : []
        return .compact(
            [
                ("bytes", row.meta["bytes"]), ("expiresAt", row.expiresAt.json), ("id", .integer(row.id)),
                ("method", row.meta["method"]), ("reason", .string(row.reason)), ("receivedAt", row.receivedAt.json),
                ("source", .string(row.source)),
            ] + place + more
        )
    }

    // MARK: Show

    /// The message as text where it is text; otherwise in base64.
    static func text(_ row: QuarantinedNotification, _ body: Secret, isJson: Bool) -> String {
        body.withBytes { bytes in
            let text = String(validating: bytes, as: UTF8.self)
            let isCut = bytes.isEmpty && row.meta["bytes"]?.integer != 0
            guard !isJson else {
                let shown: (String, Json?) =
                    text.map { ("body", .string($0)) } ?? ("bodyBase64", .string(Base64.encode(bytes)))
                return json(row, [shown, ("cardDataCut", isCut ? true : nil)]).canonicalText + "\n"
            }
            let head = [
                ("id", String(row.id)), ("received", Cell.time(row.receivedAt)), ("sent to", row.source),
                ("reason", row.reason), ("kept until", Cell.time(row.expiresAt)),
            ]
            let content = isCut ? "(not kept: it held a card number)" : text.map(plain) ?? Base64.encode(bytes)
            return Sheet.lines(head) + "\n" + content + "\n"
        }
    }

    /// Whoever sent it may not command the terminal; line breaks stay.
    private static func plain(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { ColumnTable.plain(String($0)) }
            .joined(separator: "\n")
    }
}
