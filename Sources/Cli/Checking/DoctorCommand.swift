import Api
import Daemon
import Engine
import EventSourcing
import Glibc
import Kernel
import Payments
import Postgres
import ProviderKit
import Store
import SystemKit

/// `paystream doctor`: whether this installation can run, and whether it may take real money.
struct DoctorCommand: Command {
    static let name = "doctor"
    static let summary =
        "Check database, schema, keys and clocks; with --go-live also that only live accounts are routed."
    static let usage = "[--go-live] [--merchant NAME] [--json]"
    static let options = [
        CommandOption("go-live", summary: "fail while a test or auto-cancel account is routed"),
        CommandOption("merchant", value: "NAME", summary: "whose accounts (default: every merchant's)"),
        PaymentsCommand.jsonOption,
    ]

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        try given.demand(words: 0)
        let configuration = try DaemonConfiguration.fromEnvironment()
        let findings = await Doctor(configuration).examine(goLive: given.has("go-live"), merchant: given["merchant"])
        let failures = findings.count { $0.verdict == .fail }
        guard !given.has("json") else {
            StandardStream.output.write(findings.map { $0.json.canonicalText + "\n" }.joined())
            return failures == 0 ? 0 : 1
        }
        for finding in findings { StandardStream.output.write(finding.line + "\n") }
        let warnings = findings.count { $0.verdict == .warn }
        StandardStream.output.write("checks: \(findings.count), warnings: \(warnings), failures: \(failures)\n")
        return failures == 0 ? 0 : 1
    }
}

extension Finding {
    var json: Json {
        ["detail": .string(detail), "verdict": .string(word), "what": .string(what)]
    }

    private var word: String {
        switch verdict {
        case .ok: "ok"
        case .warn: "warning"
        case .fail: "failure"
        }
    }

    /// As in `FAIL schema: at 3, this program needs 20`.
    var line: String { "\(verdict.rawValue) \(what): \(ColumnTable.plain(detail))" }
}

/// Looks at an installation and changes nothing.
struct Doctor: Sendable {
    private let configuration: DaemonConfiguration

    /// Clocks further apart than this are a failure: leases and signatures depend on them.
    private static let skew = Duration.seconds(2)
    private static let oldestServer: Int32 = 150_000

    init(_ configuration: DaemonConfiguration) { self.configuration = configuration }

    func examine(goLive: Bool, merchant: String?) async -> [Finding] {
        var findings = [masterKey()]
        let options = PostgresOptions(address: configuration.database, applicationName: "paystream-doctor")
        let connection: PostgresConnection
        do throws(PostgresFailure) { connection = try await PostgresConnection.connect(options) } catch {
            return findings + [Finding(.fail, "database", "not reachable: \(error.detail)")]
        }
        findings += await database(connection)
        await connection.close()
        let schema = await schema(options)
        findings.append(schema)
        guard schema.verdict == .ok else { return findings }
        let pool = PostgresPool(options, limit: 2)
        findings += await log(PostgresStore(pool), goLive: goLive, merchant: merchant)
        await pool.drain()
        return findings
    }

    // MARK: Keys

    private func masterKey() -> Finding {
        do throws(UsageError) {
            _ = try MasterKeyFile.read(configuration.masterKeyFile)
            var facts = stat()
            guard stat(configuration.masterKeyFile, &facts) == 0, facts.st_mode & 0o7777 == 0o600 else {
                return Finding(.fail, "master key", "the file's mode must be 0600")
            }
            return Finding(.ok, "master key", "readable, mode 0600")
        } catch {
            return Finding(.fail, "master key", error.description)
        }
    }

    // MARK: The server

    private func database(_ connection: PostgresConnection) async -> [Finding] {
        var findings: [Finding] = []
        let version = await connection.serverVersion
        findings.append(
            version >= Self.oldestServer
                ? Finding(.ok, "database", "PostgreSQL \(version / 10_000).\(version % 10_000)")
                : Finding(.fail, "database", "PostgreSQL \(version / 10_000) is too old, 15 is the oldest")
        )
        if await connection.isPooled {
            let cost = "statements are not prepared and take three round trips"
            findings.append(Finding(.ok, "pooler", "the address leads through one: \(cost)"))
        }
        findings.append(await setting("server_encoding", is: ["UTF8"], "texts must be UTF-8", connection))
        findings.append(await setting("fsync", is: ["on"], "a crash would lose commits", connection))
        findings.append(await setting("full_page_writes", is: ["on"], "a crash could tear pages", connection))
        findings.append(await setting("transaction_read_only", is: ["off"], "this is a standby", connection))
        findings.append(await clocks(connection))
        return findings
    }

    private func setting(_ name: String, is wanted: [String], _ why: String, _ connection: PostgresConnection) async
        -> Finding
    {
        do throws(PostgresFailure) {
            let values = try await connection.query("SELECT current_setting($1)", [.text(name)]) {
                row throws(PostgresFailure) in try row.text(0)
            }
            let value = values.first ?? ""
            return wanted.contains(value)
                ? Finding(.ok, name, value) : Finding(.fail, name, "\(value); \(why)")
        } catch {
            return Finding(.fail, name, error.detail)
        }
    }

    private func clocks(_ connection: PostgresConnection) async -> Finding {
        do throws(PostgresFailure) {
            let before = WallClock.now()
            let times = try await connection.query("SELECT clock_timestamp()") { row throws(PostgresFailure) in
                try row.timestamp(0)
            }
            let after = WallClock.now()
            guard let time = times.first else { return Finding(.fail, "clocks", "the database tells no time") }
            // Half of the round trip is nobody's fault.
            let early = before.since(time)
            let late = time.since(after)
            let apart = max(early, late, .zero)
            let text = "\(apart.wholeMilliseconds) ms between this machine and the database"
            return Finding(apart <= Self.skew ? .ok : .fail, "clocks", text)
        } catch {
            return Finding(.fail, "clocks", error.detail)
        }
    }

    private func schema(_ options: PostgresOptions) async -> Finding {
        do {
            let version = try await Migrator(options).currentVersion()
            if version == Migrator.latest { return Finding(.ok, "schema", "at \(version)") }
            return Finding(
                .fail,
                "schema",
                version < Migrator.latest
                    ? "at \(version), this program needs \(Migrator.latest): run 'paystream migrate'"
                    : "at \(version), newer than this program's \(Migrator.latest)"
            )
        } catch {
            return Finding(.fail, "schema", "can't be read: \(FailureText.of(error))")
        }
    }

    // MARK: The log and the accounts

    private func log(_ store: PostgresStore, goLive: Bool, merchant: String?) async -> [Finding] {
        let registers = Registers(store)
        do {
            let all = try await registers.merchants()
            let merchants = all.filter { merchant == nil || $0.name == merchant }
            if let merchant, merchants.isEmpty {
                return [Finding(.fail, "accounts", "there is no merchant '\(merchant)'")]
            }
            let rows = InstallationRows(store)
            var findings = [
                try await quarantine(registers), try await login(rows), try await locks(rows), await sealing(rows),
            ].compactMap(\.self)
            for view in ReadModels(store, streamCache: StreamCache(store: store)).all {
                findings.append(FollowerWatch.finding(view.follower.name, try await view.follower.standing()))
            }
            for (number, name) in merchants {
                findings += try await Self.administrators(number, name, registers).map { [$0] } ?? []
                findings += try await accounts(number, name, store, registers, goLive: goLive)
            }
            if merchants.isEmpty {
                findings.append(Finding(goLive ? .fail : .ok, "accounts", "there is no merchant yet"))
            }
            return findings
        } catch {
            return [Finding(.fail, "accounts", FailureText.of(error))]
        }
    }

    /// So long before it ends somebody should make another one.
    private static let keyNotice = Duration.seconds(14 * 86_400)

    /// When the last key ends that administers a merchant over HTTP; `nil` where there was none.
    private static func administrators(_ merchant: MerchantNumber, _ name: String, _ registers: Registers) async throws
        -> Finding?
    {
        let keys = try await registers.keys(of: merchant).map { ApiKey($0) }.filter { key in
            key.revokedAt == nil && !key.awaitsApproval && Scope.held(by: key.facts.scopes).contains(.admin)
        }
        guard !keys.isEmpty else { return nil }
        let (now, what) = (WallClock.now(), "keys of \(name)")
        let ends = keys.compactMap(\.facts.expiresAt)
        guard ends.count == keys.count, let last = ends.max() else {
            return Finding(.ok, what, "a key that administers has no end")
        }
        let remedy = "'paystream keys --merchant \(name) --role admin create NAME' makes another one"
        if last <= now {
            return Finding(.warn, what, "the last one that administers expired \(last.wholeSeconds): \(remedy)")
        }
        guard last.since(now) > keyNotice else {
            return Finding(.warn, what, "the last one that administers expires \(last.wholeSeconds): \(remedy)")
        }
        return Finding(.ok, what, "one that administers goes on until \(last.wholeSeconds)")
    }

    /// The daemon works as a member of `paystream_app`, which can't rewrite what was written.
    private func login(_ rows: InstallationRows) async throws -> Finding {
        let (name, ownsLog) = try await rows.login()
        return ownsLog
            ? Finding(
                .warn,
                "login",
                "'\(name)' could rewrite the log: migrate as its owner, and run the daemon as a member of paystream_app"
            )
            : Finding(.ok, "login", "'\(name)' adds to the log and can't rewrite it")
    }

    /// The order of the log stands on advisory locks; a login that may take them can stop every merchant.
    private func locks(_ rows: InstallationRows) async throws -> Finding {
        try await rows.locksAreOpen()
            ? Finding(.warn, "locks", "any login can stop the log: run 'paystream migrate' once as a superuser")
            : Finding(.ok, "locks", "the log's advisory locks are the daemon's alone")
    }

    /// Whether the master key is one of those that sealed here; `nil` where it can't be read.
    private func sealing(_ rows: InstallationRows) async -> Finding? {
        guard let ring = try? MasterKeyFile.read(configuration.masterKeyFile) else { return nil }
        do {
            try await MasterKeyProof(ring: ring, file: configuration.masterKeyFile).check(rows)
            return Finding(.ok, "sealing", "the master key is this database's")
        } catch {
            return Finding(.fail, "sealing", FailureText.of(error))
        }
    }

    private func quarantine(_ registers: Registers) async throws -> Finding {
        let count = try await registers.quarantinedInputs()
        return count == 0
            ? Finding(.ok, "inputs", "none in quarantine")
            : Finding(.warn, "inputs", "\(count) in quarantine: they could not be decided and need a person")
    }

    private func accounts(
        _ merchant: MerchantNumber,
        _ name: String,
        _ store: PostgresStore,
        _ registers: Registers,
        goLive: Bool
    ) async throws -> [Finding] {
        let reader = Reader.detached(store, registers)
        let accounts = try await reader.accounts(merchant: merchant)
        let routing = try await reader.routing(merchant: merchant)
        let routed = routing.routedAccounts.compactMap { id in accounts.first { $0.id == id } }.filter(\.isOpen)
        let certificates =
            await certificates(of: accounts, merchant, registers) + accounts.flatMap { addresses(of: $0, name) }
        guard !routed.isEmpty else {
            return certificates + [
                Finding(goLive ? .fail : .warn, "routing of \(name)", "no open account is routed: no payment is taken")
            ]
        }
        return certificates
            + routed.compactMap { account in
                guard let facts = account.facts else { return nil }
                let what = "account \(facts.name) of \(name)"
                switch facts.mode {
                case .live: return Finding(.ok, what, "live at \(facts.provider), routed")
                case .test, .liveAutoCancel:
                    return Finding(
                        goLive ? .fail : .ok,
                        what,
                        "\(facts.mode.rawValue) at \(facts.provider), routed"
                            + (goLive ? ": take it out of the routing before going live" : "")
                    )
                }
            }
    }

    /// Where an account's messages go: what is private, odd or malformed takes no real money.
    private func addresses(of account: Account, _ merchant: String) -> [Finding] {
        guard account.isOpen, let facts = account.facts, let settings = account.configuration?.settings else {
            return []
        }
        return AccountAddressFault.all(in: settings, isLive: facts.mode != .test).map { fault in
            Finding(.fail, "account \(facts.name) of \(merchant)", "\(fault.path) \(fault.reason)")
        }
    }

    /// The certificates that the accounts show to their providers, opened with the master key.
    private func certificates(of accounts: [Account], _ merchant: MerchantNumber, _ registers: Registers) async
        -> [Finding]
    {
        guard let ring = try? MasterKeyFile.read(configuration.masterKeyFile) else { return [] }
        let rows = SubjectRows(registers: registers, ring: ring)
        let vault = KeyVault(ring: ring, rows: rows, random: SystemRandom(), clock: { WallClock.now() })
        let watch = CertificateWatch(vault: vault, adapters: Node.adapters)
        return await watch.certificates(of: accounts, merchant).map {
            CertificateWatch.finding($0, at: WallClock.now())
        }
    }
}
