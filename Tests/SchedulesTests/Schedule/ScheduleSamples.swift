import EventSourcing
import Kernel
import Schedules

/// One stored event of each shape.
enum ScheduleSamples {
    private static let at = Timestamp("2026-01-31T07:00:00Z") ?? .epoch
    private static let payment = PaymentId(Uuid(high: 2, low: 7))
    private static let policy = ScheduleEvent.PolicyVersion(name: "standard", version: 1)

    static let all: [(name: String, event: ScheduleEvent)] = registrations + occurrences + endings

    private static var fullRule: ScheduleRule {
        ScheduleRule(
            cadence: .every(2, .quarter),
            start: CivilDate("2026-02-28") ?? CivilDate(daysSinceEpoch: 0),
            anchorDay: 31,
            time: TimeOfDay("23:59:59") ?? .noon,
            zone: "America/New_York",
            end: RuleEnd(lastDate: CivilDate("2030-01-01"), count: 12, total: .rubles(100_000)),
            skippedHour: .gapEnd,
            doubledHour: .second,
            businessDays: BusinessDayRule(shift: .modifiedFollowing, calendar: "us")
        )
    }

    private static var fullTerms: ScheduleTerms {
        ScheduleTerms(
            kind: .autopayment,
            runner: .provider,
            presence: .customerPresent,
            account: Uuid(high: 9, low: 9),
            instrument: ScheduleStory.card,
            fallback: ScheduleStory.spare,
            customer: "c-1",
            reference: "sub-1",
            description: "Tea, monthly",
            amount: .rubles(500),
            rule: fullRule,
            mandate: Mandate(expiresOn: CivilDate("2030-01-01"), minimumDays: 28),
            activation: .sale,
            activateBy: at,
            policy: FiringPolicy(
                catchUp: CatchUp(mode: .all, cap: 3, graceSeconds: 600, spreadSeconds: 1800),
                dunning: .standard,
                quiet: QuietHours(from: .noon, to: .midnight, zone: "Asia/Tokyo")
            ),
            details: ["ip": "192.0.2.1"],
            metadata: ["plan": "gold"]
        )
    }

    private static var listed: ScheduleTerms {
        let dates = ["2026-02-01", "2026-03-15"].compactMap { CivilDate($0) }
        return Terms.monthly("2026-02-01", cadence: .dates(dates.map { DatedAmount($0, .rubles(7)) }))
    }

    private static let registrations: [(String, ScheduleEvent)] = [
        ("schedule.registered.v1", .registered(Terms.monthly(), by: "alice", at: at)),
        ("schedule.registered.v1.full", .registered(fullTerms, by: "alice", at: at)),
        ("schedule.registered.v1.list", .registered(listed, by: "alice", at: at)),
        (
            "schedule.registered.v1.bare",
            .registered(Terms.make(kind: .autopayment, rule: nil, amount: nil), by: "a", at: at)
        ),
        ("schedule.activated.v1", .activated(ScheduleStory.activation, at: at)),
        (
            "schedule.activated.v1.bare",
            .activated(Activation(payment: payment, mode: .sale, instrument: nil, series: nil), at: at)
        ),
        (
            "schedule.registration_unwanted.v1",
            .registrationUnwanted(
                Activation(payment: payment, mode: .sale, instrument: nil, series: "4711", reference: "p-1"),
                at: at
            )
        ),
        ("schedule.changed.v1", .changed(ScheduleChange(amount: .rubles(700)), by: "alice", at: at)),
        (
            "schedule.changed.v1.full",
            .changed(
                ScheduleChange(
                    amount: .rubles(700),
                    instrument: ScheduleStory.card,
                    fallback: ScheduleStory.spare,
                    rule: fullRule,
                    nextDate: CivilDate("2026-02-03"),
                    details: [:]
                ),
                by: "alice",
                at: at
            )
        ),
        (
            "schedule.changed.v1.policy",
            .changed(ScheduleChange(policy: FiringPolicy(dunning: Terms.marking)), by: "alice", at: at)
        ),
        ("schedule.paused.v1", .paused(reason: "dunning", by: "policy", at: at)),
        ("schedule.resumed.v1", .resumed(.catchUp, by: "alice", at: at)),
    ]

    private static func plan(_ digest: String?, _ reasons: [RuleOccurrence.Reason]) -> ScheduleEvent {
        .planned(
            OccurrencePlan(
                ordinal: 3,
                date: CivilDate("2026-01-31") ?? CivilDate(daysSinceEpoch: 0),
                dueAt: at,
                startAt: at.adding(.seconds(90)),
                amount: .rubles(500),
                zoneDigest: digest,
                reasons: reasons,
                isLate: digest != nil
            )
        )
    }

    private static func started(_ instrument: InstrumentId?, _ origin: ScheduleRunner) -> ScheduleEvent {
        .started(
            OccurrenceTry(
                ordinal: 3,
                attempt: 2,
                payment: payment,
                amount: .rubles(500),
                instrument: instrument,
                presence: .unattended,
                origin: origin,
                at: at
            )
        )
    }

    private static func retried(_ instrument: InstrumentId?) -> ScheduleEvent {
        .retried(OccurrenceRetry(ordinal: 3, startAt: at, instrument: instrument, after: .soft, policy: policy))
    }

    private static let occurrences: [(String, ScheduleEvent)] = [
        ("occurrence.planned.v1", plan("f3e7fcaa", [.shortMonth, .businessDayShift])),
        ("occurrence.planned.v1.asked", plan(nil, [])),
        ("occurrence.started.v1", started(ScheduleStory.card, .paystream)),
        ("occurrence.started.v1.provider", started(nil, .provider)),
        ("occurrence.succeeded.v1", .succeeded(ordinal: 3, payment: payment, amount: .rubles(500), at: at)),
        ("occurrence.paid_twice.v1", .paidTwice(ordinal: 3, payment: payment, amount: .rubles(500), at: at)),
        (
            "occurrence.failed.v1",
            .failed(ordinal: 3, payment: payment, .init(kind: .insufficientFunds, code: "51"), at: at)
        ),
        (
            "occurrence.failed.v1.bare",
            .failed(ordinal: 3, payment: nil, .init(kind: .instrumentInvalid, code: nil), at: at)
        ),
        ("occurrence.retried.v1", retried(nil)),
        ("occurrence.retried.v1.fallback", retried(ScheduleStory.spare)),
        (
            "occurrence.step_up_requested.v1",
            .stepUpRequested(ordinal: 3, payment: payment, deadline: at, policy: policy)
        ),
        ("occurrence.gave_up.v1", .gaveUp(ordinal: 3, .pause, policy: policy, at: at)),
        ("occurrence.skipped.v1", .skipped(first: 3, last: 5, .late, at: at)),
        ("occurrence.skipped.v1.activation", .skipped(first: 1, last: 2, .beforeActivation, at: at)),
    ]

    private static let endings: [(String, ScheduleEvent)] = [
        (
            "schedule.debit_unmatched.v1",
            .debitUnmatched(payment: payment, series: "4711", amount: .rubles(500), at: at)
        ),
        (
            "schedule.instrument_expiry_noticed.v1",
            .expiryNoticed(ScheduleStory.card, CardExpiry(year: 2026, month: 2), ordinal: 3, at: at)
        ),
        ("schedule.completed.v1", .completed(at: at)),
        ("schedule.cancelled.v1", .cancelled(reason: nil, by: "alice", at: at)),
        ("schedule.cancelled.v1.reason", .cancelled(reason: "moved away", by: "alice", at: at)),
        ("schedule.expired.v1", .expired(.mandate, at: at)),
        ("schedule.request_licensed.v1", .requestLicensed(license(.update))),
        ("schedule.request_licensed.v1.cancel", .requestLicensed(license(.cancel))),
        ("schedule.request_licensed.v1.unwanted", .requestLicensed(license(.cancel, series: "4712"))),
        ("schedule.request_observed.v1", .requestObserved(effect, ordinal: 1, .done, at: at)),
        ("schedule.request_observed.v1.refused", .requestObserved(effect, ordinal: 1, .refused(code: "3181"), at: at)),
        (
            "schedule.request_observed.v1.unknown",
            .requestObserved(effect, ordinal: 2, .unknown(reason: "timeout"), at: at)
        ),
        ("schedule.request_ended.v1", .requestEnded(effect, at: at)),
    ]

    private static let effect = EffectId(Uuid(high: 2, low: 9))

    private static func license(_ ask: SeriesAsk, series: String? = nil) -> SeriesLicense {
        SeriesLicense(
            ask,
            series: series,
            MessageLicense(
                effect: effect,
                ordinal: 1,
                templateDigest: "00",
                account: Uuid(high: 2, low: 10),
                accountVersion: 2,
                adapterVersion: 1,
                licensedAt: at,
                sendBefore: at
            )
        )
    }
}
