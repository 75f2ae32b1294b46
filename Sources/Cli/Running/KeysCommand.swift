import Api
import Crypto
import Daemon
import EventSourcing
import Kernel
import Postgres
import Store
import SystemKit

/// `paystream keys`: the master keys and API keys.
struct KeysCommand: Command {
    static let name = "keys"
    static let summary = "Make and rotate the master key; make, list and revoke API keys."
    static let usage =
        "[--merchant NAME] [--scopes LIST] [--days N] [--append] [--json] "
        + "master FILE|rotate|create NAME|list|revoke ID"
    static let options = [
        CommandOption("merchant", value: "NAME", summary: "whose keys (default: demo)"),
        CommandOption("scopes", value: "LIST", summary: "commands,read,audit,admin (default: commands,read)"),
        CommandOption("days", value: "N", summary: "days until it expires (default: never)"),
        CommandOption("append", summary: "with rotate: add a new master key to the file first, and stop there"),
        PaymentsCommand.jsonOption,
    ]

    private static let verbs = "say what to do: master FILE, rotate, create NAME, list or revoke ID"

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
        let configuration = try DaemonConfiguration.fromEnvironment()
        guard verb == "rotate" || !parsed.has("append") else { throw UsageError("--append goes with rotate") }
        let ring = try MasterKeyFile.read(configuration.masterKeyFile)
        let pool = PostgresPool(PostgresOptions(address: configuration.database), limit: 2)
        let registers = Registers(PostgresStore(pool))
        let proof = MasterKeyProof(ring: ring, file: configuration.masterKeyFile)
        do {
            // A key that is made under a foreign master key is nobody's.
            if verb == "create" { try await proof.hold(InstallationRows(PostgresStore(pool))) }
            let code =
                if verb == "rotate", words.isEmpty {
                    try await MasterKeyRotation(proof: proof, store: PostgresStore(pool)).run(parsed)
                } else {
                    try await perform(verb, words, parsed, registers, ring)
                }
            await pool.drain()
            return code
        } catch {
            await pool.drain()
            throw error
        }
    }

    private func perform(
        _ verb: String,
        _ words: [String],
        _ parsed: ScatteredArguments,
        _ registers: Registers,
        _ ring: KeyRing
    ) async throws -> Int32 {
        let merchant = parsed["merchant"] ?? "demo"
        switch (verb, words.count) {
        case ("create", 1): try await create(words[0], merchant, parsed, registers, ring)
        case ("list", 0): try await list(merchant, registers, isJson: parsed.has("json"))
        case ("revoke", 1):
            guard let id = Uuid(words[0]), try await registers.revokeKey(id) else {
                StandardStream.error.write("there is no key '\(words[0])'; 'paystream keys list' shows them\n")
                return 1
            }
            parsed.tell("the key \(id) is revoked", ["id": id.json, "revoked": true])
        default: throw UsageError(Self.verbs)
        }
        return 0
    }

    private func create(
        _ name: String,
        _ merchantName: String,
        _ parsed: ScatteredArguments,
        _ registers: Registers,
        _ ring: KeyRing
    ) async throws {
        let scopes = try Self.scopes(parsed["scopes"] ?? "commands,read")
        let merchant = try await registers.merchant(named: merchantName)
        let expiry = try Self.days(parsed).map { WallClock.now().adding(.seconds($0 * 86_400)) }
        let (id, token) = try await ApiKeys.create(
            name,
            merchant: merchant,
            scopes: scopes,
            expiresAt: expiry,
            registers,
            ring
        )
        let text = token.withBytes { String(decoding: $0, as: UTF8.self) }
        let line: Json = .compact([
            ("expiresAt", expiry?.json), ("id", id.json), ("key", .string(text)), ("merchant", .string(merchantName)),
            ("name", .string(name)), ("scopes", .array(scopes.map { .string($0.rawValue) })),
        ])
        parsed.tell(text, line)
        StandardStream.error.write("shown once; only a hash is kept\n")
    }

    private func list(_ merchantName: String, _ registers: Registers, isJson: Bool) async throws {
        guard let merchant = try await registers.knownMerchant(named: merchantName) else {
            throw UsageError("there is no merchant '\(merchantName)'; name one with --merchant")
        }
        var table = ColumnTable(["KEY", "NAME", "SCOPES", "STATE", "CREATED"])
        for key in try await registers.keys(of: merchant) {
            let line: Json = .compact([
                ("createdAt", key.createdAt.json), ("expiresAt", key.expiresAt?.json), ("id", key.id.json),
                ("name", .string(key.name)), ("revokedAt", key.revokedAt?.json),
                ("scopes", .array(key.scopes.map(Json.string))),
            ])
            if isJson { StandardStream.output.write(line.canonicalText + "\n") }
            table.add([
                "\(key.id)", key.name, key.scopes.joined(separator: ","), Self.state(of: key, at: WallClock.now()),
                Cell.time(key.createdAt),
            ])
        }
        if !isJson {
            StandardStream.output.write(table.text(orSay: "no keys; 'paystream keys create NAME' makes one"))
        }
    }

    private static func days(_ parsed: ScatteredArguments) throws(UsageError) -> Int64? {
        try parsed.integer("days", in: 1...longestDays).map(Int64.init)
    }

    /// A century.
    private static let longestDays = 36_500

    private static func state(of key: Registers.KeyRow, at now: Timestamp) -> String {
        if let revoked = key.revokedAt { return "revoked \(Cell.time(revoked))" }
        guard let end = key.expiresAt else { return "usable" }
        return "\(end > now ? "usable until" : "expired") \(Cell.time(end))"
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
}
