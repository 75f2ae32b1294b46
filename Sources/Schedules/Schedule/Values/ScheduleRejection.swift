package import Kernel

/// Why a command to a schedule was refused: a stable code for programs, a sentence for people.
package struct ScheduleRejection: Error, Hashable, Sendable, JsonWritable {
    package enum Code: String, Hashable, Sendable, CaseIterable {
        case scheduleUnknown = "schedule_unknown"
        case scheduleExists = "schedule_exists"
        case scheduleOver = "schedule_over"
        case notActive = "schedule_not_active"
        case recurrenceNotSupported = "recurrence_not_supported"
        case runnerNotSupported = "runner_not_supported"
        case runnerIsProvider = "runner_is_provider"
        case unattendedNotSupported = "unattended_not_supported"
        case cannotActivate = "activation_not_possible"
        case ruleMissing = "rule_missing"
        case ruleNotAllowed = "rule_not_allowed"
        case ruleInvalid = "rule_invalid"
        case zoneUnknown = "zone_unknown"
        case calendarUnknown = "business_calendar_unknown"
        case startInPast = "start_in_past"
        case activateByInPast = "activate_by_in_past"
        case expiryInPast = "expiry_in_past"
        case expiryBeforeStart = "expiry_before_start"
        case expiryMissing = "expiry_missing"
        case datesUnsorted = "dates_unsorted"
        case datesRepeated = "dates_repeated"
        case datesTooMany = "dates_too_many"
        case intervalOutOfRange = "interval_out_of_range"
        case periodNotSupported = "period_not_supported"
        case minimumDaysOutOfRange = "minimum_days_out_of_range"
        case tooClose = "charges_too_close"
        case amountMissing = "amount_missing"
        case amountOutOfRange = "amount_out_of_range"
        case currencyMismatch = "currency_mismatch"
        case seriesEmpty = "series_empty"
        case policyInvalid = "policy_invalid"
        case instrumentMissing = "instrument_missing"
        case occurrenceUnknown = "occurrence_unknown"
        case occurrenceInFlight = "occurrence_in_flight"
        case dateOutOfOrder = "date_out_of_order"
        case changeEmpty = "change_empty"
        case commandMalformed = "command_malformed"
    }

    package let code: Code
    package let detail: String
    package let path: String?

    package init(_ code: Code, _ detail: String, path: String? = nil) {
        self.code = code
        self.detail = detail
        self.path = path
    }

    package func write(into out: inout JsonText) {
        out.member("code", code)
        out.member("detail", detail)
        out.member("path", path)
    }
}
