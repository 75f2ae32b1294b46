import Drill
import Engine
import Glibc
import Http
import Kernel
import SystemKit
import Testing

/// A daemon that is stopped in the middle of its work and wakes after another took over: it moves no money any more, and
/// what it learned is kept.
///
/// The refund is of a part, at a provider that knows no keys: a message that left twice would return the part twice.
@Suite(.timeLimit(.minutes(4)), .serialized)
struct FenceTests {
    private static let part: Json = ["amount": Stage.hryvnias(300)]

    /// The second commit of a refund is that of its answer.
    @Test(arguments: [
        (CrashPoint.mailRead, 1), (.commitBefore, 1), (.commitBefore, 2), (.effectsClaimed, 1), (.sendingBefore, 1),
        (.sendingMarked, 1), (.requestBefore, 1), (.requestFirstByte, 1), (.requestAnswered, 1),
    ])
    func `a stopped daemon that timers late moves nothing twice`(point: CrashPoint, passage: Int) async throws {
        let name = point.rawValue.filter { $0.isLetter }.lowercased() + "\(passage)"
        try await Stage.run("fence\(name)") { stage, first in
            try await stage.addPortmone(first, ["absenceSeconds": 2, "refundAbsenceSeconds": 2])
            let id = try await stage.portmone(first, "fenced", 900)
            try await stage.press(first, id, ["approve"])
            try await stage.wait(first, id, for: "captured")
            try await stage.end(first, SIGTERM)
            let halt = stage.folder + "/halt"
            let crash = ["PAYSTREAM_CRASH": "\(point.rawValue):\(passage)", "PAYSTREAM_CRASH_HALT": halt]
            let sleeper = try await stage.serve(onPortOf: first, more: crash)
            // The command itself may be what halts: its answer is not waited for.
            let path = "/v1/payments/\(id)/refund"
            let command = Task { try await stage.call(sleeper, .post, path, Self.part, key: "refund") }
            try await stage.until("the daemon halts at \(point)") {
                access(halt, F_OK) == 0 ? .done(()) : .notYet("")
            }
            kill(sleeper.child.id, SIGSTOP)
            // Until the last of its threads has stopped, one might still go on.
            try await stage.until("the daemon stands still") {
                Self.standsStill(sleeper.child.id) ? .done(()) : .notYet("a thread runs")
            }
            let stopped = ContinuousClock.now
            unlink(halt)
            let other = try await stage.serve()
            try await stage.passLeases()
            try await stage.call(other, .post, path, Self.part, key: "refund")
            try await stage.wait(other, id, for: "partiallyRefunded")
            // Leases were let pass at once; what was marked may leave for as long as the margin lasts.
            try await Task.sleep(until: stopped + EffectSender.margin + .seconds(1), clock: .continuous)
            kill(sleeper.child.id, SIGCONT)
            _ = try? await command.value
            // Whatever the sleeper still had to do, it has done when it has drained.
            try await stage.end(sleeper, SIGTERM)
            try await stage.wait(other, id, for: "partiallyRefunded")
            let ledger = try await stage.portmoneLedger(other, id)
            #expect(ledger == ["charge 900", "refund 300"])
            let tasks = try await stage.command(["operations", "--operator", "--json"])
            #expect(tasks.isEmpty, "\(tasks)")
            if point == .requestAnswered || (point, passage) == (.commitBefore, 2) {
                // The other one only asked: the answer to the refund is the sleeper's.
                let answers = "paystream.input WHERE name = 'effect.answered' AND meta ->> 'effect' = "
                #expect(try await stage.count("\(answers) '\(try await refund(stage, other, id))'") == 1)
            }
            try await stage.verifyReplay()
        }
    }

    /// Whether every thread of a process is stopped (`proc(5)`, the third value of `stat`, behind the name in brackets).
    private static func standsStill(_ process: pid_t) -> Bool {
        let threads = FileTree.names(in: "/proc/\(process)/task")
        return !threads.isEmpty
            && threads.allSatisfy { thread in
                let stat = FileTree.text("/proc/\(process)/task/\(thread)/stat") ?? ""
                return stat.split(separator: ")").last?.hasPrefix(" T") == true
            }
    }

    /// The effect of the refund, which was licensed once.
    private func refund(_ stage: Stage, _ daemon: DaemonProcess, _ id: String) async throws -> String {
        let told = try await stage.call(daemon, .get, "/v1/payments/\(id)/events")
        let licenses = (told["items"]?.items ?? []).compactMap { $0["data"] }.filter { $0["purpose"] == "refund" }
        #expect(licenses.count == 1, "\(licenses)")
        return licenses.first?["effect"]?.text ?? ""
    }
}
