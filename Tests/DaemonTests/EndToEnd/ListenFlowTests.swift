import Glibc
import Http
import Kernel
import SystemKit
import Testing

/// `paystream listen` as a process beside a daemon, the sandbox, and a receiver that answers as it is told.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct ListenFlowTests {
    private static let secret = "whsec_" + Base64.encode([UInt8](repeating: 7, count: 32))

    /// Starts `listen` and waits until it forwards.
    private func listen(_ stage: Stage, _ daemon: DaemonProcess, _ words: [String]) async throws -> (
        child: ChildProcess, file: String
    ) {
        let file = "\(stage.folder)/listen-\(stage.next()).log"
        let child = try ChildProcess.start(
            try DaemonProcess.program(),
            ["listen"] + words,
            environment: ["PATH": "/usr/bin:/bin", "PAYSTREAM_URL": daemon.address, "PAYSTREAM_KEY": stage.token],
            outputFile: file
        )
        _ = try await stage.until("it forwards") {
            let text = DaemonProcess.text(of: file)
            return text.contains("forwarding to ") ? .done(text) : .notYet(text)
        }
        return (child, file)
    }

    private func ended(_ child: ChildProcess) async throws -> ChildProcess.Ending {
        kill(child.id, SIGINT)
        return try await DaemonProcess.ending(of: child, within: .seconds(10))
    }

    @Test func `events come signed to a receiver that was down, and a checkpoint goes on behind them`() async throws {
        try await Stage.webhooks("listen") { stage, daemon, receiver in
            _ = try await stage.paid(daemon, "before", 7700)
            let checkpoint = stage.folder + "/cursor"
            let words = ["--forward", receiver.address, "--types", "payment.*", "--checkpoint", checkpoint]
            receiver.answer(.status(500))
            let first = try await listen(stage, daemon, words + ["--secret", Self.secret])
            let payment = try await stage.paid(daemon, "one", 7700)
            _ = try await stage.wait(for: receiver) { $0.count > 1 }
            receiver.answer(.status(200))
            let heard = try await stage.wait(for: receiver) { $0.contains { $0.type == "payment.captured" } }
            #expect(heard.allSatisfy { $0.isSigned(by: Self.secret) && $0.resource == payment })
            let numbers = heard.compactMap(\.sequence)
            #expect(numbers == numbers.sorted() && numbers.first == 1, "nothing is overtaken or left out: \(numbers)")
            for one in heard { #expect(try await stage.call(daemon, .get, "/v1/events/\(one.id)") == one.json) }
            _ = try await stage.until("the last delivery is printed") {
                let text = DaemonProcess.text(of: first.file)
                return text.contains("payment.captured") ? .done(text) : .notYet(text)
            }
            #expect(DaemonProcess.text(of: first.file).contains("500, again in"))
            #expect(try await ended(first.child) == .exited(0))

            let missed = try await stage.paid(daemon, "two", 7700)
            let mark = receiver.heard.count
            let second = try await listen(stage, daemon, words)
            let told = DaemonProcess.text(of: second.file).split(separator: "\n").first?.split(separator: " ").last
            let later = try await stage.wait(for: receiver) {
                $0.dropFirst(mark).contains { $0.resource == missed && $0.type == "payment.captured" }
            }.dropFirst(mark)
            #expect(later.allSatisfy { $0.isSigned(by: String(told ?? "")) && !$0.isSigned(by: Self.secret) })
            #expect(later.contains { $0.resource == missed && $0.sequence == 1 })
            #expect(!later.contains { $0.type?.hasPrefix("payment.") != true })
            #expect(try await ended(second.child) == .exited(0))
        }
    }

    @Test func `what can't be forwarded is refused in words`() async throws {
        try await Stage.webhooks("listenbad") { stage, daemon, receiver in
            func refusal(_ words: [String], key: String? = nil) async throws -> String {
                let failed = await #expect(throws: DaemonProcess.Failure.self) {
                    try await stage.tool(daemon, ["listen"] + words, key: key)
                }
                return "\(failed?.description ?? "")"
            }
            let forward = ["--forward", receiver.address]
            #expect(try await refusal([]).contains("--forward names"))
            #expect(try await refusal(["--forward", "ftp://localhost/"]).contains("no address of a receiver"))
            #expect(try await refusal(forward + ["--secret", "whsec_AAAA"]).contains("24 to 64 bytes"))
            #expect(try await refusal(forward + ["--after", "nonsense"]).contains("cursor_invalid"))
            #expect(try await refusal(forward + ["--types", "nothing.*"]).contains("word_unknown"))
            #expect(try await refusal(forward, key: "psk_unknown").contains("key_unknown"))
            let account: Json = [
                "mode": "live", "name": "live-eur", "provider": "ecommpay",
                "secrets": ["secretKey": .string(Stage.secret)],
                "settings": ["currencies": ["EUR"], "projectId": .integer(Stage.project)],
            ]
            _ = try await stage.call(daemon, .post, "/v1/accounts", account, key: "live")
            #expect(try await refusal(forward).contains("'live-eur'"))
            let taken = try await listen(stage, daemon, forward + ["--live"])
            #expect(try await ended(taken.child) == .exited(0))
            #expect(receiver.heard.isEmpty)
        }
    }
}
