import Drill
import Glibc
import Http
import Kernel
import Testing

/// What a dead daemon left is taken up by the next one as time passes, with nobody's help; `make crash` prints how long.
///
/// Other tests let leases pass at once.
@Suite(.timeLimit(.minutes(6)), .serialized, .enabled(if: getenv("PAYSTREAM_CRASH_ALL") != nil))
struct UnaidedTests {
    @Test(arguments: [CrashPoint.sendingBefore, .sendingMarked, .requestAnswered])
    func `a refund whose daemon died ends without a person`(point: CrashPoint) async throws {
        let name = point.rawValue.filter { $0.isLetter }.lowercased()
        try await Stage.run("unaided\(name)", settings: ["absenceSeconds": 2]) { stage, first in
            let id = try await stage.paid(first, "unaided", 7700)
            let reference = try await stage.providerName(first, id)
            // No callback tells: the daemon has to find out by itself.
            try await stage.control("/sandbox/faults", ["fault": "withheld_callback", "on": "callback", "times": 9])
            try await stage.end(first, SIGTERM)
            let victim = try await stage.serve(onPortOf: first, more: ["PAYSTREAM_CRASH": "\(point.rawValue):1"])
            _ = try? await stage.call(victim, .post, "/v1/payments/\(id)/refund", [:], key: "refund")
            try await stage.waitForDeath(of: victim)
            let death = ContinuousClock.now
            let next = try await stage.serve(onPortOf: first)
            let row = "paystream.effect WHERE state < 3"
            try await stage.until("it is taken up", patience: .seconds(120)) { () -> Stage.Look<Void> in
                try await stage.count(row) == 0 ? .done(()) : .notYet("not yet")
            }
            let begun = ContinuousClock.now - death
            try await stage.wait(next, id, for: "refunded")
            print("\(point.rawValue): taken up \(begun) after the death, refunded after \(ContinuousClock.now - death)")
            #expect(try await stage.ledger(reference) == ["charge 7700", "refund 7700"])
            #expect(try await stage.command(["operations", "--operator", "--json"]).isEmpty)
            try await stage.verifyReplay()
        }
    }
}
