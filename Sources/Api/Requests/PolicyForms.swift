import Http
import Kernel
import Schedules

/// The member `policy` of a schedule; its dunning policy is known by name alone.
struct PolicyForm {
    /// `nil` where the schedule takes what the merchant's schedules take.
    let dunning: String?
    /// Whether it says what becomes of late occurrences, which only a calendar has.
    let saysCatchUp: Bool
    private let catchUp: CatchUp
    private let quiet: QuietHours?

    init(_ given: Form?) throws(Problem) {
        guard var form = given else {
            (dunning, saysCatchUp, catchUp, quiet) = (nil, false, .standard, nil)
            return
        }
        dunning = try form.text("dunning", bytes: DunningPolicy.nameBytes)
        let late = try form.form("catchUp")
        saysCatchUp = late != nil
        catchUp = try Self.catchUp(late)
        quiet = try Self.quiet(try form.form("quiet"))
        try form.end()
    }

    /// Refuses what would change nothing of a schedule that has no calendar.
    func check(hasCalendar: Bool) throws(Problem) {
        guard saysCatchUp, !hasCalendar else { return }
        throw .notAllowed("policy.catchUp", "Nothing falls due without a calendar, so nothing is ever late.")
    }

    func policy(_ dunning: DunningPolicy) -> FiringPolicy {
        FiringPolicy(catchUp: catchUp, dunning: dunning, quiet: quiet)
    }

    private static func catchUp(_ given: Form?) throws(Problem) -> CatchUp {
        guard var form = given else { return .standard }
        guard let mode: CatchUp.Mode = try form.word("mode") else { throw form.missing("mode") }
        let catchUp = CatchUp(
            mode: mode,
            cap: try form.int("cap", 1...Int64(CatchUp.mostLate)) ?? CatchUp.mostLate,
            graceSeconds: try form.integer("graceSeconds", in: 0...86_400) ?? CatchUp.standard.graceSeconds,
            spreadSeconds: try form.integer("spreadSeconds", in: 0...604_800) ?? CatchUp.standard.spreadSeconds
        )
        try form.end()
        return catchUp
    }

    private static func quiet(_ given: Form?) throws(Problem) -> QuietHours? {
        guard var form = given else { return nil }
        guard let from = try form.timeOfDay("from") else { throw form.missing("from") }
        guard let to = try form.timeOfDay("to") else { throw form.missing("to") }
        let zone = try form.needed("zone", bytes: ScheduleRule.zoneNameBytes)
        try form.end()
        return QuietHours(from: from, to: to, zone: zone)
    }
}

/// `PUT /v1/dunning-policies/{policy}`: what it does not say is as in the standard policy.
struct DunningForm {
    private var steps = DunningPolicy.standard.steps
    private let caps: [NetworkCap]
    private let giveUp: DunningPolicy.GiveUp
    private let endsAtNext: Bool

    static let mostCaps = 20

    init(_ body: Json) throws(Problem) {
        var form = try Form(body)
        if var given = try form.form("steps") {
            for kind in DeclineKind.allCases {
                guard var step = try given.form(kind.rawValue) else { continue }
                steps[kind] = try Self.step(&step)
                try step.end()
            }
            try given.end()
        }
        caps = try Self.caps(&form)
        giveUp = try form.word("giveUp") ?? DunningPolicy.standard.giveUp
        endsAtNext = try form.flag("endsAtNext") ?? DunningPolicy.standard.endsAtNext
        try form.end()
    }

    /// The card networks' own caps hold beside whatever a merchant adds.
    func policy(named name: String, version: Int) -> DunningPolicy {
        let networks = DunningPolicy.standard.caps
        return DunningPolicy(
            name: name,
            version: version,
            steps: steps,
            caps: networks + caps.filter { !networks.contains($0) },
            giveUp: giveUp,
            endsAtNext: endsAtNext
        )
    }

    private enum StepName: String, CaseIterable { case retry, stepUp, replaceInstrument, giveUp }

    private static func step(_ form: inout Form) throws(Problem) -> DunningPolicy.Step {
        guard let name: StepName = try form.word("is") else { throw form.missing("is") }
        switch name {
        case .retry:
            guard let given = form.value("afterSeconds") else { throw form.missing("afterSeconds") }
            guard let items = given.items else { throw form.wrongType("afterSeconds", "A list") }
            guard (1...DunningPolicy.retriesPerOccurrence).contains(items.count) else {
                throw Problem(
                    .tooMany,
                    "1 to \(DunningPolicy.retriesPerOccurrence) retries.",
                    path: form.place("afterSeconds")
                )
            }
            var delays: [Int64] = []
            for item in items {
                guard let delay = item.integer, DunningPolicy.delaySeconds.contains(delay) else {
                    throw Problem(
                        .numberOutOfRange,
                        "Each is \(DunningPolicy.delaySeconds.lowerBound) to \(DunningPolicy.delaySeconds.upperBound).",
                        path: form.place("afterSeconds")
                    )
                }
                delays.append(delay)
            }
            return .retry(afterSeconds: delays)
        case .stepUp:
            guard let seconds = try form.integer("seconds", in: DunningPolicy.delaySeconds) else {
                throw form.missing("seconds")
            }
            return .stepUp(seconds: seconds)
        case .replaceInstrument: return .replaceInstrument
        case .giveUp: return .giveUp
        }
    }

    private static func caps(_ form: inout Form) throws(Problem) -> [NetworkCap] {
        guard let given = form.value("caps") else { return [] }
        guard let items = given.items else { throw form.wrongType("caps", "A list") }
        guard items.count <= mostCaps else {
            throw Problem(.tooMany, "At most \(mostCaps) caps.", path: form.place("caps"))
        }
        var caps: [NetworkCap] = []
        for (index, item) in items.enumerated() {
            var line = try Form(item, at: form.path.appending("caps").appending(String(index)))
            let scheme = try line.text("scheme", bytes: DunningPolicy.nameBytes)
            guard let attempts = try line.int("attempts", 1...1000) else { throw line.missing("attempts") }
            guard let days = try line.int("days", 1...Int64(NetworkCap.longestDays)) else { throw line.missing("days") }
            try line.end()
            caps.append(NetworkCap(scheme: scheme, attempts: attempts, days: days))
        }
        return caps
    }
}
