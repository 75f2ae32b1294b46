import Cluster
import Drill
import Glibc
import Http
import Kernel
import Postgres
import SystemKit
import Testing

/// One-shot values are looked for wherever PostgreSQL or the kernel could have put them.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct SecretSearchTests {
    private static let token = "wallet-3ds-Q7f3kPz81xTn5Lw2"
    private static let password = "bill-Hn4w8sYt0bRc6Vq9"
    /// Stands in a payment's description: the search must find it, or it finds nothing at all.
    private static let marker = "marker-Zk2m7Dq5Xv9Jf3Ub"

    @Test func `no one-shot value is in any file of PostgreSQL, its log or its activity`() async throws {
        let cluster = try EmbeddedCluster(checkout: ".", name: "search-\(getpid())")
        try await OwnThread.run { () throws(ClusterFailure) in try cluster.start() }
        let outcome: Result<Void, any Error>
        do {
            try await Stage.run("search", server: cluster.url()) { stage, first in
                try await talkative(stage)
                let seen = Locked<Set<String>>([])
                let watch = Task { await Self.watch(stage, seen) }
                let secrets = try await play(stage, first)
                watch.cancel()
                await watch.value
                try await search(stage, cluster, secrets, seen.withLock { $0 })
            }
            outcome = .success(())
        } catch { outcome = .failure(error) }
        try await OwnThread.run { () throws(ClusterFailure) in try cluster.remove() }
        try outcome.get()
    }

    /// Makes the server log every statement with every parameter.
    private func talkative(_ stage: Stage) async throws {
        for setting in [
            "log_statement = 'all'", "log_min_duration_statement = 0", "log_parameter_max_length = -1",
            "log_parameter_max_length_on_error = -1", "log_min_messages = 'debug1'",
            "track_activity_query_size = 65536",
        ] {
            try await stage.execute("ALTER SYSTEM SET \(setting)")
        }
        try await stage.execute("SELECT pg_reload_conf()")
    }

    /// Collects what the server shows of running statements until it is cancelled.
    private static func watch(_ stage: Stage, _ seen: Locked<Set<String>>) async {
        while !Task.isCancelled {
            let queries = try? await stage.withDatabase { connection in
                try await connection.query("SELECT coalesce(query, '') FROM pg_stat_activity") {
                    row throws(PostgresFailure) in try row.text(0)
                }
            }
            seen.withLock { $0.formUnion(queries ?? []) }
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Uses each kind of one-shot value, one of them in a daemon that is killed with the value on the wire.
    private func play(_ stage: Stage, _ first: DaemonProcess) async throws -> [String] {
        let wallet: Json = ["walletMode": "relay", "applePayMerchantId": "merchant.example"]
        try await stage.addPortmone(first, wallet)
        let worldline = try await stage.addWorldline(first)
        let input = try await stage.appInput(first, worldline, card: "frictionless")
        let sale = try await stage.appPayment(first, "app", 1200, input)
        try await stage.wait(first, sale, for: "captured")

        let credentials: Json = [
            "account": "portmone-uah", "customer": "cust-1", "login": "Login", "password": .string(Self.password),
        ]
        _ = try await stage.exchange(first, .post, "/v1/bill-credentials", credentials, key: "credentials")

        try await stage.end(first, SIGTERM)
        let crash = ["PAYSTREAM_CRASH": "\(CrashPoint.requestAnswered.rawValue):1"]
        let victim = try await stage.serve(onPortOf: first, more: crash)
        let body = stage.portmoneBody(
            Self.marker,
            4500,
            method: "wallet",
            details: ["wallet": ["kind": "applePay", "token": .string(Self.token)]]
        )
        let made = try? await stage.call(victim, .post, "/v1/payments", body, key: "search-create")
        try await stage.waitForDeath(of: victim)
        try await stage.passLeases()
        let last = try await stage.serve(onPortOf: first)
        // The list follows the log, and the daemon may have died before it answered.
        let wallets = try await stage.until("the wallet's payment is listed") { () -> Stage.Look<String> in
            if let id = made?["id"]?.text { return .done(id) }
            let listed = try await stage.call(last, .get, "/v1/payments")["items"]?.items ?? []
            let id = listed.first { $0["reference"]?.text == Self.marker }?["id"]?.text
            return id.map { .done($0) } ?? .notYet("\(listed.count) others")
        }
        try await stage.until("the wallet's payment goes on") { () -> Stage.Look<Void> in
            let status = try await stage.payment(last, wallets)["status"]?.text ?? ""
            return ["requiresAction", "failed", "captured", "indeterminate"].contains(status)
                ? .done(()) : .notYet(status)
        }
        let bank = try await stage.portmone(
            last,
            "bank",
            4500,
            method: "wallet",
            details: ["wallet": ["kind": "applePay", "token": .string(Self.token)]]
        )
        let answer = try await stage.passBank(last, bank, "pass")
        try await stage.wait(last, bank, for: "captured")
        let blob = try #require(input["encryptedCustomerInput"]?.text)
        return [Self.token, Self.password, answer, String(blob.suffix(48))]
    }

    private func search(
        _ stage: Stage,
        _ cluster: EmbeddedCluster,
        _ secrets: [String],
        _ activity: Set<String>
    ) async throws {
        for statement in ["CHECKPOINT", "SELECT pg_switch_wal()"] { try await stage.execute(statement) }
        let files = try await Self.files(holding: [Self.marker], below: cluster.directory.path, stage)
        for place in ["/base/", "/pg_wal/", "/postgres.log"] {
            #expect(files.contains { $0.contains(place) }, "the search finds what is in \(place)")
        }
        #expect(activity.contains { $0.contains("paystream.") }, "the activity was seen")
        for secret in secrets {
            let bytes = Array(secret.utf8)
            let spellings = [secret, Hex.encode(bytes)] + Self.innerBase64(bytes)
            let found = try await Self.files(holding: spellings, below: cluster.directory.path, stage)
            #expect(found.isEmpty, "\(secret) is in \(found)")
            let logs = try await Self.files(holding: spellings, below: stage.folder, stage)
            #expect(logs.isEmpty, "\(secret) is in \(logs)")
            #expect(!activity.contains { query in spellings.contains { query.contains($0) } }, "\(secret)")
        }
    }

    /// What stands in the middle of any base64 text of more than these bytes, wherever they begin in it.
    private static func innerBase64(_ bytes: [UInt8]) -> [String] {
        (0..<3).map { skipped in
            let rest = bytes.dropFirst(skipped)
            return Base64.encode(Array(rest.prefix(rest.count / 3 * 3)))
        }
    }

    /// The files that hold one of the words, binary ones too.
    private static func files(holding words: [String], below folder: String, _ stage: Stage) async throws -> [String] {
        let output = "/tmp/paystream-search-\(getpid())"
        let arguments = ["-rlaF"] + words.flatMap { ["-e", $0] } + [folder]
        unlink(output)
        let child = try ChildProcess.start(
            "grep",
            arguments,
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C"],
            outputFile: output
        )
        let ending = await OwnThread.run { child.wait() }
        let text = FileTree.text(output) ?? ""
        unlink(output)
        // 1: nothing found; 2: a file went away while it was read.
        guard ending != .exited(127) else { throw Stage.Failure(description: "grep: \(ending) \(text)") }
        return text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("grep:") }
    }

    // MARK: Cores

    @Test func `a daemon's limit for core files is zero, and stays so`() async throws {
        try await Stage.run("core") { stage, daemon in
            let limits = FileTree.text("/proc/\(daemon.child.id)/limits") ?? ""
            let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") } ?? ""
            #expect(core.split(separator: " ").filter { $0 == "0" }.count == 2, "\(core)")
        }
    }
}
