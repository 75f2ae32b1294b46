import Drill
import Glibc
import Http
import Kernel
import Postgres
import SystemKit
import Testing

/// Values that are used once and stand in the memory of one process: a wallet's token, an app's encrypted card, what the
/// payer's bank gave, a user's password.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct OneShotTests {
    private static let wallet: Json = [
        "absenceSeconds": 2, "applePayMerchantId": "merchant.example", "walletMode": "relay",
    ]

    /// Creates a payment with a wallet's token; the daemon may die before it answers.
    private func pay(_ stage: Stage, _ daemon: DaemonProcess, _ name: String, _ token: String) async throws -> String {
        let details: Json = ["wallet": ["kind": "applePay", "token": .string(token)]]
        return try await stage.portmone(daemon, name, 4500, method: "wallet", details: details)
    }

    /// The stage's one payment, once the list has it.
    private func only(_ stage: Stage, _ daemon: DaemonProcess) async throws -> String {
        try await stage.until("the payment is listed") { () -> Stage.Look<String> in
            let listed = try await stage.call(daemon, .get, "/v1/payments")
            return listed["items"]?.items?.first?["id"]?.text.map { .done($0) } ?? .notYet(listed.canonicalText)
        }
    }

    /// Runs until the daemon of a stage has died at a point of the payment's first message, and starts the next.
    private func die(at point: CrashPoint, _ stage: Stage, _ first: DaemonProcess, _ name: String, _ token: String)
        async throws -> DaemonProcess
    {
        try await stage.addPortmone(first, Self.wallet)
        try await stage.end(first, SIGTERM)
        let victim = try await stage.serve(onPortOf: first, more: ["PAYSTREAM_CRASH": "\(point.rawValue):1"])
        _ = try? await pay(stage, victim, name, token)
        try await stage.waitForDeath(of: victim)
        try await stage.passLeases()
        return try await stage.serve(onPortOf: first)
    }

    @Test func `death before the mark ends notSent, and the payer enters again`() async throws {
        try await Stage.run("oneshotbefore") { stage, first in
            let daemon = try await die(at: .sendingBefore, stage, first, "before", "blob-plain-1")
            let id = try await only(stage, daemon)
            try await stage.wait(daemon, id, for: "failed")
            let told = try await stage.call(daemon, .get, "/v1/payments/\(id)/events")
            #expect(told.canonicalText.contains("secretLost"), "\(told.canonicalText)")
            #expect(try await stage.portmoneLedger(daemon, id).isEmpty)
            #expect(try await stage.count("paystream.input WHERE name = 'effect.no_answer'") == 0)
            let again = try await pay(stage, daemon, "again", "blob-plain-2")
            try await stage.wait(daemon, again, for: "captured")
            #expect(try await stage.portmoneLedger(daemon, again) == ["charge 4500"])
            #expect(try await stage.command(["operations", "--operator", "--json"]).isEmpty)
            try await stage.verifyReplay()
        }
    }

    @Test func `the backend that repeats its command brings the value back, and the message goes out once`()
        async throws
    {
        try await Stage.run("oneshotrepeat") { stage, first in
            let daemon = try await die(at: .sendingBefore, stage, first, "repeat", "blob-plain-3")
            let id = try await pay(stage, daemon, "repeat", "blob-plain-3")
            try await stage.wait(daemon, id, for: "captured")
            #expect(try await stage.portmoneLedger(daemon, id) == ["charge 4500"])
            // Where the provider is slow, a question goes out beside the message; neither goes out twice.
            #expect(Set(try await stage.marks().values) == [[1]])
            try await stage.verifyReplay()
        }
    }

    /// The provider has the money after `request.answered` and never heard of it after `sending.marked`.
    @Test(arguments: [
        (CrashPoint.requestAnswered, "captured", ["charge 4500"]), (.sendingMarked, "failed", []),
    ])
    func `death after the mark is in doubt until the provider was asked, and is never sent again`(
        point: CrashPoint,
        ending: String,
        entries: [String]
    ) async throws {
        let name = point.rawValue.filter { $0.isLetter }.lowercased()
        try await Stage.run("oneshot\(name)", settings: ["absenceSeconds": 2]) { stage, first in
            let daemon = try await die(at: point, stage, first, "after", "blob-plain-4")
            let id = try await only(stage, daemon)
            let doubt = "paystream.input WHERE name = 'effect.no_answer'"
            try await stage.until("it is in doubt") { () -> Stage.Look<Void> in
                try await stage.count(doubt) > 0 ? .done(()) : .notYet("no")
            }
            try await stage.wait(daemon, id, for: ending)
            #expect(try await stage.portmoneLedger(daemon, id) == entries)
            let repeated = "paystream.sending_mark WHERE ordinal > 1 AND effect IN "
            let sale = "(SELECT effect FROM paystream.sending_mark ORDER BY at LIMIT 1)"
            #expect(try await stage.count(repeated + sale) == 0)
            try await stage.verifyReplay()
        }
    }

    @Test func `a node without the value leaves the message to the one that has it`() async throws {
        try await Stage.run("oneshottwo") { stage, first in
            try await stage.addPortmone(first, Self.wallet)
            let others = [try await stage.serve(), try await stage.serve()]
            for number in 0..<20 {
                let id = try await pay(stage, first, "two-\(number)", "blob-plain-\(number)")
                try await stage.wait(others[number % 2], id, for: "captured")
                #expect(try await stage.portmoneLedger(first, id) == ["charge 4500"])
            }
            #expect(try await stage.count("paystream.input WHERE name = 'effect.not_sent'") == 0)
        }
    }
}

extension Stage {
    func waitForDeath(of daemon: DaemonProcess) async throws {
        try await until("the daemon dies") { () -> Look<Void> in
            // A child that nobody has reaped has no command line any more.
            FileTree.text("/proc/\(daemon.child.id)/cmdline")?.isEmpty == false ? .notYet("it lives") : .done(())
        }
        try await end(daemon, SIGKILL)
    }
}
