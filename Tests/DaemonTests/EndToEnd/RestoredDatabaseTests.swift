import Cluster
import Glibc
import Http
import Kernel
import SystemKit
import TestKit
import Testing

/// A real database that is restored to before the last payments, while the providers' books go on.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct RestoredDatabaseTests {
    private static let part: Json = ["amount": Stage.euros(3000)]
    private static let ball: Json = [
        "amount": ["currency": "RUB", "value": 60_000],
        "details": ["items": [["name": "Ball", "price": "600.00", "quantity": 1, "sku": "BL-4"]]],
    ]

    /// Payments from before the dump and behind it, and what was asked for behind it.
    private struct Lost {
        let held: String
        let sold: String
        let order: String
        let late: String
        let names: [String]
    }

    /// Lets payments begin, calls `save`, and goes on with what the restore will lose.
    private func live(_ stage: Stage, _ daemon: DaemonProcess, save: () async throws -> Void) async throws -> Lost {
        let held = try await stage.paid(daemon, "held", 7700, mode: "authorize")
        let sold = try await stage.paid(daemon, "sold", 7700)
        try await stage.addDolyame(daemon)
        let (order, form) = try await stage.dolyame(daemon, "order")
        try await stage.choose("approve", at: form)
        try await stage.wait(daemon, order, for: "authorized")
        try await stage.call(daemon, .post, "/v1/payments/\(order)/capture", [:], key: "order-capture")
        try await stage.wait(daemon, order, for: "captured")
        try await save()
        try await stage.call(daemon, .post, "/v1/payments/\(held)/capture", Self.part, key: "capture")
        try await stage.wait(daemon, held, for: "partiallyCaptured")
        try await stage.call(daemon, .post, "/v1/payments/\(sold)/refund", Self.part, key: "refund")
        try await stage.wait(daemon, sold, for: "partiallyRefunded")
        try await stage.call(daemon, .post, "/v1/payments/\(order)/refund", Self.ball, key: "order-refund")
        try await stage.wait(daemon, order, for: "partiallyRefunded")
        let late = try await stage.paid(daemon, "late", 7700)
        var names: [String] = []
        for id in [held, sold, late] { names.append(try await stage.providerName(daemon, id)) }
        return Lost(held: held, sold: sold, order: order, late: late, names: names)
    }

    /// Every entry of both providers' books.
    private func books(_ stage: Stage, _ lost: Lost) async throws -> [[String]] {
        var all: [[String]] = []
        for name in lost.names { all.append(try await stage.ledger(name)) }
        let orders = try await stage.control("/dolyame/control/ledger")["entries"]?.items ?? []
        return all + [orders.map { "\($0["kind"]?.text ?? "?") \($0["amount"]?.integer ?? 0)" }]
    }

    /// Clients try their keys again, the creation that the log does not know among them.
    private func tryAgain(_ stage: Stage, _ daemon: DaemonProcess, _ lost: Lost) async throws {
        let body = Stage.newPayment("late", 7700)
        let again = try await stage.call(daemon, .post, "/v1/payments", body, key: "late-create")
        #expect(again["id"]?.text == lost.late)
        for (id, verb, key, body) in [
            (lost.held, "capture", "capture", Self.part), (lost.sold, "refund", "refund", Self.part),
            (lost.order, "refund", "order-refund", Self.ball),
        ] {
            _ = try await stage.exchange(daemon, .post, "/v1/payments/\(id)/\(verb)", body, key: key)
        }
        try await stage.wait(daemon, lost.late, for: "captured")
        try await stage.wait(daemon, lost.sold, for: "partiallyRefunded")
        try await stage.wait(daemon, lost.held, for: "partiallyCaptured")
        try await stage.wait(daemon, lost.order, for: "partiallyRefunded")
        for id in [lost.held, lost.sold, lost.order] {
            try await stage.until("\(id) has nothing open") { () -> Stage.Look<Void> in
                let payment = try await stage.payment(daemon, id)
                let open = (payment["operations"]?.items ?? []).filter {
                    !["succeeded", "failed", "notExecuted"].contains($0["state"]?.text ?? "")
                }
                return open.isEmpty ? .done(()) : .notYet(payment.canonicalText)
            }
        }
    }

    @Test func `after a restore no charge is made twice or lost, and clients' keys are good again`() async throws {
        try await Stage.run("e2erestore", settings: ["absenceSeconds": 2]) { stage, daemon in
            var dump = ""
            let lost = try await live(stage, daemon) { dump = try await stage.dump() }
            let moved = try await books(stage, lost)
            try await stage.end(daemon, SIGKILL)
            try await stage.restore(dump)
            try await stage.command(["recover", "--reason", "the disk was lost", "begin"])
            _ = try await stage.newKey("behind the restore")
            let next = try await stage.serve(onPortOf: daemon)
            try await tryAgain(stage, next, lost)
            try await stage.until("every payment was asked about") { () -> Stage.Look<Void> in
                let told = try await stage.command(["recover", "--json", "status"])
                return told.contains(#"{"unasked":0}"#) ? .done(()) : .notYet(told)
            }
            let after = try await books(stage, lost)
            #expect(after == moved)
            // A part that a keyless provider captured or refunded could be asked for once more: a person is asked first.
            let told = try await stage.command(["operations", "--operator", "list"])
            #expect(told.contains(lost.held) && told.contains(lost.order))
            #expect(!told.contains(lost.sold) && !told.contains(lost.late))
            try await stage.verifyReplay()
        }
    }

    /// What a daemon holds in memory of what the restore lost is neither shown nor trusted.
    @Test func `a daemon that lives through a restore tells, finds and decides by what is there`() async throws {
        try await Stage.run("e2erestorelive", settings: ["absenceSeconds": 2]) { stage, daemon in
            let held = try await stage.paid(daemon, "held", 7700, mode: "authorize")
            let dump = try await stage.dump()
            try await stage.call(daemon, .post, "/v1/payments/\(held)/capture", Self.part, key: "capture")
            try await stage.wait(daemon, held, for: "partiallyCaptured")
            let payer: Json = ["payer": ["email": "late@example.org"]]
            let body = Stage.newPayment("late", 500, more: [("details", payer)])
            let late = try await stage.call(daemon, .post, "/v1/payments", body, key: "late")["id"]
            let found = "/v1/payments?email=late%40example.org"
            try await stage.until("the late one is found") { () -> Stage.Look<Void> in
                let page = try await stage.call(daemon, .get, found)
                return page["items"]?.items?.first?["id"] == late ? .done(()) : .notYet(page.canonicalText)
            }
            try await stage.restore(dump)
            try await stage.command(["recover", "--reason", "the disk was lost", "begin"])
            try await stage.until("the daemon has the restored database") { () -> Stage.Look<Void> in
                let answer = try await stage.exchange(daemon, .get, "/v1/payments/\(held)")
                let status = (try? Json(answer.body))?["status"]?.text ?? "\(answer.status)"
                return status == "authorized" ? .done(()) : .notYet(status)
            }
            #expect(try await stage.exchange(daemon, .get, "/v1/payments/\(late?.text ?? "")").status == 404)
            let again = try await stage.call(daemon, .post, "/v1/payments", body, key: "late")["id"]
            #expect(again == late)
            try await stage.until("the late one is found again") { () -> Stage.Look<Void> in
                let page = try await stage.call(daemon, .get, found)
                return page["items"]?.items?.first?["id"] == late ? .done(()) : .notYet(page.canonicalText)
            }
            _ = try await stage.exchange(daemon, .post, "/v1/payments/\(held)/capture", Self.part, key: "capture")
            try await stage.wait(daemon, held, for: "partiallyCaptured")
            try await stage.verifyReplay()
        }
    }

    /// The server goes back to a point in time, as after the loss of its disk: the log is on another timeline then.
    @Test func `after a recovery to a point in time the first daemon begins an epoch by itself`() async throws {
        try await EmbeddedCluster.own("restored-\(getpid())") { cluster in
            let settings: Json = ["absenceSeconds": 2]
            try await Stage.run("e2erestorepoint", settings: settings, server: cluster.url()) { stage, daemon in
                let backup = try await stage.baseBackup()
                let lost = try await live(stage, daemon) {
                    try await stage.execute("SELECT pg_create_restore_point('\(Stage.restorePoint)')")
                }
                let moved = try await books(stage, lost)
                try await stage.end(daemon, SIGKILL)
                try await OwnThread.run { () throws(ClusterFailure) in try cluster.stop() }
                try await stage.putBack(backup)
                try await OwnThread.run { () throws(ClusterFailure) in try cluster.start() }
                try await stage.until("the server is writable") { () -> Stage.Look<Void> in
                    let still = try await stage.count("(SELECT WHERE pg_is_in_recovery()) AS recovering")
                    return still == 0 ? .done(()) : .notYet("recovering")
                }
                let late = "id = '\(lost.late.dropFirst(4))'"
                #expect(try await stage.count("paystream.stream WHERE \(late)") == 0, "the newest part is lost")
                let next = try await stage.serve(onPortOf: daemon)
                try await stage.until("an epoch began") { () -> Stage.Look<Void> in
                    let row = "paystream.recovery_epoch WHERE number = 1 AND begun_by = 'daemon'"
                    return try await stage.count(row) == 1 ? .done(()) : .notYet("none")
                }
                try await tryAgain(stage, next, lost)
                let after = try await books(stage, lost)
                #expect(after == moved)
                try await stage.verifyReplay()
            }
        }
    }
}

extension Stage {
    /// Dumps the database as it stands, with PostgreSQL's own program, while daemons work.
    func dump() async throws -> String {
        let file = folder + "/backup.dump"
        try await postgres("pg_dump", ["--format=custom", "--file=\(file)", address])
        return file
    }

    /// Replaces the database by a dump; nobody may work on it.
    func restore(_ file: String) async throws {
        try await database.replace()
        try await postgres("pg_restore", ["--exit-on-error", "--dbname=\(address)", file])
    }

    static let restorePoint = "before_the_loss"

    /// A copy of the server's files, to be recovered with what it writes from now on.
    struct BaseBackup {
        let folder: String
        /// Where the server has its data.
        let data: String
    }

    func baseBackup() async throws -> BaseBackup {
        // What was written since the backup must still be there at its end.
        try await execute("ALTER SYSTEM SET wal_keep_size = '1GB'")
        try await execute("SELECT pg_reload_conf()")
        let data = try await text("SHOW data_directory")
        let copy = BaseBackup(folder: folder + "/base", data: data)
        try await postgres(
            "pg_basebackup",
            [
                "--checkpoint=fast", "--wal-method=none", "--pgdata=\(copy.folder)",
                "--dbname=\(address)",
            ]
        )
        return copy
    }

    /// Puts the backup in the place of a stopped server's data, to be recovered up to the restore point.
    func putBack(_ backup: BaseBackup) async throws {
        let lost = backup.data + ".lost"
        try await run("mv", [backup.data, lost])
        try await run("mv", [backup.folder, backup.data])
        let settings = """
            restore_command = 'cp \(lost)/pg_wal/%f %p'
            recovery_target_name = '\(Self.restorePoint)'
            recovery_target_action = 'promote'

            """
        let file = Glibc.open(backup.data + "/postgresql.conf", O_WRONLY | O_APPEND | O_CLOEXEC)
        defer { close(file) }
        let bytes = Array(settings.utf8)
        guard write(file, bytes, bytes.count) == bytes.count else {
            throw Failure(description: "can't write \(backup.data)/postgresql.conf")
        }
        close(creat(backup.data + "/recovery.signal", 0o600))
        try await run("chown", ["--recursive", "--reference=\(lost)", backup.data])
    }

    private func postgres(_ program: String, _ arguments: [String]) async throws {
        try await run("\(try PostgresPrograms.find().folder)/\(program)", arguments)
    }

    private func run(_ program: String, _ arguments: [String]) async throws {
        let output = "\(folder)/\(program.split(separator: "/").last ?? "").log"
        let child = try ChildProcess.start(
            program,
            arguments,
            environment: ["PATH": "/usr/bin:/bin"],
            outputFile: output
        )
        let ending = await OwnThread.run { child.wait() }
        guard ending == .exited(0) else {
            throw Failure(description: "\(program): \(ending) \(DaemonProcess.text(of: output))")
        }
    }
}
