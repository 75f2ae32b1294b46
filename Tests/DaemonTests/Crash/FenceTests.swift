import Daemon
import Glibc
import Http
import Kernel
import Testing

/// A daemon that is stopped in the middle of its work and wakes after another took over: it moves no money any more, and
/// what it learned is kept.
@Suite(.timeLimit(.minutes(4)), .serialized)
struct FenceTests {
    @Test(arguments: [
        CrashPoint.mailRead, .commitBefore, .effectsClaimed, .sendingBefore, .sendingMarked, .requestAnswered,
        .answerBefore,
    ])
    func `a stopped daemon that wakes late moves nothing twice`(point: CrashPoint) async throws {
        let name = point.rawValue.filter { $0.isLetter }.lowercased()
        try await Stage.run("fence\(name)", settings: ["absenceSeconds": 2]) { stage, first in
            let id = try await stage.paid(first, "fenced", 7700)
            let reference = try await stage.providerName(first, id)
            // No callback tells the second daemon what became of the first one's message.
            try await stage.control("/sandbox/faults", ["fault": "withheld_callback", "on": "callback", "times": 9])
            try await stage.end(first, SIGTERM)
            let halt = stage.folder + "/halt"
            let crash = ["PAYSTREAM_CRASH": "\(point.rawValue):1", "PAYSTREAM_CRASH_HALT": halt]
            let sleeper = try await stage.serve(onPortOf: first, more: crash)
            // The command itself may be what halts: its answer is not waited for.
            let command = Task { try await stage.call(sleeper, .post, "/v1/payments/\(id)/refund", [:], key: "refund") }
            try await stage.until("the daemon halts at \(point)") {
                access(halt, F_OK) == 0 ? .done(()) : .notYet("")
            }
            kill(sleeper.child.id, SIGSTOP)
            unlink(halt)
            let other = try await stage.serve()
            try await stage.passLeases()
            try await stage.call(other, .post, "/v1/payments/\(id)/refund", [:], key: "refund")
            try await stage.wait(other, id, for: "refunded")
            kill(sleeper.child.id, SIGCONT)
            _ = try? await command.value
            // Whatever the sleeper still had to do, it has done when both have drained.
            try await stage.end(sleeper, SIGTERM)
            try await stage.wait(other, id, for: "refunded")
            #expect(try await stage.ledger(reference) == ["charge 7700", "refund 7700"])
            #expect(try await stage.command(["operations", "--operator", "--json"]).isEmpty)
            try await stage.verifyReplay()
        }
    }
}
