import Kernel
import Payments
import Testing

/// The state machine that says whether a provider is up.
struct CircuitBreakerTests {
    private let policy = BreakerPolicy(
        failures: 3,
        percent: 50,
        window: .seconds(60),
        pause: .seconds(30),
        probePercent: 10,
        successes: 2
    )

    private func seen(_ failures: Int, _ successes: Int) -> ProviderOutcomes {
        ProviderOutcomes(
            failures: failures,
            successes: successes,
            from: Samples.noon,
            to: Samples.noon,
            lastFailure: failures > 0 ? "timeout" : nil
        )
    }

    private func at(_ seconds: Int64) -> Timestamp { Samples.noon.adding(.seconds(seconds)) }

    private func after(_ changes: [BreakerChange], _ breaker: CircuitBreaker, _ seconds: Int64) -> CircuitBreaker {
        var breaker = breaker
        for change in changes { breaker.evolve(change, at: at(seconds)) }
        return breaker
    }

    private func opened(_ trips: Int = 1) -> CircuitBreaker {
        after([.opened(seen(3, 0), until: at(30), trip: trips)], CircuitBreaker(), 0)
    }

    @Test(arguments: [(2, 0, false), (3, 0, true), (3, 3, true), (3, 4, false), (50, 50, true), (50, 51, false)])
    func `it opens on enough failures that are enough of all outcomes`(failures: Int, successes: Int, opens: Bool) {
        let changes = CircuitBreaker().changes(seen(failures, successes), policy, at: at(0))
        #expect(changes == (opens ? [.opened(seen(failures, successes), until: at(30), trip: 1)] : []))
    }

    @Test func `while the pause lasts nothing that is seen changes it`() {
        #expect(opened().changes(seen(0, 99), policy, at: at(29)).isEmpty)
        #expect(opened().changes(seen(9, 0), policy, at: at(29)).isEmpty)
        #expect(opened().gate(at: at(29)) == .shut && opened().gate(at: at(30)) == .probing)
        #expect(opened().probed(at: at(29)).isEmpty && opened().probed(at: at(30)) == [.halfOpened])
    }

    @Test func `after the pause enough successes close it`() {
        let half = after([.halfOpened], opened(), 30)
        #expect(half.phase == .halfOpen && half.changes(seen(0, 1), policy, at: at(31)).isEmpty)
        #expect(half.changes(seen(0, 2), policy, at: at(31)) == [.closed(seen(0, 2))])
        #expect(opened().changes(seen(0, 2), policy, at: at(30)) == [.halfOpened, .closed(seen(0, 2))])
        let closed = after([.closed(seen(0, 2))], half, 31)
        #expect(closed.gate(at: at(31)) == .passable && closed.trips == 0)
    }

    @Test func `after the pause one failure opens it again for twice as long, up to a quarter of an hour`() {
        let half = after([.halfOpened], opened(), 30)
        #expect(
            half.changes(seen(1, 5), policy, at: at(31)) == [.opened(seen(1, 5), until: at(31 + 60), trip: 2)]
        )
        let tired = after([.halfOpened], opened(40), 30)
        #expect(tired.changes(seen(1, 0), policy, at: at(31)) == [.opened(seen(1, 0), until: at(31 + 900), trip: 41)])
    }

    @Test func `a report of outcomes that were judged before is no news`() throws {
        let id = RouteSamples.first
        var routing = Routing()
        let report = RoutingCommand.report(id, RouteSamples.failing)
        let events = try routing.decide(report, Samples.context(20))
        #expect(events.count == 1)
        for event in events { routing.evolve(event) }
        #expect(try routing.decide(report, Samples.context(60)).isEmpty, "counted before the breaker opened")
    }

    @Test func `the window forgets what is older than it`() {
        var window = OutcomeWindow()
        for second in 0..<10 { window.note(.down("timeout"), at: at(Int64(second)), window: .seconds(60)) }
        #expect(window.outcomes(since: .epoch, at: at(9)).failures == 10)
        window.note(.up, at: at(75), window: .seconds(60))
        let seen = window.outcomes(since: .epoch, at: at(75))
        #expect(seen.failures == 0 && seen.successes == 1 && seen.lastFailure == nil)
    }

    @Test func `what was seen before a moment is kept apart from what came later`() {
        var window = OutcomeWindow()
        window.note(.down("timeout"), at: at(0), window: .seconds(60))
        window.note(.up, at: at(3), window: .seconds(60), from: at(2))
        let seen = window.outcomes(since: at(2), at: at(3))
        #expect(seen.failures == 0 && seen.successes == 1)
    }
}
