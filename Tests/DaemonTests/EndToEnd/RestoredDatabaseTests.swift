import Daemon
import Glibc
import Http
import Kernel
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
        let dump: String
    }

    private func live(_ stage: Stage, _ daemon: DaemonProcess) async throws -> Lost {
        let held = try await stage.paid(daemon, "held", 7700, mode: "authorize")
        let sold = try await stage.paid(daemon, "sold", 7700)
        try await stage.addDolyame(daemon)
        let (order, form) = try await stage.dolyame(daemon, "order")
        try await stage.choose("approve", at: form)
        try await stage.wait(daemon, order, for: "authorized")
        try await stage.call(daemon, .post, "/v1/payments/\(order)/capture", [:], key: "order-capture")
        try await stage.wait(daemon, order, for: "captured")
        let dump = try await stage.dump()
        try await stage.call(daemon, .post, "/v1/payments/\(held)/capture", Self.part, key: "capture")
        try await stage.wait(daemon, held, for: "partiallyCaptured")
        try await stage.call(daemon, .post, "/v1/payments/\(sold)/refund", Self.part, key: "refund")
        try await stage.wait(daemon, sold, for: "partiallyRefunded")
        try await stage.call(daemon, .post, "/v1/payments/\(order)/refund", Self.ball, key: "order-refund")
        try await stage.wait(daemon, order, for: "partiallyRefunded")
        let late = try await stage.paid(daemon, "late", 7700)
        var names: [String] = []
        for id in [held, sold, late] { names.append(try await stage.providerName(daemon, id)) }
        return Lost(held: held, sold: sold, order: order, late: late, names: names, dump: dump)
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
            let lost = try await live(stage, daemon)
            let moved = try await books(stage, lost)
            try await stage.end(daemon, SIGKILL)
            try await stage.restore(lost.dump)
            try await stage.command(["recover", "--reason", "the disk was lost", "begin"])
            let next = try await stage.serve(onPortOf: daemon)
            try await tryAgain(stage, next, lost)
            try await stage.until("every payment was asked about") { () -> Stage.Look<Void> in
                let told = try await stage.command(["recover", "--json", "status"])
                return told.contains(#"{"unasked":0}"#) ? .done(()) : .notYet(told)
            }
            #expect(try await books(stage, lost) == moved)
            // A part that a keyless provider captured or refunded could be asked for once more: a person is asked first.
            let told = try await stage.command(["operations", "--operator", "list"])
            #expect(told.contains(lost.held) && told.contains(lost.order))
            #expect(!told.contains(lost.sold) && !told.contains(lost.late))
            try await stage.verifyReplay()
        }
    }

    /// A restored server writes on another timeline; here the row says that the log was elsewhere.
    @Test func `the log of another cluster begins an epoch by itself`() async throws {
        try await Stage.run("e2erestoreauto", settings: ["absenceSeconds": 2]) { stage, daemon in
            let lost = try await live(stage, daemon)
            let moved = try await books(stage, lost)
            try await stage.end(daemon, SIGKILL)
            try await stage.restore(lost.dump)
            try await stage.execute("UPDATE paystream.recovery_epoch SET cluster = '1/00000001'")
            let next = try await stage.serve(onPortOf: daemon)
            try await stage.until("an epoch began") { () -> Stage.Look<Void> in
                let epochs = try await stage.count("paystream.recovery_epoch WHERE number = 1 AND begun_by = 'daemon'")
                return epochs == 1 ? .done(()) : .notYet("none")
            }
            try await tryAgain(stage, next, lost)
            #expect(try await books(stage, lost) == moved)
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

    private func postgres(_ program: String, _ arguments: [String]) async throws {
        let output = "\(folder)/\(program).log"
        let child = try ChildProcess.start(
            "\(try PostgresPrograms.find().folder)/\(program)",
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
