import Simulation
import Testing

/// A sample of worlds; `make sim` plays as many as there is time for.
@Suite(.timeLimit(.minutes(3)))
struct SimulationTests {
    private func play(_ provider: String, _ seed: UInt64, payments: Int = 4) async throws -> WorldReport {
        var plan = WorldPlan(provider: provider, seed: seed)
        plan.payments = payments
        return try await Simulation.play(plan, at: try #require(SimulatedProvider.named(provider)))
    }

    @Test(arguments: SimulatedProvider.all.map(\.name))
    func `in a storm no charge is doubled, none is lost, and nothing is left unowned`(_ provider: String) async throws {
        var faults = 0
        for seed in UInt64(1)...6 {
            let seen = try await play(provider, seed)
            #expect(seen.violations.isEmpty, "make sim PROVIDER=\(provider) SEED=\(seed) PAYMENTS=4 RUNS=1 TRACE=1")
            faults += seen.faults
        }
        #expect(faults > 100)
    }

    /// Worlds that were bad once; the unit tests named beside them hold what was wrong.
    @Test(arguments: [
        // An answer quicker than the nodes' clocks agree: PaymentAttributionTests.
        ("ecommpay", 2), ("ecommpay", 18),
        // A question after a hint that brought no answer: PaymentTimerTests.
        ("portmone", 21), ("portmone", 24),
        // A hint while a question was under way: PaymentTimerTests.
        ("dolyame", 13), ("dolyame", 25),
        // A refund refused long ago that took the evidence of a new one: PaymentAttributionTests.
        ("portmone", 150),
        // A fold from before a restore that was taken for the beginning of the stream behind it: PaymentFolds.
        ("worldline", 50127), ("sberpay", 50024),
        // A provider's hint that somebody had forged word for word a moment before: NotificationIntake.
        ("dolyame", 1_101_101),
        // A message licensed once more behind a decline that was not the end, when its row had gone: PaymentCase, `license`.
        ("portmone", 811),
        // The same where the decline and its end were decided apart: Dispatch, `hasRow`.
        ("worldline", 4242),
        // A look from before an operators' repetition that was taken as a proof that nothing came of that: Operation, `unprovedAt`.
        ("portmone", 30090),
    ])
    func `a world that was bad once is good`(_ provider: String, _ seed: Int) async throws {
        let seen = try await play(provider, UInt64(seed), payments: 6)
        #expect(seen.violations.isEmpty, "make sim PROVIDER=\(provider) SEED=\(seed) RUNS=1 TRACE=1")
    }

    @Test func `a seed plays the same world every time, and another seed another one`() async throws {
        let first = try await play("worldline", 7)
        let again = try await play("worldline", 7)
        #expect(first == again)
        #expect(!first.fingerprint.isEmpty)
        #expect(try await play("worldline", 8).fingerprint != first.fingerprint)
    }

    @Test func `a provider that forgets the keys it promised to know is found out`() async throws {
        let declared = try #require(SimulatedProvider.named("worldline"))
        let keyless = try #require(SimulatedProvider.named("portmone"))
        var violations: [String] = []
        for seed in UInt64(1)...40 where violations.isEmpty {
            let plan = WorldPlan(provider: declared.name, seed: seed)
            violations = try await Simulation.play(plan, at: declared, promising: keyless).violations
        }
        #expect(violations.contains { $0.contains("acted twice") })
    }

    /// Plays worlds that must be good; answers how many messages they sent.
    private func expectGood(_ kind: WorldKind, _ provider: String, _ seeds: [UInt64]) async throws -> Int {
        var sends = 0
        for seed in seeds {
            let seen = try #require(try await Simulation.play(WorldPlan(kind, provider: provider, seed: seed)))
            let again = "make sim PROVIDER=\(provider) SEED=\(seed) WORLDS=\(kind.rawValue) RUNS=1 TRACE=1"
            #expect(seen.violations.isEmpty, "\(again): \(seen.violations)")
            sends += seen.sends
        }
        return sends
    }

    @Test(arguments: WorldKind.subscriptions.providers)
    func `each occurrence is charged once, none is missed, and none after the end`(_ provider: String) async throws {
        // At Worldline's 24, a gateway's 404 to the connection test was a proof of absence, and dunning charged again.
        #expect(try await expectGood(.subscriptions, provider, Array(1...10) + [24]) > 100)
    }

    @Test func `money that went on to another card is booked once, and none as not sent`() async throws {
        // At 9050 and 9109, the answer that opens a form was lost, and the payer's first refused try was the end of it.
        #expect(try await expectGood(.transfers, "portmone", Array(1...6) + [9050, 9109]) > 100)
    }

    @Test func `no bill is asked for again where it may be paid, and every batch adds up`() async throws {
        // At 8, an error's status with a refusal's code was a proof that nothing was paid, and bills were asked for again.
        #expect(try await expectGood(.bills, "portmone", Array(1...8)) > 50)
    }

    @Test(arguments: [WorldKind.transfers, .bills])
    func `over a real wire format, too, a seed plays the same world every time`(_ kind: WorldKind) async throws {
        let plan = WorldPlan(kind, provider: "portmone", seed: 5)
        let first = try #require(try await Simulation.play(plan))
        #expect(try await Simulation.play(plan) == first)
        #expect(!first.fingerprint.isEmpty)
    }
}
