import Daemon
import EventSourcing
import Kernel
import Payments
import Store
import SystemKit

/// `paystream merchants`: the tenants of an installation.
struct MerchantsCommand: Command {
    static let name = "merchants"
    static let summary = "Make, list, suspend or resume merchants; how often they may ask, and which need two persons."
    static let usage =
        "[--two-persons] [--reason TEXT] [--json] create NAME | list | suspend NAME | resume NAME | persons NAME one|two"
        + " | limit NAME N/SECONDS|none"
    static let options = [
        CommandOption("two-persons", summary: "with create: what changes routing, accounts and keys needs two persons"),
        CommandOption("reason", value: "TEXT", summary: "with suspend: why, for the record"),
        PaymentsCommand.jsonOption,
    ]
    static let notes = """
        Nothing else makes a merchant. The keys of a suspended merchant look and change nothing; what runs goes on: money
        that moves is followed, and schedules charge until they are paused. A limit holds for all keys of a merchant together,
        on each node for itself, as in 6000/60: so many requests in so many seconds. The command works on the database.
        """

    private static let nameBytes = 64
    private static let verbs =
        "say what to do: create NAME, list, suspend NAME, resume NAME, persons NAME one|two or limit NAME N/SECONDS"

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        let words = given.words
        return try await OwnerSession.with { session in
            switch (words.first, words.count) {
            case ("create", 2): try await create(words[1], given, session)
            case ("list", 1), (nil, _): try await list(given, session)
            case ("suspend", 2): try await suspend(words[1], true, given, session)
            case ("resume", 2): try await suspend(words[1], false, given, session)
            case ("persons", 3): try await setPersons(words[1], words[2], given, session)
            case ("limit", 3): try await setLimit(words[1], words[2], given, session)
            default: throw UsageError(Self.verbs)
            }
            return 0
        }
    }

    private func create(_ name: String, _ given: ScatteredArguments, _ session: OwnerSession) async throws {
        guard Self.isName(name) else {
            throw UsageError(
                "a name is 1 to \(Self.nameBytes) of a-z, 0-9, '-', '_' and '.', and begins with a letter or digit"
            )
        }
        // A merchant that is made under a foreign master key could open nothing.
        try await session.proof.hold(InstallationRows(session.store))
        let made = try await session.registers.makeMerchant(named: name)
        guard made.isNew else { throw CommandFailure("there is a merchant '\(name)' already") }
        try await session.act(.create(name: name), on: made.number)
        if given.has("two-persons") {
            try await session.act(.setPersons(needsTwo: true, asks: false), on: made.number)
        }
        given.tell(
            "the merchant '\(name)' has number \(made.number); 'paystream keys --merchant \(name) --role admin create NAME' makes its first key",
            ["name": .string(name), "number": .integer(Int64(made.number.value))]
        )
    }

    private static func isName(_ name: String) -> Bool {
        let isStart = { (byte: UInt8) in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        return name.utf8.first.map(isStart) == true && name.utf8.count <= nameBytes
            && name.utf8.allSatisfy {
                isStart($0) || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains($0)
            }
    }

    private func list(_ given: ScatteredArguments, _ session: OwnerSession) async throws {
        var table = ColumnTable(["NUMBER", "MERCHANT", "STATE", "KEYS", "LIMIT", "CREATED"])
        for row in try await session.registers.merchantRows() {
            let line: Json = .compact([
                ("createdAt", row.createdAt.json), ("keys", .integer(row.keys)), ("limit", row.limit?.json),
                ("name", .string(row.name)),
                ("number", .integer(Int64(row.number.value))), ("suspendedAt", row.suspendedAt?.json),
            ])
            if given.has("json") { StandardStream.output.write(line.canonicalText + "\n") }
            table.add([
                "\(row.number)", row.name, row.suspendedAt.map { "suspended \(Cell.time($0))" } ?? "works",
                "\(row.keys)", row.limit.map { "\($0.requests)/\($0.seconds)" } ?? "–",
                Cell.time(row.createdAt),
            ])
        }
        if !given.has("json") {
            StandardStream.output.write(table.text(orSay: "no merchants; 'paystream merchants create NAME' makes one"))
        }
    }

    private func suspend(_ name: String, _ isSuspended: Bool, _ given: ScatteredArguments, _ session: OwnerSession)
        async throws
    {
        let merchant = try await session.merchant(name)
        try await session.registers.suspend(merchant.number, isSuspended)
        try await session.act(isSuspended ? .suspend(reason: given["reason"]) : .resume, on: merchant.number)
        given.tell(
            isSuspended ? "'\(name)' is suspended: its keys look and change nothing" : "'\(name)' goes on",
            ["name": .string(name), "suspended": .bool(isSuspended)]
        )
    }

    private func setPersons(_ name: String, _ word: String, _ given: ScatteredArguments, _ session: OwnerSession)
        async throws
    {
        guard ["one", "two"].contains(word) else { throw UsageError("say 'one' or 'two'") }
        let merchant = try await session.merchant(name)
        try await session.act(.setPersons(needsTwo: word == "two", asks: false), on: merchant.number)
        given.tell(
            "\(word) of its persons change routing, accounts and keys of '\(name)'",
            ["name": .string(name), "persons": .integer(word == "two" ? 2 : 1)]
        )
    }

    private func setLimit(_ name: String, _ word: String, _ given: ScatteredArguments, _ session: OwnerSession)
        async throws
    {
        let limit = word == "none" ? nil : try RateLimit(given: word)
        let merchant = try await session.merchant(name)
        try await session.registers.limit(merchant.number, to: limit)
        try await session.act(.setLimit(limit), on: merchant.number)
        given.tell(
            limit.map { "the keys of '\(name)' send \($0.requests) requests in \($0.seconds) seconds together" }
                ?? "the keys of '\(name)' have no limit together",
            .compact([("limit", limit?.json), ("name", .string(name))])
        )
    }
}
