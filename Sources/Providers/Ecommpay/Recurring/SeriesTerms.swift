import Crypto
import Kernel
import Payments
import ProviderKit
import Schedules

/// A schedule in the words in which the platform keeps a series.
enum SeriesTerms {
    /// Fails where the platform has no words for what the schedule says.
    static func registration(_ schedule: ScheduleTerms, zone: String) throws(PlanFailure) -> RecurringTerms {
        guard let rule = schedule.rule else {
            throw PlanFailure(code: "rule_missing", path: "rule", detail: "the platform debits on a calendar")
        }
        guard schedule.kind == .regular else {
            throw PlanFailure(code: "rule_not_allowed", path: "kind", detail: "only a regular series has a calendar")
        }
        guard schedule.mandate.minimumDays == nil else {
            throw refused("mandate.minimumDays", "the platform knows no least distance of two debits")
        }
        try check(rule, zone)
        let ends = [rule.end.lastDate, schedule.mandate.expiresOn].compactMap(\.self)
        return RecurringTerms(
            kind: .regular,
            plan: try plan(rule),
            amount: rule.listedAmount(1) == nil ? schedule.amount : nil,
            expiry: ends.min(),
            reference: nil
        )
    }

    /// The first payment registers the series under the schedule's own name: a second registration meets the first.
    static func enrol(_ payment: PaymentTerms, in schedule: ScheduleTerms, _ settings: EcommpaySettings)
        throws(PlanFailure) -> PaymentTerms
    {
        guard let occurrence = payment.occurrence, occurrence.ordinal == 0 else { return payment }
        let wanted: RecurringTerms
        switch schedule.runner {
        case .provider:
            let terms = try registration(schedule, zone: settings.seriesZone)
            let name = "s" + Base32.encode(occurrence.schedule.bytes)
            wanted = RecurringTerms(
                kind: terms.kind,
                plan: terms.plan,
                amount: terms.amount,
                expiry: terms.expiry,
                reference: name
            )
        case .paystream:
            guard schedule.presence == .unattended, settings.gateToken.path(.sale) == nil else { return payment }
            wanted = RecurringTerms(kind: .autopayment, expiry: schedule.mandate.expiresOn)
        }
        if let given = payment.recurring, given != wanted {
            throw PlanFailure(
                code: "recurring_mismatch",
                path: "recurring",
                detail: "the schedule registers the series"
            )
        }
        return payment.with(recurring: wanted)
    }

    private static func check(_ rule: ScheduleRule, _ zone: String) throws(PlanFailure) {
        guard rule.zone == zone else {
            throw PlanFailure(
                code: "zone_not_of_account",
                path: "rule.zone",
                detail: "the platform debits this account's series by the clock of \(zone)"
            )
        }
        guard rule.end.count == nil, rule.end.total == nil else {
            throw refused("rule.end", "the platform's series end on a day")
        }
        guard rule.businessDays == nil else { throw refused("rule.businessDays", "the platform shifts no debits") }
        guard rule.anchorDay == nil || rule.anchorDay.map(Int64.init) == rule.start.day else {
            throw refused("rule.anchorDay", "the platform debits on the day of the start")
        }
    }

    private static func refused(_ path: String, _ detail: String) -> PlanFailure {
        PlanFailure(code: "rule_not_allowed", path: path, detail: detail)
    }

    private static func plan(_ rule: ScheduleRule) throws(PlanFailure) -> RecurringTerms.Plan {
        switch rule.cadence {
        case .dates(let list):
            guard list.count <= RecurringTerms.instalmentsAtMost else {
                throw PlanFailure(
                    code: "dates_too_many",
                    path: "rule.dates",
                    detail: "at most \(RecurringTerms.instalmentsAtMost)"
                )
            }
            return .dates(list.map { RecurringTerms.Instalment(date: $0.date, amount: $0.amount) })
        case .every(let every, let period):
            let (unit, factor) = Self.words(period)
            guard RecurringTerms.intervals.contains(every * factor) else {
                throw PlanFailure(code: "interval_out_of_range", path: "rule.every", detail: "1 to 100 periods")
            }
            return .calendar(
                RecurringTerms.Calendar(
                    period: unit,
                    interval: every * factor,
                    start: rule.start,
                    time: rule.time.text
                )
            )
        }
    }

    /// The platform has no half-years: they are two quarters.
    private static func words(_ period: Period) -> (RecurringTerms.Period, Int) {
        switch period {
        case .day: (.day, 1)
        case .week: (.week, 1)
        case .month: (.month, 1)
        case .quarter: (.quarter, 1)
        case .halfYear: (.quarter, 2)
        case .year: (.year, 1)
        }
    }
}

/// Gate's answer to a change or the end of a series.
enum SeriesAnswer {
    static func outcome(_ answer: MessageAnswer, _ ask: SeriesAsk) -> SeriesOutcome {
        switch answer {
        case .notSent(let reason), .noAnswer(let reason): return .unknown(reason: reason)
        case .answered(let status, let body):
            switch Answer.read(status, body, isQuery: false).verdict {
            case .accepted, .answered, .duplicate: return .done
            // Who cancels twice, or cancels what has ended, has what they want.
            case .rejected(let code) where ask == .cancel && code.map(Self.over.contains) == true: return .done
            case .rejected(let code), .configuration(let code): return .refused(code: code)
            case .notFound: return .refused(code: nil)
            case .unknown(let reason): return .unknown(reason: reason)
            }
        }
    }

    /// The series is cancelled, or its end has come.
    private static let over: Set<String> = ["3184", "3301"]
}
