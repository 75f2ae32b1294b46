package import Kernel

/// When a provider counts as down, and how it comes back.
package struct BreakerPolicy: Hashable, Sendable {
    /// So many failures inside the window at least.
    package let failures: Int
    /// And so many of a hundred outcomes.
    package let percent: Int
    /// Outcomes older than this don't count.
    package let window: Duration
    /// How long the account is passed over; doubled each time that it fails again, up to `longestPause`.
    package let pause: Duration
    /// Of a hundred payments, so many try an account whose pause is over.
    package let probePercent: Int
    /// So many successes bring it back.
    package let successes: Int

    package static let longestPause = Duration.seconds(900)
    package static let standard = BreakerPolicy(
        failures: 5,
        percent: 50,
        window: .seconds(60),
        pause: .seconds(30),
        probePercent: 10,
        successes: 3
    )

    package init(failures: Int, percent: Int, window: Duration, pause: Duration, probePercent: Int, successes: Int) {
        self.failures = failures
        self.percent = percent
        self.window = window
        self.pause = pause
        self.probePercent = probePercent
        self.successes = successes
    }

    func check() throws(Rejection) {
        func check(_ value: Int64, _ range: ClosedRange<Int64>, _ name: String) throws(Rejection) {
            guard range.contains(value) else {
                throw Rejection(
                    .routingInvalid,
                    "Between \(range.lowerBound) and \(range.upperBound).",
                    path: "breaker.\(name)"
                )
            }
        }
        try check(Int64(failures), 1...1000, "failures")
        try check(Int64(percent), 1...100, "percent")
        try check(window.components.seconds, 1...3600, "windowSeconds")
        try check(pause.components.seconds, 1...Self.longestPause.components.seconds, "pauseSeconds")
        try check(Int64(probePercent), 1...100, "probePercent")
        try check(Int64(successes), 1...1000, "successes")
    }

    /// The pause after an account failed so many times in a row, counted from one.
    package func pause(trip: Int) -> Duration {
        min(pause * (1 << min(max(trip - 1, 0), 10)), Self.longestPause)
    }
}

/// Whether one account's provider is up, as far as our own messages show: a state machine over counted outcomes.
package struct CircuitBreaker: Hashable, Sendable {
    package enum Phase: Hashable, Sendable {
        /// It works.
        ///
        /// Goes to `open` by `opened`, when the policy's number and share of outcomes are failures.
        case closed
        /// It is passed over until then; afterwards it counts as `probing`.
        ///
        /// Goes to `halfOpen` by `halfOpened`, with the first payment or the first outcomes after the pause.
        case open(until: Timestamp)
        /// A few payments try it.
        ///
        /// Goes to `closed` by `closed`, after the policy's number of successes, and back to `open` with the first failure.
        case halfOpen
    }

    package private(set) var phase: Phase = .closed
    /// How often it opened without closing between.
    package private(set) var trips = 0
    /// When it changed last.
    package private(set) var changedAt: Timestamp = .epoch

    package init() {}

    /// The way that a payment without an account finds here.
    package enum Gate: Hashable, Sendable {
        case passable, shut, probing
    }

    package func gate(at now: Timestamp) -> Gate {
        switch phase {
        case .closed: .passable
        case .open(let until): now < until ? .shut : .probing
        case .halfOpen: .probing
        }
    }

    /// Outcomes count from this moment on: what was seen before has been judged, or was seen while nobody tried.
    package var countsFrom: Timestamp {
        switch phase {
        case .closed, .halfOpen: changedAt
        case .open(let until): until
        }
    }

    /// The changes that follow from counted outcomes.
    package func changes(_ seen: ProviderOutcomes, _ policy: BreakerPolicy, at now: Timestamp) -> [BreakerChange] {
        switch phase {
        case .closed:
            let total = seen.failures + seen.successes
            guard seen.failures >= policy.failures, seen.failures * 100 >= policy.percent * total else { return [] }
            return [.opened(seen, until: now.adding(policy.pause(trip: 1)), trip: 1)]
        case .open(let until):
            guard now >= until else { return [] }
            var probing = self
            probing.evolve(.halfOpened, at: now)
            return [.halfOpened] + probing.changes(seen, policy, at: now)
        case .halfOpen:
            if seen.failures > 0 {
                return [.opened(seen, until: now.adding(policy.pause(trip: trips + 1)), trip: trips + 1)]
            }
            return seen.successes >= policy.successes ? [.closed(seen)] : []
        }
    }

    /// The first payment that tries it after the pause.
    package func probed(at now: Timestamp) -> [BreakerChange] {
        guard case .open(let until) = phase, now >= until else { return [] }
        return [.halfOpened]
    }

    /// Applies one change; never fails and never decides.
    package mutating func evolve(_ change: BreakerChange, at time: Timestamp) {
        changedAt = time
        assert(mayFollow(change), "a breaker opens, half-opens and closes in this order")
        switch change {
        case .opened(_, let until, let trip):
            phase = .open(until: until)
            trips = trip
        case .halfOpened: phase = .halfOpen
        case .closed:
            phase = .closed
            trips = 0
        }
    }

    private func mayFollow(_ change: BreakerChange) -> Bool {
        switch (change, phase) {
        case (.opened, .closed), (.opened, .halfOpen), (.halfOpened, .open), (.closed, .halfOpen): true
        case (.opened, .open), (.halfOpened, .closed), (.halfOpened, .halfOpen), (.closed, .closed), (.closed, .open):
            false
        }
    }
}

/// How messages to one provider account ended in a stretch of time.
package struct ProviderOutcomes: Hashable, Sendable {
    package let failures: Int
    package let successes: Int
    package let from: Timestamp
    package let to: Timestamp
    /// A word for the failure that was seen last, as in `unreachable`.
    package let lastFailure: String?

    package init(failures: Int, successes: Int, from: Timestamp, to: Timestamp, lastFailure: String?) {
        self.failures = failures
        self.successes = successes
        self.from = from
        self.to = to
        self.lastFailure = lastFailure
    }
}

/// A change of a breaker, as an event keeps it.
package enum BreakerChange: Hashable, Sendable {
    case opened(ProviderOutcomes, until: Timestamp, trip: Int)
    case halfOpened
    case closed(ProviderOutcomes)
}

/// The sign that one message to a provider gave about the provider, not about the payment.
package enum HealthSignal: Hashable, Sendable {
    /// It answered, whatever it said.
    case up
    /// It could not be reached, said nothing, or said that it can't work now.
    case down(String)
}

/// Counts signs of one account over a sliding window, in steps of a sixth of it.
package struct OutcomeWindow: Hashable, Sendable {
    private struct Slot: Hashable, Sendable {
        let start: Timestamp
        var failures = 0
        var successes = 0
    }

    private var slots: [Slot] = []
    private var lastFailure: String?

    package init() {}

    package var hasFailures: Bool { slots.contains { $0.failures > 0 } }

    /// Counts one sign and forgets what is older than the window.
    ///
    /// Signs that were counted before `from` stay apart from those that come now.
    package mutating func note(_ sign: HealthSignal, at now: Timestamp, window: Duration, from: Timestamp = .epoch) {
        let start = now.adding(.zero - window)
        slots.removeAll { $0.start < start }
        if let last = slots.last, now < last.start.adding(window / 6), last.start >= from || now < from {
            // The newest slot still runs.
        } else {
            slots.append(Slot(start: now))
        }
        switch sign {
        case .up: slots[slots.count - 1].successes += 1
        case .down(let word):
            slots[slots.count - 1].failures += 1
            lastFailure = word
        }
    }

    /// The outcomes that were counted since a moment.
    package func outcomes(since moment: Timestamp, at now: Timestamp) -> ProviderOutcomes {
        let counted = slots.filter { $0.start >= moment }
        return ProviderOutcomes(
            failures: counted.reduce(0) { $0 + $1.failures },
            successes: counted.reduce(0) { $0 + $1.successes },
            from: counted.first?.start ?? now,
            to: now,
            lastFailure: counted.contains { $0.failures > 0 } ? lastFailure : nil
        )
    }

    /// Forgets everything: a change of the breaker was decided on it.
    package mutating func clear() {
        slots = []
        lastFailure = nil
    }
}
