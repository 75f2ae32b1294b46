import Benchmarks
import Glibc
import Kernel
import SystemKit

/// Payments that Debian's `wrk` creates at a daemon, with the keys and bodies of our own generator.
struct WrkLoad: Sendable {
    private let node: BenchNode
    /// Where its script and what it prints lie.
    private let folder: String
    private let clients: Int
    private let seconds: Int
    private let rounds = Locked(0)
    private static let program = "wrk"
    private static let threads = 2
    /// Seconds that it waits for an answer, as many as our own generator.
    private static let patience = 30

    init(_ node: BenchNode, folder: String, clients: Int, seconds: Int) {
        self.node = node
        self.folder = folder
        self.clients = clients
        self.seconds = seconds
    }

    /// Refuses where the program is not on `PATH`, before anything is measured.
    static func demandProgram() throws(CommandFailure) {
        let folders = (ChildProcess.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        guard folders.contains(where: { access("\($0)/\(program)", X_OK) == 0 }) else {
            throw CommandFailure("\(program) is not installed: apt-get install \(program)")
        }
    }

    /// One round; its only latency is the p99 that the program tells.
    func run() async throws -> Sample {
        let round = rounds.withLock { round in
            round += 1
            return round
        }
        let (file, log) = (folder + "/wrk.lua", folder + "/wrk.log")
        try PrivateFile.write(script(round), to: file)
        // A child's words go behind those of the round before.
        unlink(log)
        let threads = min(Self.threads, clients)
        // A script that it can't read is no end for it: it then asks for this address without a key, and is refused.
        let url = node.address + "/v1/payments"
        let arguments = [
            "--connections", "\(clients)", "--threads", "\(threads)", "--duration", "\(seconds)s",
            "--timeout", "\(Self.patience)s", "--latency", "--script", file, url,
        ]
        let ending = try await OwnThread.run { () throws(SpawnFailure) in
            try ChildProcess.start(
                Self.program,
                arguments,
                environment: ChildProcess.environment,
                outputFile: log
            ).wait()
        }
        let printed = FileTree.text(log) ?? ""
        guard ending == .exited(0) else { throw CommandFailure("\(Self.program): \(ending) \(printed)") }
        do throws(WrkReport.Unusable) {
            let report = try WrkReport(printed)
            return Sample(
                count: Int((report.perSecond * Double(seconds)).rounded()),
                elapsed: .seconds(seconds),
                latencies: [.milliseconds(report.p99Milliseconds)]
            )
        } catch { throw CommandFailure("\(Self.program): \(error.description)") }
    }

    /// Its script: each request has a key that no other of the run has, and the callers take turns.
    ///
    /// `%s` is where a key comes into a body, which has no other percent sign.
    private func script(_ round: Int) -> String {
        let callers = node.keys.enumerated().map { number, key in
            let token = key.withBytes { String(decoding: $0, as: UTF8.self) }
            let body = String(decoding: BenchNode.payment("%s", client: number).compactBytes, as: UTF8.self)
            return "    { [=[Bearer \(token)]=], [=[\(body)]=] },\n"
        }
        return """
            local callers = {
            \(callers.joined())}
            local threads, sent = 0, 0

            function setup(thread)
                thread:set("number", threads)
                threads = threads + 1
            end

            function request()
                sent = sent + 1
                local caller = callers[sent % #callers + 1]
                local key = string.format("wrk-\(round)-%d-%d", number, sent)
                local headers = {
                    ["Authorization"] = caller[1], ["Content-Type"] = "application/json", ["Idempotency-Key"] = key,
                }
                return wrk.format("POST", "/v1/payments", headers, string.format(caller[2], key))
            end

            """
    }
}
