import Crypto
import Decisions
import Ecommpay
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import Schedules
import Telemetry
import TestKit
import Testing

/// A series that the provider runs, in the whole engine: registered by a payment, followed by its debits, changed and ended
/// by messages of its own.
struct ProviderSeriesTests {
    static let series: Int64 = 1_640_000_321

    func euros(_ minor: Int64) throws -> Money { Money(minor, try #require(Currency("EUR"))) }

    /// The harness begins on 2027-01-15T08:00:00Z.
    func terms(_ harness: EngineHarness, runner: ScheduleRunner = .provider, zone: String = "Europe/Moscow")
        throws -> ScheduleTerms
    {
        ScheduleTerms(
            kind: .regular,
            runner: runner,
            presence: .unattended,
            account: harness.account,
            instrument: nil,
            fallback: nil,
            customer: "cust-7",
            reference: "sub-1",
            description: nil,
            amount: try euros(1999),
            rule: ScheduleRule(
                cadence: .every(1, .month),
                start: try #require(CivilDate("2027-01-20")),
                time: try #require(TimeOfDay("10:00")),
                zone: zone
            ),
            mandate: Mandate(),
            activation: .sale,
            activateBy: harness.clock.now.adding(.seconds(86_400)),
            policy: FiringPolicy(),
            details: ["payer": ["email": "payer@example.org"]],
            metadata: [:]
        )
    }

    func stream(_ harness: EngineHarness) -> StreamName {
        StreamName(harness.merchant, .schedule, Uuid(high: 0x5CED, low: 1))
    }

    func schedule(_ harness: EngineHarness) async throws -> Schedule {
        try Schedule.fold(stream(harness), try await harness.store.load([(stream(harness), 0)])[0])
    }

    func send(_ harness: EngineHarness, _ command: ScheduleCommand, key: String) async throws -> String? {
        let outcome = await harness.command(stream(harness), command.name.rawValue, command.json, key: key)
        switch outcome {
        case .decided(_, .events): return nil
        case .decided(_, .rejected(let code, _)): return code
        case .duplicate, .busy, .fenced, .undecidable, .foreign, .unavailable: throw HarnessFailure(what: "\(outcome)")
        }
    }

    func harness() async throws -> EngineHarness {
        let harness = try await EngineHarness(
            settings: ["currencies": ["EUR"], "projectId": 42, "seriesZone": "Europe/Moscow"],
            zones: FixedZones()
        )
        harness.wire.play { _ in .answered(.json(200, ["project_id": 42, "request_id": "r-1", "status": "success"])) }
        return harness
    }

    /// The payment that activates the schedule, as the adapter enrols it.
    func first(_ harness: EngineHarness, isOfSchedule: Bool = true) async throws -> PaymentId {
        let id = PaymentId(.version5(namespace: CommandIntake.inputId(harness.merchant, key: "first"), name: "payment"))
        let plain = PaymentTerms(
            mode: .sale,
            method: .hosted,
            amount: try euros(100),
            reference: "first",
            description: nil,
            customer: "cust-7",
            instrument: nil,
            expiresAt: harness.clock.now.adding(.seconds(3600)),
            details: ["payer": ["email": "payer@example.org"]],
            metadata: [:],
            occurrence: isOfSchedule ? OccurrenceName(schedule: stream(harness).id, ordinal: 0) : nil
        )
        let facts = AccountFacts(id: harness.account, name: "e", provider: "ecommpay", mode: .test, version: 1)
        let settings = AccountSettings(
            account: facts,
            values: ["currencies": ["EUR"], "projectId": 42, "seriesZone": "Europe/Moscow"],
            notificationUrl: "",
            returnUrl: ""
        )
        let wanted = try #require(try await schedule(harness).terms)
        let enrolled = try EcommpayAdapter().enrol(plain, in: wanted, settings)
        let outcome = await harness.command(
            harness.stream(id),
            PaymentCommand.Name.create.rawValue,
            enrolled.json,
            key: "first"
        )
        guard case .decided(_, .events) = outcome else { throw HarnessFailure(what: "create: \(outcome)") }
        return id
    }

    /// A callback about a payment of this name at the platform.
    func tell(
        _ harness: EngineHarness,
        _ payment: PaymentId,
        named name: String? = nil,
        type: String = "sale",
        status: String = "success",
        code: String = "0",
        minor: Int64 = 100,
        series: Json? = nil
    ) async throws {
        let own = try await harness.payment(payment).attempt?.reference
        let operation = CallbackOperation(
            id: minor + Int64(name?.utf8.count ?? 0),
            type: type,
            status: status,
            minor: minor
        )
        var members = operation.json.members ?? JsonObject([])
        members["code"] = .string(code)
        let date = String(harness.clock.now.wholeSeconds.dropLast()) + "+0000"
        members["created_date"] = .string(date)
        members["date"] = .string(date)
        let body = Json.compact([
            ("operation", .object(members)),
            ("payment", ["id": .string(name ?? own ?? ""), "method": "card", "status": .string(status)]),
            ("project_id", 42), ("recurring", series ?? ["currency": "EUR", "id": .integer(Self.series)]),
        ]).compactBytes
        try await admit(harness, payment, body)
    }

    func admit(_ harness: EngineHarness, _ payment: PaymentId, _ body: [UInt8]) async throws {
        let input = InputRecord(
            id: .version5(namespace: harness.account, name: Hex.encode(Digest.sha256(body))),
            stream: harness.stream(payment),
            kind: .notification,
            name: "ecommpay.notification",
            meta: Json.object(JsonObject([("trust", "verified")])).canonical,
            body: body,
            receivedAt: harness.clock.now
        )
        _ = try await harness.store.admit([input])
        try await harness.settle()
    }

    func move(_ harness: EngineHarness, to text: String) async throws {
        let moment = try #require(Timestamp(text))
        harness.clock.advance(by: moment.since(harness.clock.now))
        try await harness.settle()
    }

    func active() async throws -> (EngineHarness, PaymentId) {
        let harness = try await harness()
        #expect(try await send(harness, .create(try terms(harness)), key: "create") == nil)
        let payment = try await first(harness)
        try await tell(harness, payment)
        return (harness, payment)
    }

    func sent(_ harness: EngineHarness, _ suffix: String) -> [Json] {
        harness.wire.sent.filter { $0.url.hasSuffix(suffix) }.compactMap { try? Json($0.body) }
    }

    func checkBooks(_ harness: EngineHarness) async throws {
        let report = try await harness.engine.replay.verify()
        #expect(report.isClean, "\(report.differences)")
        let licenses = try await LicenseCheck(store: harness.store, adapters: AdapterRegistry([EcommpayAdapter()]))
            .verify()
        #expect(licenses.isClean, "\(licenses.breaches)")
    }

    @Test func `the first payment registers the series, and the platform's debits pay its occurrences`() async throws {
        let (harness, payment) = try await active()
        let registered = try await harness.payment(payment).terms?.recurring
        #expect(registered?.plan != nil && registered?.reference?.hasPrefix("s") == true)
        var seen = try await schedule(harness)
        #expect(seen.status == .active && seen.activation?.series == String(Self.series))
        #expect(seen.activation?.reference == (try await harness.payment(payment).attempt?.reference))
        try await move(harness, to: "2027-01-20T07:00:05Z")
        // Under way: nothing is known yet.
        try await tell(harness, payment, named: "p-1", type: "recurring", status: "processing", minor: 1999)
        #expect(try await schedule(harness).paid.isEmpty)
        try await tell(harness, payment, named: "p-1", type: "recurring", minor: 1999)
        seen = try await schedule(harness)
        #expect(seen.paid.keys.sorted() == [1] && seen.collected == 1999)
        // The same again says nothing new, and the registering payment's own money is untouched.
        try await tell(harness, payment, named: "p-1", type: "recurring", status: "success", minor: 1999)
        #expect(try await schedule(harness).collected == 1999)
        #expect(try await harness.payment(payment).amounts.captured == 100)
        #expect(sent(harness, "/recurring").isEmpty)
        try await checkBooks(harness)
    }

    @Test func `a declined debit and its repetition are tries of one occurrence, and a stranger is an alert`()
        async throws
    {
        let (harness, payment) = try await active()
        try await move(harness, to: "2027-01-20T07:00:05Z")
        try await tell(
            harness,
            payment,
            named: "p-1",
            type: "recurring",
            status: "decline",
            code: "10105",
            minor: 1999
        )
        #expect(try await schedule(harness).paid.isEmpty)
        try await move(harness, to: "2027-01-20T19:00:05Z")
        try await tell(harness, payment, named: "p-1-again", type: "recurring", minor: 1999)
        #expect(try await schedule(harness).paid.keys.sorted() == [1])
        try await tell(harness, payment, named: "p-odd", type: "recurring", minor: 1999)
        #expect(try await schedule(harness).unmatched.count == 1)
        #expect(try await schedule(harness).collected == 1999)
        try await checkBooks(harness)
    }

    /// How many alerts were raised that a person must see.
    func alerts(_ harness: EngineHarness) -> Int64 {
        ["debit_unmatched", "series"].reduce(0) { sum, what in
            let labels: KeyValuePairs = ["provider": "ecommpay", "what": what]
            return sum + harness.metrics.counter("paystream_money_alarms_total", help: "", labels: labels).value
        }
    }

    @Test
    func `a payer who registers a series that was cancelled meanwhile is not debited: the platform is told to stop`()
        async throws
    {
        let harness = try await harness()
        #expect(try await send(harness, .create(try terms(harness)), key: "create") == nil)
        let payment = try await first(harness)
        try await harness.settle()
        #expect(try await send(harness, .cancel(reason: "changed my mind"), key: "cancel") == nil)
        #expect(sent(harness, "/recurring/cancel").isEmpty, "there is no series yet")
        try await tell(harness, payment)
        try await harness.settle()
        let cancel = try #require(sent(harness, "/recurring/cancel").first)
        #expect(cancel.at("recurring", "id") == .integer(Self.series))
        let seen = try await schedule(harness)
        #expect(seen.status == .cancelled && seen.unwanted == [payment] && seen.liveEffects.isEmpty)
        #expect(alerts(harness) == 1)
        // Before the platform heard of it, it may have debited: somebody must know.
        try await tell(harness, payment, named: "p-1", type: "recurring", minor: 1999)
        #expect(try await schedule(harness).anomalies == [.registrationUnwanted: 1, .debitUnmatched: 1])
        #expect(alerts(harness) == 2)
        try await checkBooks(harness)
    }

    @Test func `a debit of another amount, and one that never came, are alerts`() async throws {
        let (harness, payment) = try await active()
        try await move(harness, to: "2027-01-20T07:00:05Z")
        try await tell(harness, payment, named: "p-1", type: "recurring", minor: 2999)
        #expect(try await schedule(harness).anomalies == [.amountDiffers: 1] && alerts(harness) == 1)
        try await move(harness, to: "2027-03-25T07:00:05Z")
        #expect(try await schedule(harness).anomalies[.debitMissing] == 1 && alerts(harness) == 2)
        try await checkBooks(harness)
    }

    @Test func `a debit of a series that belongs to no schedule is an alert`() async throws {
        let harness = try await harness()
        let payment = try await harness.create(.sale, minor: 100, key: "alone")
        try await tell(harness, payment)
        try await tell(harness, payment, named: "p-1", type: "recurring", minor: 1999)
        #expect(try await harness.payment(payment).seriesDebits.count == 1)
        #expect(alerts(harness) == 1)
        try await checkBooks(harness)
    }

    @Test func `a change and the end are told to the platform, and a lost answer is asked for again`() async throws {
        let (harness, _) = try await active()
        #expect(try await send(harness, .change(ScheduleChange(amount: try euros(2999))), key: "change") == nil)
        try await harness.settle()
        let update = try #require(sent(harness, "/recurring/update").first)
        #expect(update.at("recurring", "amount") == 2999 && update.at("recurring", "id") == .integer(Self.series))
        #expect(try await schedule(harness).request?.word == "done")
        let answers = Locked(0)
        harness.wire.play { _ in
            let count = answers.withLock { count in
                count += 1
                return count
            }
            return count == 1
                ? .answered(HttpResponse(status: 502, contentType: "text/html", body: []))
                : .answered(.json(200, ["project_id": 42, "request_id": "r-2", "status": "success"]))
        }
        #expect(try await send(harness, .cancel(reason: "moved"), key: "cancel") == nil)
        try await harness.settle()
        #expect(try await schedule(harness).request?.word == "asked")
        harness.clock.advance(by: .seconds(60))
        try await harness.settle()
        #expect(sent(harness, "/recurring/cancel").count == 2)
        let seen = try await schedule(harness)
        #expect(seen.status == .cancelled && seen.request?.word == "done" && seen.liveEffects.isEmpty)
        try await checkBooks(harness)
    }

    @Test func `a series that its payer ended at the platform is cancelled here without a message`() async throws {
        let (harness, payment) = try await active()
        let body: Json = [
            "project_id": 42, "recurring": ["id": .integer(Self.series), "status": "cancelled", "type": "R"],
        ]
        try await admit(harness, payment, body.compactBytes)
        #expect(try await schedule(harness).status == .cancelled)
        #expect(sent(harness, "/recurring/cancel").isEmpty)
    }

    @Test func `what the platform can't do is refused`() async throws {
        let (harness, _) = try await active()
        #expect(try await send(harness, .pause(reason: "x"), key: "pause") == "runner_is_provider")
        let day: CivilDate = try #require(CivilDate("2027-01-25"))
        let date = ScheduleChange(nextDate: day)
        #expect(try await send(harness, .change(date), key: "date") == "runner_is_provider")
        let rule = ScheduleRule(
            cadence: .every(1, .month),
            start: try #require(CivilDate("2027-02-20")),
            time: try #require(TimeOfDay("10:00")),
            zone: "Test/East"
        )
        #expect(try await send(harness, .change(ScheduleChange(rule: rule)), key: "zone") == "zone_not_of_account")
        let other = try await self.harness()
        let odd = try terms(other, zone: "Test/East")
        #expect(try await send(other, .create(odd), key: "create") == "zone_not_of_account")
    }

    @Test func `a series that we run is debited by its id where the account has no address for tokens`() async throws {
        let harness = try await harness()
        #expect(try await send(harness, .create(try terms(harness, runner: .paystream)), key: "create") == nil)
        let payment = try await first(harness)
        #expect(try await harness.payment(payment).terms?.recurring?.kind == .autopayment)
        try await tell(harness, payment)
        #expect(try await schedule(harness).status == .active)
        try await move(harness, to: "2027-01-20T07:00:00Z")
        let debit = try #require(sent(harness, "/v2/payment/card/recurring").first)
        #expect(debit.at("recurring", "id") == .integer(Self.series) && debit.at("payment", "amount") == 1999)
        let id = try await schedule(harness).payment(1, attempt: 1)
        try await tell(harness, id, type: "recurring", minor: 1999)
        #expect(try await schedule(harness).paid[1] == id)
        try await checkBooks(harness)
    }
}
