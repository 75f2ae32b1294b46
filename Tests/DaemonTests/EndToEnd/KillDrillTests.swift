import Glibc
import Http
import Kernel
import Testing

/// Daemons that die or share, and money that moves once all the same.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct KillDrillTests {
    @Test func `kill -9 during a slow provider answer moves the money once`() async throws {
        try await Stage.run("e2eslow") { stage, daemon in
            let id = try await stage.paid(daemon, "slow", 7770)
            let name = try await stage.providerName(daemon, id)
            try await stage.call(daemon, .post, "/v1/payments/\(id)/refund", [:], key: "refund")
            try await stage.waitForEffect(in: "2")
            try await stage.end(daemon, SIGKILL)
            let next = try await stage.serve(onPortOf: daemon)
            try await stage.passLeases()
            try await stage.wait(next, id, for: "refunded")
            #expect(try await stage.ledger(name) == ["charge 7770", "refund 7770"])
            try await stage.verifyReplay()
        }
    }

    @Test(arguments: [
        ("capture", 7771, "captured", ["hold 7771", "capture 7771"]),
        ("refund", 7771, "refunded", ["charge 7771", "refund 7771"]),
        ("void", 7771, "voided", ["hold 7771", "release 7771"]),
        ("capture", 7773, "captured", ["hold 7773", "capture 7773"]),
        ("refund", 7773, "refunded", ["charge 7773", "refund 7773"]),
    ])
    func `kill -9 on either side of an effect moves the money once`(
        verb: String,
        cents: Int,
        status: String,
        entries: [String]
    ) async throws {
        try await Stage.run("e2e\(verb)\(cents)", settings: ["absenceSeconds": 2]) { stage, daemon in
            let mode = verb == "refund" ? "sale" : "authorize"
            let id = try await stage.paid(daemon, verb, Int64(cents), mode: mode)
            let name = try await stage.providerName(daemon, id)
            // No callback tells what became of it: only the daemon's own questions can.
            try await stage.control("/sandbox/faults", ["fault": "withheld_callback", "on": "callback", "times": 9])
            try await stage.call(daemon, .post, "/v1/payments/\(id)/\(verb)", [:], key: verb)
            try await stage.waitForEffect(in: "2, 3")
            try await stage.end(daemon, SIGKILL)
            let next = try await stage.serve(onPortOf: daemon)
            try await stage.passLeases()
            try await stage.wait(next, id, for: status)
            #expect(try await stage.ledger(name) == entries)
            try await stage.verifyReplay()
        }
    }
}
