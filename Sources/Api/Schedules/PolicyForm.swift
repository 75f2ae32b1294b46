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

extension PolicyForm {
    /// A schedule's member `policy`.
    static var schema: Json {
        Schema.closed([
            (
                "catchUp",
                Schema.closed(
                    [
                        ("mode", Schema.words(CatchUp.Mode.self)),
                        ("cap", Schema.integer(from: 1, to: Int64(CatchUp.mostLate))),
                        ("graceSeconds", Schema.integer(from: 0, to: 86_400)),
                        ("spreadSeconds", Schema.integer(from: 0, to: 604_800)),
                    ],
                    required: ["mode"]
                )
            ),
            (
                "dunning",
                Schema.text(
                    "A dunning policy by its name; the newest version holds for this schedule.",
                    atMost: DunningPolicy.nameBytes
                )
            ),
            (
                "quiet",
                Schema.closed(
                    [
                        ("from", Schema.timeOfDay), ("to", Schema.timeOfDay),
                        ("zone", Schema.text("A zone of the IANA database.", atMost: ScheduleRule.zoneNameBytes)),
                    ],
                    required: ["from", "to", "zone"]
                )
            ),
        ])
    }
}
