import Api
import Crypto
import Daemon
import EventSourcing
import Http
import Kernel
import Payments
import Postgres
import Store
import SystemKit

/// `paystream keys`: the master keys and API keys.
struct KeysCommand: Command {
    static let name = "keys"
    static let summary = "Make and rotate the master key; make, list, rotate and revoke API keys."
    static let usage =
        "[--merchant NAME] [--role ROLE | --scopes LIST] [--networks LIST] [--days N] [--limit N/SECONDS] [--overlap SECONDS] [--reason TEXT] "
        + "[--force] [--append] [--json] master FILE|rotate|create NAME|list|rotate ID|revoke ID"
    static let options = [
        CommandOption("merchant", value: "NAME", summary: "whose keys (default: demo)"),
        CommandOption("role", value: "ROLE", summary: Role.allCases.map(\.rawValue).joined(separator: ", ")),
        CommandOption(
            "scopes",
            value: "LIST",
            summary: Scope.allCases.map(\.rawValue).joined(separator: ",") + " (default: commands,read)"
        ),
        CommandOption("networks", value: "LIST", summary: "where it may be used from, as 10.0.0.0/8,2001:db8::/32"),
        CommandOption("days", value: "N", summary: "days until it expires (default: never)"),
        CommandOption(
            "limit",
            value: "N/SECONDS",
            summary: "so many requests in so many seconds, as 600/60 (default: 1000 a second)"
        ),
        CommandOption(
            "overlap",
            value: "SECONDS",
            summary: "with rotate ID: so long the old token goes on (default: a day)"
        ),
        CommandOption("reason", value: "TEXT", summary: "with revoke: why, for the record"),
        CommandOption("force", summary: "with revoke: also the last key that administers the merchant"),
        CommandOption("append", summary: "with rotate: add a new master key to the file first, and stop there"),
        PaymentsCommand.jsonOption,
    ]
    static let notes = """
        'rotate' alone rotates the master key; 'rotate ID' gives an API key another token. A key is for one merchant, which
        'paystream merchants create' makes. These commands work on the database: who has it and the master key may do
        everything. What they do about API keys is in the log; 'paystream audit' lists it. docs/access.md tells what each role may do.
        """

    private static let verbs = "say what to do: master FILE, rotate, create NAME, list, rotate ID or revoke ID"

    func run(arguments: [String]) async throws -> Int32 {
        let parsed = try ScatteredArguments(arguments, options: Self.options)
        guard let verb = parsed.words.first else {
            throw UsageError(Self.verbs)
        }
        let words = Array(parsed.words.dropFirst())
        if verb == "master" {
            guard words.count == 1 else { throw UsageError("master wants one file name") }
            try MasterKeyFile.make(words[0])
            parsed.tell(
                "\(words[0]) holds a master key; keep a copy where the database's backups are not",
                ["file": .string(words[0])]
            )
            return 0
        }
        guard verb == "rotate" || !parsed.has("append") else { throw UsageError("--append goes with rotate") }
        return try await OwnerSession.with { session in
            // A key that is made under a foreign master key is nobody's.
            if verb == "create" { try await session.proof.hold(InstallationRows(session.store)) }
            if verb == "rotate", words.isEmpty {
                return try await MasterKeyRotation(proof: session.proof, store: session.store).run(parsed)
            }
            return try await perform(verb, words, parsed, session)
        }
    }

    private func perform(_ verb: String, _ words: [String], _ parsed: ScatteredArguments, _ session: OwnerSession)
        async throws -> Int32
    {
        switch (verb, words.count) {
        case ("create", 1): try await create(words[0], parsed, session)
        case ("list", 0): try await list(try await session.merchant(parsed["merchant"]), session, parsed)
        case ("rotate", 1): try await rotate(try await Self.key(words[0], session), parsed, session)
        case ("revoke", 1): try await revoke(try await Self.key(words[0], session), parsed, session)
        default: throw UsageError(Self.verbs)
        }
        return 0
    }

    private func create(_ name: String, _ parsed: ScatteredArguments, _ session: OwnerSession) async throws {
        let (role, scopes) = try Self.rights(parsed)
        let networks = try Self.networks(parsed["networks"])
        let merchant = try await session.merchant(parsed["merchant"])
        let facts = KeyFacts(
            id: SystemRandom().uuid(at: WallClock.now()),
            name: name,
            role: role?.rawValue,
            scopes: scopes.map(\.rawValue),
            networks: networks.map(\.description),
            expiresAt: try Self.days(parsed).map { WallClock.now().adding(.seconds($0 * 86_400)) },
            limit: try parsed["limit"].map(RateLimit.init(given:))
        )
        try await session.act(.createKey(facts, asks: false), on: merchant.number)
        let token = try await ApiKeys.keep(facts, merchant: merchant.number, session.registers, session.ring)
        guard let token else { throw CommandFailure("a random id was there before") }
        Self.tell(token, facts, merchant.name, parsed)
    }

    private func rotate(_ key: Registers.KeyRow, _ parsed: ScatteredArguments, _ session: OwnerSession) async throws {
        guard key.revokedAt == nil else { throw CommandFailure("the key \(key.id) is revoked") }
        let overlap = try parsed.integer("overlap", in: 0...Self.longestOverlap) ?? 86_400
        let endsAt = WallClock.now().adding(.seconds(Int64(overlap)))
        try await session.act(.rotateKey(key.id, endsAt: endsAt, asks: false), on: key.merchant)
        let token = try await ApiKeys.rotate(
            key.id,
            endsAt: endsAt,
            of: key.merchant,
            session.registers,
            session.ring
        )
        guard let token else { throw CommandFailure("the key \(key.id) is revoked") }
        Self.tell(token, ApiKey(key).facts, key.merchantName, parsed)
    }

    private func revoke(_ key: Registers.KeyRow, _ parsed: ScatteredArguments, _ session: OwnerSession) async throws {
        switch try await session.registers.revokeKey(key.id, of: key.merchant, isForced: parsed.has("force")) {
        case .revoked: break
        case .unknown: throw CommandFailure("there is no key '\(key.id)'")
        case .last:
            throw CommandFailure(
                "it is the last key that administers '\(key.merchantName)': make another one first, or say --force"
            )
        }
        try await session.act(.revokeKey(key.id, reason: parsed["reason"]), on: key.merchant)
        parsed.tell("the key \(key.id) is revoked", ["id": key.id.json, "revoked": true])
    }

    /// The token, once.
    private static func tell(_ token: Secret, _ facts: KeyFacts, _ merchant: String, _ parsed: ScatteredArguments) {
        let text = token.withBytes { String(decoding: $0, as: UTF8.self) }
        let line: Json = .compact([
            ("expiresAt", facts.expiresAt?.json), ("id", facts.id.json), ("key", .string(text)),
            ("limit", facts.limit?.json), ("merchant", .string(merchant)), ("name", .string(facts.name)),
            ("networks", .array(facts.networks.map(Json.string))), ("role", facts.role.map(Json.string)),
            ("scopes", .array(facts.scopes.map(Json.string))),
        ])
        parsed.tell(text, line)
        StandardStream.error.write("shown once; only a hash is kept\n")
    }

    private func list(
        _ merchant: (number: MerchantNumber, name: String),
        _ session: OwnerSession,
        _ parsed: ScatteredArguments
    ) async throws {
        var table = ColumnTable(["KEY", "NAME", "ROLE", "SCOPES", "NETWORKS", "LIMIT", "STATE", "LAST USED", "CREATED"])
        let now = WallClock.now()
        for row in try await session.registers.keys(of: merchant.number) {
            let key = ApiKey(row)
            if parsed.has("json") { StandardStream.output.write(key.shown(at: now).canonicalText + "\n") }
            table.add([
                "\(row.id)", row.name, row.role ?? "–", row.scopes.joined(separator: ","),
                row.networks.isEmpty ? "any" : row.networks.joined(separator: ","),
                row.limit.map { "\($0.requests)/\($0.seconds)" } ?? "–", Self.state(of: key, at: now),
                row.usedAt.map { Cell.time($0) } ?? "never", Cell.time(row.createdAt),
            ])
        }
        if !parsed.has("json") {
            StandardStream.output.write(table.text(orSay: "no keys; 'paystream keys create NAME' makes one"))
        }
    }

    private static func state(of key: ApiKey, at now: Timestamp) -> String {
        switch key.state(at: now) {
        case .revoked: "revoked \(key.revokedAt.map { Cell.time($0) } ?? "")"
        case .expired: "expired \(key.facts.expiresAt.map { Cell.time($0) } ?? "")"
        case .awaitsApproval: "awaits approval"
        case .usable: key.facts.expiresAt.map { "usable until \(Cell.time($0))" } ?? "usable"
        }
    }

    // MARK: What is said

    private static func key(_ text: String, _ session: OwnerSession) async throws -> Registers.KeyRow {
        let none = CommandFailure("there is no key '\(text)'; 'paystream keys list' shows them")
        guard let id = Uuid(text) else { throw none }
        let row = try await session.registers.key(id)
        guard let row else { throw none }
        return row
    }

    private static func days(_ parsed: ScatteredArguments) throws(UsageError) -> Int64? {
        try parsed.integer("days", in: 1...longestDays).map(Int64.init)
    }

    /// A century.
    private static let longestDays = 36_500
    private static let longestOverlap = 30 * 86_400

    private static func rights(_ parsed: ScatteredArguments) throws(UsageError) -> (Role?, [Scope]) {
        guard let word = parsed["role"] else { return (nil, try scopes(parsed["scopes"] ?? "commands,read")) }
        guard parsed["scopes"] == nil else { throw UsageError("a key has a role, or scopes that are named") }
        guard let role = Role(rawValue: word) else {
            let known = Role.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("there is no role '\(word)'; there are \(known)")
        }
        return (role, role.scopes)
    }

    private static func scopes(_ list: String) throws(UsageError) -> [Scope] {
        var scopes: [Scope] = []
        for word in list.split(separator: ",") {
            guard let scope = Scope(rawValue: String(word)) else { throw UsageError("there is no scope '\(word)'") }
            scopes.append(scope)
        }
        guard !scopes.isEmpty else { throw UsageError("a key needs a scope") }
        return scopes
    }

    private static func networks(_ list: String?) throws(UsageError) -> [SourceNetwork] {
        var networks: [SourceNetwork] = []
        for word in (list ?? "").split(separator: ",") {
            guard let network = SourceNetwork(given: String(word)) else {
                throw UsageError("'\(word)' is no network; one is written as in 10.0.0.0/8 or 2001:db8::/32")
            }
            networks.append(network)
        }
        return networks
    }
}

extension RateLimit {
    /// Reads the words of a command.
    init(given text: String) throws(UsageError) {
        guard let limit = RateLimit(text) else {
            throw UsageError(
                "'\(text)' is no limit; one is written as in 600/60: up to \(Self.mostRequests) requests in up to "
                    + "\(Self.mostSeconds) seconds"
            )
        }
        self = limit
    }
}
