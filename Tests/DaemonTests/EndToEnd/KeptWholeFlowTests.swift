import Daemon
import Http
import Kernel
import Testing

/// What a provider answered is kept whole, also where PostgreSQL can't give the payer's key for a moment.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct KeptWholeFlowTests {
    @Test func `a payer's address comes through although the keys of subjects can't be read when it arrives`()
        async throws
    {
        try await Stage.run("e2ekeptwhole") { stage, daemon in
            try await stage.addWorldline(daemon)
            try await stage.execute("ALTER TABLE paystream.subject_key RENAME TO subject_key_away")
            let sale = try await stage.worldline(daemon, "whole", 1000)
            try await stage.waitForEffect(in: "2")
            try await Task.sleep(for: .seconds(1))
            #expect(try await stage.exchange(daemon, .get, "/v1/payments/\(sale)/next-action").status != 404)
            try await stage.execute("ALTER TABLE paystream.subject_key_away RENAME TO subject_key")
            try await stage.pressWorldline(daemon, sale, ["approve"])
            try await stage.wait(daemon, sale, for: "captured")
            #expect(try await stage.worldlineLedger(daemon, sale) == ["charge 1000"])
            try await stage.verifyReplay()
        }
    }
}
