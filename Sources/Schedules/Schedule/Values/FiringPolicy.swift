package import Kernel

/// The rules for an occurrence that could not be charged in time, or was declined.
package struct FiringPolicy: Hashable, Sendable {
    package let catchUp: CatchUp
    package let dunning: DunningPolicy
    package let quiet: QuietHours?

    package init(catchUp: CatchUp = .standard, dunning: DunningPolicy = .standard, quiet: QuietHours? = nil) {
        self.catchUp = catchUp
        self.dunning = dunning
        self.quiet = quiet
    }
}

/// The rules by which occurrences are charged that an outage or a pause made late.
package struct CatchUp: Hashable, Sendable {
    package enum Mode: String, Hashable, Sendable, CaseIterable {
        /// Each of them, the newest `cap` at most.
        case all
        /// The newest alone.
        case latest
        /// None.
        case none
    }

    package let mode: Mode
    package let cap: Int
    /// An occurrence is late when it could not be started for longer than this.
    package let graceSeconds: Int64
    /// Late occurrences start spread over a window of this length each, so that an outage is no storm of charges.
    package let spreadSeconds: Int64

    package static let mostLate = 31
    package static let standard = CatchUp(mode: .latest, cap: 1, graceSeconds: 3600, spreadSeconds: 3600)

    package init(mode: Mode, cap: Int, graceSeconds: Int64, spreadSeconds: Int64) {
        self.mode = mode
        self.cap = cap
        self.graceSeconds = graceSeconds
        self.spreadSeconds = spreadSeconds
    }

    /// How many late occurrences are charged at most.
    var kept: Int {
        switch mode {
        case .all: cap
        case .latest: 1
        case .none: 0
        }
    }
}

/// Hours of the customer's day in which nothing is charged that was not due then: retries and late occurrences wait.
package struct QuietHours: Hashable, Sendable {
    package let from: TimeOfDay
    /// The first moment at which may be charged again; before `from` where the night is meant.
    package let to: TimeOfDay
    package let zone: String

    package init(from: TimeOfDay, to: TimeOfDay, zone: String) {
        self.from = from
        self.to = to
        self.zone = zone
    }

    /// The moment itself, or the end of the quiet hours that it falls into.
    package func next(_ moment: Timestamp, in zone: ZoneData) -> Timestamp {
        let (date, time) = zone.local(at: moment)
        let isQuiet = from <= to ? (from..<to).contains(time) : time >= from || time < to
        guard isQuiet else { return moment }
        let endsTomorrow = from > to && time >= from
        guard let day = endsTomorrow ? date.adding(days: 1) : date else { return moment }
        let end = zone.instant(of: day, to, skipped: .gapEnd, doubled: .second).at
        return max(end, moment)
    }
}

/// Why a charge was declined; the words are those that adapters read out of a provider's codes.
package enum DeclineKind: String, Hashable, Sendable, CaseIterable {
    case hard, soft, insufficientFunds, stepUpRequired, instrumentInvalid, fraud, configuration, providerDown, unknown
}

/// The rules that follow a decline; the version is in every event that it decides.
package struct DunningPolicy: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        /// Again after so many seconds each: the first entry follows the first try.
        case retry(afterSeconds: [Int64])
        /// The customer is asked to take part until so long after.
        case stepUp(seconds: Int64)
        /// The fallback instrument is charged at once, where there is one.
        case replaceInstrument
        case giveUp
    }

    package enum GiveUp: String, Hashable, Sendable, CaseIterable {
        /// The schedule waits for somebody.
        case pause
        case cancel
        /// The occurrence alone is given up.
        case mark
    }

    package let name: String
    package let version: Int
    package let steps: [DeclineKind: Step]
    /// Limits that the card schemes set.
    package let caps: [NetworkCap]
    package let giveUp: GiveUp
    /// Whether an occurrence is given up when its next try would not come before the next occurrence.
    package let endsAtNext: Bool

    package static let nameBytes = 64
    package static let retriesPerOccurrence = 20
    /// How long a retry or a step-up may wait.
    package static let delaySeconds: ClosedRange<Int64> = 60...60 * 86_400

    package init(
        name: String,
        version: Int,
        steps: [DeclineKind: Step],
        caps: [NetworkCap],
        giveUp: GiveUp,
        endsAtNext: Bool
    ) {
        self.name = name
        self.version = version
        self.steps = steps
        self.caps = caps
        self.giveUp = giveUp
        self.endsAtNext = endsAtNext
    }

    /// The same policy under another version.
    package func numbered(_ version: Int) -> DunningPolicy {
        DunningPolicy(name: name, version: version, steps: steps, caps: caps, giveUp: giveUp, endsAtNext: endsAtNext)
    }

    private static let hour: Int64 = 3600
    private static let day: Int64 = 86_400

    /// The policy that holds where a merchant says nothing.
    package static let standard = DunningPolicy(
        name: "standard",
        version: 1,
        steps: [
            .hard: .replaceInstrument, .soft: .retry(afterSeconds: [day, 3 * day, 7 * day]),
            .insufficientFunds: .retry(afterSeconds: [day, 2 * day, 3 * day, 5 * day]),
            .stepUpRequired: .stepUp(seconds: 3 * day), .instrumentInvalid: .replaceInstrument, .fraud: .giveUp,
            .configuration: .giveUp, .providerDown: .retry(afterSeconds: [hour, 4 * hour, day]),
            .unknown: .retry(afterSeconds: [day]),
        ],
        caps: [
            NetworkCap(scheme: "visa", attempts: 15, days: 30),
            NetworkCap(scheme: "mastercard", attempts: 10, days: 1),
            NetworkCap(scheme: "mastercard", attempts: 35, days: 30),
        ],
        giveUp: .pause,
        endsAtNext: true
    )
}

/// So many tries of one series in so many days.
package struct NetworkCap: Hashable, Sendable {
    /// `nil` for every card.
    package let scheme: String?
    package let attempts: Int
    package let days: Int

    package static let longestDays = 60

    package init(scheme: String?, attempts: Int, days: Int) {
        self.scheme = scheme
        self.attempts = attempts
        self.days = days
    }
}
