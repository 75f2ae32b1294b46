import Daemon
import Glibc
import Http
import Kernel
import TestKit
import Testing

/// A real database that is restored to before the last payments, while the provider's books go on.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct RestoredDatabaseTests {
    private static let part: Json = ["amount": Stage.euros(3000)]

    /// Two payments from before the dump, and what was done after it.
    private struct Lost {
        let held: String
        let sold: String
        let late: String
        let names: [String]
    }

    private func live(_ stage: Stage, _ daemon: DaemonProcess) async throws -> (Lost, dump: String) {
        let held = try await stage.paid(daemon, "held", 7770, mode: "authorize")
        let sold = try await stage.paid(daemon, "sold", 5000)
        let dump = try await stage.dump()
        try await stage.call(daemon, .post, "/v1/payments/\(held)/capture", Self.part, key: "capture")
        try await stage.wait(daemon, held, for: "captured")
        try await stage.call(daemon, .post, "/v1/payments/\(sold)/refund", Self.part, key: "refund")
        try await stage.wait(daemon, sold, for: "partially_refunded")
        let late = try await stage.paid(daemon, "late", 4000)
        var names: [String] = []
        for id in [held, sold, late] { names.append(try await stage.providerName(daemon, id)) }
        return (Lost(held: held, sold: sold, late: late, names: names), dump)
    }

    private func ledgers(_ stage: Stage, _ lost: Lost) async throws -> [[String]] {
        var all: [[String]] = []
        for name in lost.names { all.append(try await stage.ledger(name)) }
        return all
    }

    @Test func `after a restore no charge is made twice or lost, and clients' keys are good again`() async throws {
        try await Stage.run("e2erestore", settings: ["absenceSeconds": 2]) { stage, daemon in
            let (lost, dump) = try await live(stage, daemon)
            let moved = try await ledgers(stage, lost)
            #expect(moved.flatMap { $0 }.count == 5)
            try await stage.end(daemon, SIGKILL)
            try await stage.restore(dump)
            try await stage.command(["recover", "--reason", "the disk was lost", "begin"])
            let next = try await stage.serve(onPortOf: daemon)
            // Clients try their keys again, the creation that the log does not know among them.
            let again = try await stage.call(
                next,
                .post,
                "/v1/payments",
                Stage.newPayment("late", 4000),
                key: "late-create"
            )
            #expect(again["id"]?.text == lost.late)
            for (id, verb) in [(lost.held, "capture"), (lost.sold, "refund")] {
                _ = try await stage.exchange(next, .post, "/v1/payments/\(id)/\(verb)", Self.part, key: verb)
            }
            try await stage.wait(next, lost.late, for: "captured")
            try await stage.wait(next, lost.sold, for: "partially_refunded")
            let held = try await stage.wait(next, lost.held, for: "captured")
            #expect(held.at("amounts", "captured", "value")?.integer == 3000)
            try await stage.until("every payment was asked about") { () -> Stage.Look<Void> in
                let told = try await stage.command(["recover", "--json", "status"])
                return told.contains(#"{"unasked":0}"#) ? .done(()) : .notYet(told)
            }
            #expect(try await ledgers(stage, lost) == moved)
            // The part of a hold that was captured could be captured once more: a person is asked first.
            let told = try await stage.command(["operations", "--operator", "list"])
            #expect(told.contains(lost.held))
            try await stage.verifyReplay()
        }
    }

    /// A restored server writes on another timeline; here the row says that the log was elsewhere.
    @Test func `the log of another cluster begins an epoch by itself`() async throws {
        try await Stage.run("e2erestoreauto", settings: ["absenceSeconds": 2]) { stage, daemon in
            let (lost, dump) = try await live(stage, daemon)
            let moved = try await ledgers(stage, lost)
            try await stage.end(daemon, SIGKILL)
            try await stage.restore(dump)
            try await stage.execute("UPDATE paystream.recovery_epoch SET cluster = '1/00000001'")
            let next = try await stage.serve(onPortOf: daemon)
            try await stage.until("an epoch began") { () -> Stage.Look<Void> in
                let epochs = try await stage.count("paystream.recovery_epoch WHERE number = 1 AND begun_by = 'daemon'")
                return epochs == 1 ? .done(()) : .notYet("none")
            }
            _ = try await stage.exchange(
                next,
                .post,
                "/v1/payments/\(lost.held)/capture",
                Self.part,
                key: "capture"
            )
            let held = try await stage.wait(next, lost.held, for: "captured")
            #expect(held.at("amounts", "captured", "value")?.integer == 3000)
            #expect(try await ledgers(stage, lost) == moved)
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
