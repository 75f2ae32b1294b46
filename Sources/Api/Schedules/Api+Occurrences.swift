import EventSourcing
import Http
import Kernel
import Payments
import Projections
import ProviderKit
import Schedules

/// Occurrences of schedules, ahead and behind.
extension Api {
    // MARK: Behind

    /// Every occurrence that was decided about, by ordinal.
    func listOccurrences(_ call: Call) async throws(Problem) -> HttpResponse {
        let range = try Self.range(call)
        let found = try await snapshot(of: try call.scheduleId(), call)
        let records = OccurrenceHistory(found.schedule.id, found.events).records
        return Self.page(records.map { ($0.ordinal, $0.json) }, range)
    }

    func scheduleEvents(_ call: Call) async throws(Problem) -> HttpResponse {
        let range = try Self.range(call)
        return Self.page(of: try await snapshot(of: try call.scheduleId(), call).log, range)
    }

    // MARK: Ahead

    /// Shows the next charges of a schedule, with all that was decided already.
    func previewOccurrences(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.query)
        let count = try form.integer("count", in: 1...ScheduleRule.previewedOccurrences) ?? PreviewForm.standardCount
        try form.end()
        let schedule = try await snapshot(of: try call.scheduleId(), call).schedule
        let calendar = try await calendar(of: schedule.terms?.rule, isNeeded: false)
        let context = ScheduleContext(
            now: try await businessNow(call),
            input: schedule.id.uuid,
            actor: call.actor.id,
            calendar: calendar,
            cards: try await cards(of: schedule.terms, call)
        )
        var answer = schedule.preview(count: count, context).members
        answer["schedule"] = schedule.id.json
        answer["status"] = .string(schedule.status.rawValue)
        answer["policy"] = schedule.terms?.policy.json
        answer["zoneDigest"] = (calendar?.zone.digest).map(Json.string)
        return .json(200, .object(answer))
    }

    /// When a rule would fall due, before anything is registered, and what would follow a decline.
    func previewSchedule(_ call: Call) async throws(Problem) -> HttpResponse {
        let form = try PreviewForm(call.body)
        guard let calendar = try await calendar(of: form.rule, isNeeded: true) else {
            throw Problem(.zoneUnknown, "There is no such zone.", path: "rule.zone")
        }
        let policy = try await policy(form.policy, call)
        let context = ScheduleContext(
            now: try await businessNow(call),
            input: Uuid(high: 0, low: 0),
            actor: call.actor.id,
            calendar: calendar
        )
        let terms = form.terms(policy: policy, now: context.now)
        do throws(ScheduleRejection) { try terms.checkCalendar() } catch {
            throw Problem(PlanFailure(code: error.code.rawValue, path: error.path, detail: error.detail))
        }
        var answer = JsonObject([("object", "preview")])
        if form.hasAmounts {
            answer = terms.preview(from: form.from, count: form.count, context).members
        } else {
            answer["items"] = .array(form.rule.preview(from: form.from, count: form.count, calendar).map(\.json))
        }
        answer["policy"] = policy.json
        answer["zoneDigest"] = .string(calendar.zone.digest)
        return .json(200, .object(answer))
    }

    /// Finds zone and holidays of a rule; a zone that nobody knows is `nil`.
    private func calendar(of rule: ScheduleRule?, isNeeded: Bool) async throws(Problem) -> CalendarData? {
        guard let rule else { return nil }
        let zone = try await reader.zone(named: rule.zone)
        guard let zone else { return nil }
        guard let name = rule.businessDays?.calendar else { return CalendarData(zone: zone) }
        let business = try await reader.businessCalendar(named: name)
        guard business != nil || !isNeeded else {
            throw Problem(.businessCalendarUnknown, "There is no such calendar.", path: "rule.businessDays.calendar")
        }
        return CalendarData(zone: zone, business: business)
    }

    private func cards(of terms: ScheduleTerms?, _ call: Call) async throws(Problem)
        -> [InstrumentId: ScheduleContext.Card]
    {
        var cards: [InstrumentId: ScheduleContext.Card] = [:]
        for id in [terms?.instrument, terms?.fallback].compactMap(\.self) {
            let found = try await reader.instrument(id, merchant: call.merchant)
            cards[id] = found.flatMap { ScheduleContext.Card($0) }
        }
        return cards
    }
}

extension SchedulePreview {
    fileprivate var members: JsonObject {
        var members = JsonObject([("object", "preview"), ("items", .array(items.map(\.json)))])
        members["end"] = end.map { .string($0.rawValue) }
        if !holds.isEmpty { members["holds"] = .array(holds.map { .string($0.rawValue) }) }
        return members
    }
}
