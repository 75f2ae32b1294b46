import Crypto
import EventSourcing
import Http
import Kernel
import Payments
import Projections
import ProviderKit
import Schedules
import Telemetry

extension Api {
    // MARK: Create

    func createSchedule(_ call: Call) async throws(Problem) -> HttpResponse {
        let submission = try await newSchedule(call)
        return try await answer(ScheduleId(submission.stream.id), call, try await submit(submission), done: 201)
    }

    /// The command that registers what the body holds.
    func newSchedule(_ call: Call) async throws(Problem) -> Submission {
        let form = try CreateScheduleForm(call.body)
        let id = form.id ?? ScheduleId(.version5(namespace: call.inputId, name: "schedule"))
        let account = try await accountOfSchedule(form, id, call)
        guard let facts = account.facts, let adapter = adapters[facts.provider] else {
            throw Problem(.providerUnknown, "The account's provider is not served here.", path: "account")
        }
        try CardScreen.check(details: form.details, for: [adapter.declaration])
        do throws(PlanFailure) { try adapter.checkPlain(form.details, for: .instrument) } catch { throw Problem(error) }
        try await refuseDropped(form.details, .schedule, facts, call)
        let paths = adapter.declaration.personalDetailPaths
        let details = try await seal(
            form.details,
            paths: paths,
            customer: form.customer,
            payment: PaymentId(id.uuid),
            merchant: call.merchant
        )
        let policy = try await policy(form.policy, call)
        let command = ScheduleCommand.create(
            form.terms(account: facts.id, details: details, policy: policy, now: try await businessNow(call))
        )
        let stream = StreamName(call.merchant, .schedule, id.uuid)
        return call.submission(stream, command.name.rawValue, command.canonical, account: facts.id)
    }

    /// The named account, the instrument's own, or the one that the rules choose for charges to a saved instrument.
    private func accountOfSchedule(_ form: CreateScheduleForm, _ id: ScheduleId, _ call: Call) async throws(Problem)
        -> Account
    {
        let accounts =
            if let name = form.account { try await accounts(call, naming: name) } else { try await accounts(call) }
        var chosen: Account?
        if let name = form.account {
            chosen = accounts.named(name)
            guard chosen != nil else { throw Problem(.accountUnknown, "There is no such account.", path: "account") }
        } else if let instrument = form.instrument {
            let found = try await reader.instrument(instrument, merchant: call.merchant)
            chosen = accounts[found?.saved?.account]
        } else {
            let decision = try await routing(call).route(
                form.question(id),
                among: adapters.routed(accounts),
                at: call.now
            )
            chosen = accounts[decision.chosen?.id]
        }
        guard let chosen else { throw Problem(.routeMissing, "No account of the routing takes this schedule.") }
        if let currency = form.amount?.currency, !chosen.takes(currency) {
            throw Problem(.currencyNotTaken, "The account does not take \(currency.code).", path: "amount.currency")
        }
        return chosen
    }

    // MARK: Commands to a schedule that exists

    func commandSchedule(_ call: Call, _ read: Endpoint.ScheduleReading) async throws(Problem) -> HttpResponse {
        let submission = try await submission(call, read)
        return try await answer(ScheduleId(submission.stream.id), call, try await submit(submission), done: 200)
    }

    /// Reads a command to the schedule in the path.
    func submission(_ call: Call, _ read: Endpoint.ScheduleReading) async throws(Problem) -> Submission {
        let schedule = try await snapshot(of: try call.scheduleId(), call).schedule
        let command = try await read(self)(call, schedule)
        let stream = StreamName(call.merchant, .schedule, schedule.id.uuid)
        return call.submission(stream, command.name.rawValue, command.canonical)
    }

    func changeSchedule(_ call: Call, _ schedule: Schedule) async throws(Problem) -> ScheduleCommand {
        if schedule.terms?.runner == .provider {
            try CreateScheduleForm.refuseOurs(call.body)
            // It debits the card that the first payment registered.
            guard call.body["instrument"]?.isNull ?? true else { throw CreateScheduleForm.ours("instrument") }
        }
        let form = try ChangeScheduleForm(call.body)
        guard let given = form.policy else { return .change(form.change(nil)) }
        try given.check(hasCalendar: form.rule != nil || schedule.terms?.rule != nil)
        return .change(form.change(try await policy(given, call)))
    }

    // MARK: Reading

    func getSchedule(_ call: Call) async throws(Problem) -> HttpResponse {
        .json(200, try await snapshot(of: try call.scheduleId(), call).schedule.shown)
    }

    func listSchedules(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.query)
        var query = ScheduleQuery()
        query.status = try form.word("status")
        query.customer = try form.text("customer")
        query.instrument = try form.id("instrument")
        query.reference = try form.text("reference")
        query.nextFrom = try form.time("nextFrom")
        query.nextBefore = try form.time("nextBefore")
        query.order = try form.word("order") ?? .newest
        let name = try form.text("account", bytes: AccountConfiguration.nameCharacters)
        query.limit = try form.integer("limit", in: 1...Limits.pageRows) ?? query.limit
        let seal = seal(of: form, call)
        query.cursor = try form.cursor(seal)
        try form.end()
        if let name {
            guard let account = try await account(named: name, call) else { return Self.page([], next: nil) }
            query.account = account.id
        }
        let narrowed = query
        let found = try await asked { () async throws(StoreFailure) in
            try await reader.tables.schedules(narrowed, merchant: call.merchant)
        }
        return Self.page(found.rows, next: found.next.map(seal.text))
    }

    func snapshot(of id: ScheduleId, _ call: Call) async throws(Problem) -> ScheduleSnapshot {
        let found = try await reader.schedule(id, merchant: call.merchant)
        guard let found else { throw .unknownSchedule }
        return found
    }

    private func answer(_ id: ScheduleId, _ call: Call, _ submitted: Submitted, done: Int) async throws(Problem)
        -> HttpResponse
    {
        let known = try await reader.schedule(id, merchant: call.merchant)
        let shown = known?.schedule.shown ?? ["id": id.json, "object": "schedule", "status": "accepted"]
        return HttpResponse.outcome(of: submitted, shown, done: done).with("Location", "/v1/schedules/\(id)")
    }
}

extension Call {
    /// The schedule in the path; what is no id names none.
    func scheduleId() throws(Problem) -> ScheduleId {
        guard let id = path["schedule"].flatMap({ ScheduleId($0) }) else { throw .unknownSchedule }
        return id
    }
}

extension Problem {
    static var unknownSchedule: Problem { Problem(.scheduleUnknown, "There is no such schedule.") }
}
