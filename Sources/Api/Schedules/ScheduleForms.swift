import Http
import Kernel
import Payments
import Schedules

extension Form {
    mutating func date(_ name: String) throws(Problem) -> CivilDate? {
        guard let value = value(name) else { return nil }
        guard let text = value.text else { throw wrongType(name, "A text") }
        guard let date = CivilDate(text) else {
            throw Problem(.timeMalformed, "A date is written as in 2026-01-31.", path: path(of: name))
        }
        return date
    }

    mutating func timeOfDay(_ name: String) throws(Problem) -> TimeOfDay? {
        guard let value = value(name) else { return nil }
        guard let text = value.text else { throw wrongType(name, "A text") }
        guard let time = TimeOfDay(text) else {
            throw Problem(.timeMalformed, "A time of day is written as in 09:30 or 09:30:00.", path: path(of: name))
        }
        return time
    }

    /// A member that is an object of its own.
    mutating func form(_ name: String) throws(Problem) -> Form? {
        guard let value = value(name) else { return nil }
        return try Form(value, at: path.appending(name))
    }

    mutating func int(_ name: String, _ range: ClosedRange<Int64>) throws(Problem) -> Int? {
        try integer(name, in: range).map { Int($0) }
    }
}

extension ScheduleRule {
    /// Reads a rule; what a rule may be beside its form is the aggregate's to say.
    init(_ given: Form) throws(Problem) {
        var form = given
        guard let zone = try form.text("zone", bytes: Self.zoneNameBytes) else { throw form.missing("zone") }
        let cadence = try Self.cadence(&form)
        var start = try form.date("start")
        if case .dates(let list) = cadence, start == nil { start = list.first?.date }
        guard let start else { throw form.missing("start") }
        let anchor = try form.integer("anchorDay", in: 1...31)
        let time = try form.timeOfDay("time") ?? .noon
        let end = try Self.end(try form.form("end"))
        let skipped: SkippedHour? = try form.word("skippedHour")
        let doubled: DoubledHour? = try form.word("doubledHour")
        let business = try Self.business(try form.form("businessDays"))
        try form.end()
        self.init(
            cadence: cadence,
            start: start,
            anchorDay: anchor.map { Int($0) },
            time: time,
            zone: zone,
            end: end,
            skippedHour: skipped ?? .later,
            doubledHour: doubled ?? .first,
            businessDays: business
        )
    }

    private static func cadence(_ form: inout Form) throws(Problem) -> Cadence {
        let every = try form.int("every", 1...Int64(interval))
        let period: Period? = try form.word("period")
        guard let dates = form.value("dates") else {
            guard let period else { throw form.missing("period") }
            return .every(every ?? 1, period)
        }
        guard every == nil, period == nil else {
            throw Problem(.memberUnknown, "A list of dates has no period.", path: form.path(of: "dates"))
        }
        guard let items = dates.items else { throw form.wrongType("dates", "A list") }
        guard items.count <= datesPerList else {
            throw Problem(.tooMany, "At most \(datesPerList) dates.", path: form.path(of: "dates"))
        }
        var list: [DatedAmount] = []
        for (index, item) in items.enumerated() {
            var line = try Form(item, at: form.path.appending("dates").appending(String(index)))
            guard let date = try line.date("date") else { throw line.missing("date") }
            guard let amount = try line.positiveMoney("amount") else { throw line.missing("amount") }
            try line.end()
            list.append(DatedAmount(date, amount))
        }
        return .dates(list)
    }

    private static func end(_ given: Form?) throws(Problem) -> RuleEnd {
        guard var form = given else { return RuleEnd() }
        let end = RuleEnd(
            lastDate: try form.date("lastDate"),
            count: try form.int("count", 1...Int64(ordinals)),
            total: try form.positiveMoney("total")
        )
        try form.end()
        return end
    }

    private static func business(_ given: Form?) throws(Problem) -> BusinessDayRule? {
        guard var form = given else { return nil }
        guard let shift: BusinessDayShift = try form.word("shift") else { throw form.missing("shift") }
        let calendar = try form.needed("calendar", bytes: zoneNameBytes)
        try form.end()
        return BusinessDayRule(shift: shift, calendar: calendar)
    }
}

/// `POST /v1/schedules`, read as far as no account is known yet.
struct CreateScheduleForm {
    /// As its client made it.
    let id: ScheduleId?
    let account: String?
    let instrument: InstrumentId?
    let customer: String?
    let amount: Money?
    let details: Json
    let policy: PolicyForm
    private let kind: ScheduleKind
    private let runner: ScheduleRunner
    private let presence: Presence
    private let fallback: InstrumentId?
    private let reference: String?
    private let description: String?
    private let rule: ScheduleRule?
    private let mandate: Mandate
    private let activation: ActivationMode
    private let activateBy: Timestamp?
    private let metadata: Json

    /// How long a schedule waits for its first payment where the client names no end.
    static let standardPatience = Duration.seconds(7 * 86_400)

    init(_ body: Json) throws(Problem) {
        var form = try Form(body)
        id = try form.madeId()
        guard let kind: ScheduleKind = try form.word("kind") else { throw form.missing("kind") }
        self.kind = kind
        runner = try form.word("runner") ?? .paystream
        presence = try form.word("presence") ?? (kind == .oneClick ? .customerPresent : .unattended)
        account = try form.text("account", bytes: AccountConfiguration.nameCharacters)
        instrument = try form.id("instrument")
        fallback = try form.id("fallback")
        customer = try form.text("customer", bytes: Limits.identifierBytes)
        reference = try form.text("reference", bytes: Limits.referenceBytes)
        description = try form.text("description", characters: Limits.descriptionCharacters)
        amount = try form.positiveMoney("amount")
        rule = try form.form("rule").map { (rule) throws(Problem) in try ScheduleRule(rule) }
        mandate = try Self.mandate(try form.form("mandate"))
        activation = try form.word("activation") ?? .sale
        activateBy = try form.time("activateBy")
        policy = try PolicyForm(try form.form("policy"))
        details = form.value("details") ?? [:]
        try FreeForm.check(details, at: "details")
        metadata = try FreeForm.labels(form.value("metadata"), at: "metadata")
        try form.end()
        try policy.check(hasCalendar: rule != nil)
        guard runner == .provider else { return }
        try Self.refuseOurs(body)
        guard presence == .unattended else { throw Self.ours("presence") }
        guard details.members?.isEmpty ?? true else { throw Self.ours("details") }
    }

    /// Fails on what only we could keep: a provider that runs a series debits by itself and hears none of it.
    static func refuseOurs(_ body: Json) throws(Problem) {
        for path in [["fallback"], ["policy"], ["rule", "skippedHour"], ["rule", "doubledHour"]] {
            let given = path.reduce(Json?.some(body)) { $0?[$1] }
            guard given?.isNull ?? true else { throw ours(path.joined(separator: ".")) }
        }
    }

    static func ours(_ path: String) -> Problem {
        .notAllowed(path, "The provider debits this series by itself and can't be told.")
    }

    /// The question to the rules for its charges: a saved instrument pays them.
    func question(_ id: ScheduleId) -> RouteQuestion {
        RouteQuestion(payment: PaymentId(id.uuid), mode: .sale, method: .instrument, amount: amount, customer: customer)
    }

    static func mandate(_ given: Form?) throws(Problem) -> Mandate {
        guard var form = given else { return Mandate() }
        let mandate = Mandate(
            expiresOn: try form.date("expiresOn"),
            minimumDays: try form.int("minimumDays", 1...366)
        )
        try form.end()
        return mandate
    }

    func terms(account: Uuid, details: Json, policy: FiringPolicy, now: Timestamp) -> ScheduleTerms {
        ScheduleTerms(
            kind: kind,
            runner: runner,
            presence: presence,
            account: account,
            instrument: instrument,
            fallback: fallback,
            customer: customer,
            reference: reference,
            description: description,
            amount: amount,
            rule: rule,
            mandate: mandate,
            activation: activation,
            activateBy: activateBy ?? now.adding(Self.standardPatience),
            policy: policy,
            details: details,
            metadata: metadata
        )
    }
}

/// Schemas of calendars, mandates and new schedules.
extension ScheduleRule {
    static let example: Json = [
        "every": 1, "period": "month", "start": "2099-01-31", "time": "10:00", "zone": "Europe/Moscow",
    ]
    static var ordinal: Json { Schema.integer(from: 1, to: Int64(ordinals)) }
    private static var zoneSchema: Json {
        Schema.text("A zone of the IANA database, as in Europe/Moscow.", atMost: zoneNameBytes)
    }

    static var schema: Json {
        Schema.closed(
            [
                ("every", Schema.integer(from: 1, to: Int64(interval))),
                ("period", Schema.words(Period.self)),
                (
                    "dates",
                    Schema.list(
                        Schema.closed(
                            [("date", Schema.date), ("amount", Schema.ref("PositiveMoney"))],
                            required: ["date", "amount"]
                        )
                    )
                ),
                ("start", Schema.date), ("anchorDay", Schema.integer(from: 1, to: 31)), ("time", Schema.timeOfDay),
                ("zone", zoneSchema),
                (
                    "end",
                    Schema.closed([
                        ("lastDate", Schema.date), ("count", ordinal), ("total", Schema.ref("PositiveMoney")),
                    ])
                ),
                ("skippedHour", Schema.words(SkippedHour.self)), ("doubledHour", Schema.words(DoubledHour.self)),
                (
                    "businessDays",
                    Schema.closed(
                        [("shift", Schema.words(BusinessDayShift.self)), ("calendar", Schema.text(atMost: 64))],
                        required: ["shift", "calendar"]
                    )
                ),
            ],
            required: ["zone"],
            "A period with a start, or a list of dates. Anchors never decay: the 31st comes back after shorter months."
        )
    }
}

extension Mandate {
    static var schema: Json {
        Schema.closed(
            [("expiresOn", Schema.date), ("minimumDays", Schema.integer(from: 1, to: 366))],
            "What the customer agreed to; nothing is charged outside it."
        )
    }
}

extension CreateScheduleForm {
    static let schema = FormSchema(
        "CreateSchedule",
        Schema.closed(
            [
                ("id", Schema.madeId("sch")), ("kind", Schema.words(ScheduleKind.self)),
                ("runner", Schema.words(ScheduleRunner.self)), ("presence", Schema.words(Presence.self)),
                ("account", Schema.text("The account by its name.", atMost: AccountConfiguration.nameCharacters)),
                ("instrument", Schema.id("ins")), ("fallback", Schema.id("ins", "Charged where the other can't be.")),
                ("customer", Schema.text(atMost: Limits.identifierBytes)),
                ("reference", Schema.text(atMost: Limits.referenceBytes)),
                ("description", Schema.text(atMost: Limits.descriptionCharacters)),
                ("amount", Schema.ref("PositiveMoney")),
                ("rule", Schema.ref("ScheduleRule")), ("mandate", Mandate.schema),
                ("activation", Schema.words(ActivationMode.self)), ("activateBy", Schema.time),
                ("policy", PolicyForm.schema),
                ("details", Schema.free), ("metadata", Schema.free),
            ],
            required: ["kind"],
            "Becomes active by a customer-present payment that names it in its member schedule."
        ),
        example: [
            "kind": "regular", "amount": ["value": 1999, "currency": "EUR"], "customer": "cust-7",
            "presence": "customerPresent", "rule": ScheduleRule.example,
            "details": ["payer": ["email": "payer@example.org"]],
        ]
    )
}
