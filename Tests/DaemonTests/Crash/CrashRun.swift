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
    /// Whether the point was reached.
    private(set) var hasCrashed = false

    private init(_ stage: Stage, _ flow: CrashFlow, _ name: String, _ daemon: DaemonProcess) {
        self.stage = stage
        self.flow = flow
        self.name = name
        self.daemon = daemon
    }

    /// Plays the flow on a fresh daemon that dies at the n-th passage of `point`, unless it never comes there.
    ///
    /// The daemon that serves afterwards stands on the same port, as a restarted service does. With a `cluster` it is
    /// PostgreSQL that dies there and is started again, and the daemon has to go on by itself.
    static func play(
        _ flow: CrashFlow,
        at point: CrashPoint,
        passage: Int,
        _ stage: Stage,
        onPortOf earlier: DaemonProcess,
        killing cluster: EmbeddedCluster? = nil
    ) async throws -> CrashRun {
        let name = "\(flow.provider)-\(flow.name)-\(point.rawValue)-\(passage)"
        var crash = ["PAYSTREAM_CRASH": "\(point.rawValue):\(passage)"]
        let halt = stage.folder + "/halt"
        if cluster != nil { crash["PAYSTREAM_CRASH_HALT"] = halt }
        let run = CrashRun(stage, flow, name, try await stage.serve(onPortOf: earlier, more: crash))
        let watch = cluster.map { cluster in Task { try await Self.kill(cluster, onceThereIs: halt) } }
        for step in flow.steps { try await run.perform(step) }
        watch?.cancel()
        if let watch { run.hasCrashed = try await watch.value }
        try await stage.end(run.daemon, run.hasCrashed ? SIGTERM : SIGKILL)
        return run
    }

    /// Kills PostgreSQL when the daemon halts, starts it again and lets the daemon go on; `false` where it never halts.
    private static func kill(_ cluster: EmbeddedCluster, onceThereIs halt: String) async throws -> Bool {
        while access(halt, F_OK) != 0 {
            do { try await Task.sleep(for: .milliseconds(5)) } catch { return false }
        }
        if let server = cluster.processId { Glibc.kill(server, SIGKILL) }
        try await OwnThread.run { () throws(ClusterFailure) in try cluster.start() }
        unlink(halt)
        return true
    }

    private func perform(_ step: CrashFlow.Step) async throws {
        do { return try await step(self) } catch {
            guard await isGone() else { return try await step(self) }
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
