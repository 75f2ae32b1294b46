import Daemon
import Glibc
import Kernel

/// A flow under way while its daemon is made to die once; the backend repeats what got no answer.
final class CrashRun {
    let stage: Stage
    let flow: CrashFlow
    let name: String
    private(set) var daemon: DaemonProcess
    var id = ""
    /// Whether the point was reached and the process ended there.
    private(set) var hasCrashed = false

    private init(_ stage: Stage, _ flow: CrashFlow, _ name: String, _ daemon: DaemonProcess) {
        self.stage = stage
        self.flow = flow
        self.name = name
        self.daemon = daemon
    }

    /// Plays the flow on a fresh daemon that dies at the n-th passage of `point`; `false` where it never came there.
    ///
    /// The daemon that serves afterwards stands on the same port, as a restarted service does.
    static func play(
        _ flow: CrashFlow,
        at point: CrashPoint,
        passage: Int,
        _ stage: Stage,
        onPortOf earlier: DaemonProcess
    ) async throws -> CrashRun {
        let crash = ["PAYSTREAM_CRASH": "\(point.rawValue):\(passage)"]
        let daemon = try await stage.serve(onPortOf: earlier, more: crash)
        let name = "\(flow.provider)-\(flow.name)-\(point.rawValue)-\(passage)"
        let run = CrashRun(stage, flow, name, daemon)
        for step in flow.steps { try await run.perform(step) }
        try await stage.end(run.daemon, run.hasCrashed ? SIGTERM : SIGKILL)
        return run
    }

    private func perform(_ step: CrashFlow.Step) async throws {
        do { return try await step(self) } catch {
            guard await isGone() else { throw error }
        }
        hasCrashed = true
        try await stage.end(daemon, SIGKILL)
        daemon = try await stage.serve(onPortOf: daemon)
        try await stage.passLeases()
        try await step(self)
    }

    /// Whether the daemon is dead or about to be reaped; a call can fail a moment before the process is gone.
    private func isGone() async -> Bool {
        for _ in 0..<50 {
            var info = siginfo_t()
            if waitid(P_PID, id_t(daemon.child.id), &info, WEXITED | WNOHANG | WNOWAIT) != 0 { return true }
            if info.si_signo == SIGCHLD { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}
