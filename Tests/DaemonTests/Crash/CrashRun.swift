import Cluster
import Drill
import Glibc
import Kernel
import SystemKit

/// A flow under way while its daemon is made to die; the backend repeats what got no answer.
final class CrashRun {
    /// Where a daemon dies, at the n-th passage.
    struct Death: Hashable, CustomStringConvertible {
        let point: CrashPoint
        let passage: Int
        /// Where the daemon is told to end before; it dies at the first passage of the point behind that one's n-th.
        var farewell: CrashPoint?

        var description: String {
            guard let farewell else { return "\(point.rawValue):\(passage)" }
            return "\(farewell.rawValue):\(passage),\(point.rawValue):1"
        }
    }

    /// Where PostgreSQL dies a second time, and the daemon goes on while it is away; else it waits for it.
    static let goingOn: Set<CrashPoint> = [.commitBefore, .effectsClaimed, .answerBefore]
    /// How long a backend repeats what fails while PostgreSQL comes back, on a machine that has other work, too.
    private static let patience = Duration.seconds(60)

    let stage: Stage
    let flow: CrashFlow
    let ground: CrashShop.Ground
    let name: String
    /// Each daemon's death, in their order; the one after the last lives.
    let deaths: [Death]
    private(set) var daemon: DaemonProcess
    var id = ""
    /// What the payer's app has to report.
    var claim: Json = .null
    /// The schedule and the card of a flow that has one.
    var schedule = ""
    var instrument = ""
    /// The page that the payer has open.
    var page = ""
    /// Whether a death took what the flow could not go on without.
    private(set) var isLost = false
    /// Whether a message was marked as sending at a death: it may have left, and its answer may be nowhere.
    var wasSending: Bool { sending.withLock { $0 } }
    private let sending = Locked(false)
    /// How many of the deaths came.
    private(set) var crashes = 0
    /// Whether every death came.
    var hasCrashed: Bool { crashes == deaths.count }
    /// The bills of this run, for a flow that pays some.
    let billIds: [String]

    private init(
        _ flow: CrashFlow,
        _ deaths: [Death],
        _ stage: Stage,
        _ ground: CrashShop.Ground,
        _ daemon: DaemonProcess
    ) {
        self.stage = stage
        self.flow = flow
        self.ground = ground
        self.deaths = deaths
        self.daemon = daemon
        let name = "\(flow)-" + deaths.map { "\($0.point.rawValue)-\($0.passage)" }.joined(separator: "-")
        self.name = name.map { $0 == "/" ? "-" : "\($0)" }.joined()
        let stem = self.name.filter { $0 != "." }
        billIds = (1...4).map { "\(stem)-\($0)" }
    }

    /// Plays the flow on a fresh daemon that dies as told, unless it never comes there.
    ///
    /// The daemon that serves afterwards stands on the same port, as a restarted service does. With a `cluster` it is
    /// PostgreSQL that dies there and is started again, and the daemon has to go on by itself.
    static func play(
        _ flow: CrashFlow,
        _ deaths: [Death],
        _ stage: Stage,
        _ ground: CrashShop.Ground,
        onPortOf earlier: DaemonProcess,
        killing cluster: EmbeddedCluster? = nil
    ) async throws -> CrashRun {
        var crash = ["PAYSTREAM_CRASH": deaths.first?.description ?? ""]
        let halt = stage.folder + "/halt"
        if cluster != nil { crash["PAYSTREAM_CRASH_HALT"] = halt }
        let run = CrashRun(flow, deaths, stage, ground, try await stage.serve(onPortOf: earlier, more: crash))
        let sending = run.sending
        let watch = cluster.map { cluster in
            Task {
                // Whatever becomes of the server, the daemon goes on.
                defer { unlink(halt) }
                guard try await Self.kill(cluster, onceThereIs: halt) else { return false }
                if deaths.last.map({ goingOn.contains($0.point) && $0.passage > 1 }) ?? false { unlink(halt) }
                try await OwnThread.run { () throws(ClusterFailure) in try cluster.start() }
                try await Self.note(sending, stage)
                return true
            }
        }
        do { for step in flow.steps { try await run.perform(step) } } catch {
            // That the server could not be started again tells more than what failed for want of it.
            watch?.cancel()
            _ = try await watch?.value
            throw error
        }
        watch?.cancel()
        if let watch { run.crashes = try await watch.value ? 1 : 0 }
        try await stage.end(run.daemon, run.hasCrashed ? SIGTERM : SIGKILL)
        return run
    }

    /// Kills PostgreSQL when the daemon halts; `false` where it never halts.
    private static func kill(_ cluster: EmbeddedCluster, onceThereIs halt: String) async throws -> Bool {
        while access(halt, F_OK) != 0 {
            do { try await Task.sleep(for: .milliseconds(5)) } catch { return false }
        }
        if let server = cluster.processId {
            let sessions = FileTree.text("/proc/\(server)/task/\(server)/children")?.split(separator: " ") ?? []
            let all = [server] + sessions.compactMap { pid_t($0.filter(\.isNumber)) }
            for process in all { Glibc.kill(process, SIGKILL) }
            // A server whose sessions are not gone yet counts as running, and keeps the next one out.
            for process in all {
                while FileTree.text("/proc/\(process)/cmdline")?.isEmpty == false { usleep(5000) }
            }
        }
        return true
    }

    /// Sees that a payment failed for want of what a death took.
    func notice(_ payment: Json) {
        guard payment["status"] == "failed" else { return }
        switch flow.frailty {
        case .none: return
        case .link:
            let code = payment.at("attempt", "ending", "decline", "code")?.text
            isLost = wasSending && code == "link_lost"
        case .secret: isLost = crashes > 0
        }
    }

    private func perform(_ step: CrashFlow.Step) async throws {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            do { return try await step(self) } catch {
                let isDead = await isGone()
                guard isDead ? crashes < deaths.count : ContinuousClock.now < deadline else { throw error }
                if isDead { try await restart() }
            }
        }
    }

    private static func note(_ sending: Locked<Bool>, _ stage: Stage) async throws {
        if try await stage.count("paystream.effect WHERE state = 2") > 0 { sending.withLock { $0 = true } }
    }

    private func restart() async throws {
        crashes += 1
        try await stage.end(daemon, SIGKILL)
        let next = deaths.count > crashes ? ["PAYSTREAM_CRASH": deaths[crashes].description] : [:]
        try await Self.note(sending, stage)
        try await stage.passLeases()
        daemon = try await stage.serve(onPortOf: daemon, more: next)
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
