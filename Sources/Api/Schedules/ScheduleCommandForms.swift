import Http
import Kernel
import Payments
import Schedules

extension ScheduleCommand {
    static func pause(_ body: Json) throws(Problem) -> ScheduleCommand {
        var form = try Form(body)
        let reason = try form.text("reason", characters: Limits.descriptionCharacters)
        try form.end()
        return .pause(reason: reason ?? "asked")
    }

    static func resume(_ body: Json) throws(Problem) -> ScheduleCommand {
        var form = try Form(body)
        let missed: ScheduleEvent.Missed? = try form.word("missed")
        try form.end()
        return .resume(missed ?? .skip)
    }

    static func cancel(_ body: Json) throws(Problem) -> ScheduleCommand {
        var form = try Form(body)
        let reason = try form.text("reason", characters: Limits.descriptionCharacters)
        try form.end()
        return .cancel(reason: reason)
    }

    static func run(_ body: Json) throws(Problem) -> ScheduleCommand {
        var form = try Form(body)
        let ordinal = try form.integer("ordinal", in: 1...Int64(ScheduleRule.ordinals))
        let amount = try form.positiveMoney("amount")
        let presence: Presence? = try form.word("presence")
        try form.end()
        return .run(ordinal: ordinal.map { Int($0) }, amount: amount, presence: presence ?? .unattended)
    }
}

/// `POST /v1/schedules/{schedule}/change`.
struct ChangeScheduleForm {
    /// `nil` where the policy stays.
    let policy: PolicyForm?
    private let amount: Money?
    private let instrument: InstrumentId?
    let rule: ScheduleRule?
    private let fallback: InstrumentId?
    private let nextDate: CivilDate?

    init(_ body: Json) throws(Problem) {
        var form = try Form(body)
        amount = try form.positiveMoney("amount")
        instrument = try form.id("instrument")
        fallback = try form.id("fallback")
        rule = try form.form("rule").map { (rule) throws(Problem) in try ScheduleRule(rule) }
        nextDate = try form.date("nextDate")
        policy = try form.form("policy").map { (policy) throws(Problem) in try PolicyForm(policy) }
        try form.end()
    }

    func change(_ policy: FiringPolicy?) -> ScheduleChange {
        ScheduleChange(
            amount: amount,
            instrument: instrument,
            fallback: fallback,
            rule: rule,
            nextDate: nextDate,
            policy: policy
        )
    }
}

/// `POST /v1/schedules/preview`.
struct PreviewForm {
    let rule: ScheduleRule
    let policy: PolicyForm
    let from: Int
    let count: Int
    private let amount: Money?
    private let mandate: Mandate

    static let standardCount = 12

    init(_ body: Json) throws(Problem) {
        var form = try Form(body)
        guard let calendar = try form.form("rule") else { throw form.missing("rule") }
        rule = try ScheduleRule(calendar)
        amount = try form.positiveMoney("amount")
        let given = try form.form("mandate")
        mandate = try CreateScheduleForm.mandate(given)
        if given != nil, amount == nil, rule.listedAmount(1) == nil {
            throw Problem(.amountMissing, "What a mandate allows is shown of charges: name an amount.", path: "mandate")
        }
        policy = try PolicyForm(try form.form("policy"))
        from = try form.int("from", 1...Int64(ScheduleRule.ordinals)) ?? 1
        count = try form.int("count", 1...Int64(ScheduleRule.previewedOccurrences)) ?? Self.standardCount
        try form.end()
    }

    /// Whether totals can be counted and amounts be shown.
    var hasAmounts: Bool { amount != nil || rule.listedAmount(1) != nil }

    /// Terms of no account: a preview looks at the calendar alone.
    func terms(policy: FiringPolicy, now: Timestamp) -> ScheduleTerms {
        ScheduleTerms(
            kind: .regular,
            runner: .paystream,
            presence: .unattended,
            account: Uuid(high: 0, low: 0),
            instrument: nil,
            fallback: nil,
            customer: nil,
            reference: nil,
            description: nil,
            amount: amount,
            rule: rule,
            mandate: mandate,
            activation: .sale,
            activateBy: now,
            policy: policy,
            details: [:],
            metadata: [:]
        )
    }
}

/// The forms of commands to a schedule in the document.
extension FormSchema {
    static let pauseSchedule = FormSchema(
        "PauseSchedule",
        Schema.closed([("reason", Schema.text("Kept with the schedule.", atMost: Limits.descriptionCharacters))])
    )

    static let resumeSchedule = FormSchema(
        "ResumeSchedule",
        Schema.closed([("missed", Schema.words(ScheduleEvent.Missed.self))])
    )

    static let runOccurrence = FormSchema(
        "RunOccurrence",
        Schema.closed([
            ("ordinal", ScheduleRule.ordinal), ("amount", Schema.ref("PositiveMoney")),
            ("presence", Schema.words(Presence.self)),
        ])
    )
}

extension ChangeScheduleForm {
    static let schema = FormSchema(
        "ChangeSchedule",
        Schema.closed([
            ("amount", Schema.ref("PositiveMoney")), ("instrument", Schema.id("ins")), ("fallback", Schema.id("ins")),
            ("rule", Schema.ref("ScheduleRule")), ("nextDate", Schema.date), ("policy", PolicyForm.schema),
        ]),
        example: ["amount": ["value": 2499, "currency": "EUR"]]
    )
}

extension PreviewForm {
    static let schema = FormSchema(
        "PreviewSchedule",
        Schema.closed(
            [
                ("rule", Schema.ref("ScheduleRule")), ("amount", Schema.ref("PositiveMoney")),
                ("mandate", Mandate.schema),
                ("policy", PolicyForm.schema), ("from", ScheduleRule.ordinal),
                ("count", Schema.integer(from: 1, to: Int64(ScheduleRule.previewedOccurrences))),
            ],
            required: ["rule"]
        ),
        example: ["rule": ScheduleRule.example, "count": 3]
    )
}
