import Kernel
import Payments
import ProviderKit

/// The registration of a series in the two spellings that the provider has for it.
enum Registration {
    /// The name of the debits that the platform makes by itself, unique at the project.
    static func reference(_ terms: RecurringTerms, of payment: String) -> String { terms.reference ?? payment + "-s" }

    /// `recurring`, one JSON text on Payment Page and an object in Gate.
    static func page(_ terms: RecurringTerms, of payment: String) -> Json {
        .compact([("register", true)] + members(terms, payment).map { ($0.wire, $0.value) })
    }

    /// `RecurrentInfo` of the SDK, by the names of its members.
    static func sdk(_ terms: RecurringTerms, of payment: String) -> Json {
        .compact([("register", true)] + members(terms, payment).map { ($0.sdk, $0.value) })
    }

    private struct Member {
        let wire: String
        let sdk: String
        let value: Json?
    }

    private static func members(_ terms: RecurringTerms, _ payment: String) -> [Member] {
        var members = [Member(wire: "type", sdk: "type", value: .string(type(terms.kind)))]
        func add(_ wire: String, _ sdk: String, _ value: Json?) {
            if let value { members.append(Member(wire: wire, sdk: sdk, value: value)) }
        }
        if let expiry = terms.expiry {
            add("expiry_day", "expiryDay", .string(CivilDate.padded(expiry.day, 2)))
            add("expiry_month", "expiryMonth", .string(CivilDate.padded(expiry.month, 2)))
            add("expiry_year", "expiryYear", .string(CivilDate.padded(expiry.year, 4)))
        }
        switch terms.plan {
        case nil: return members
        case .calendar(let calendar):
            add("period", "period", .string(period(calendar.period)))
            add("interval", "interval", .integer(Int64(calendar.interval)))
            add("time", "time", calendar.time.map(Json.string))
            add("start_date", "startDate", .string(date(calendar.start)))
        case .dates(let list):
            let entries = list.map { ["date": .string(date($0.date)), "amount": .integer($0.amount.minor)] as Json }
            add("schedule", "schedule", .array(entries))
        }
        add("scheduled_payment_id", "scheduledPaymentID", .string(reference(terms, of: payment)))
        add("amount", "amount", terms.amount.map { .integer($0.minor) })
        return members
    }

    static func type(_ kind: RecurringTerms.Kind) -> String {
        switch kind {
        case .oneClick: "C"
        case .regular: "R"
        case .autopayment: "U"
        }
    }

    /// The kind that a callback names; `I` and `Y` are seen and explained nowhere.
    static func kind(_ type: String) -> RecurringTerms.Kind? {
        RecurringTerms.Kind.allCases.first { self.type($0) == type }
    }

    private static func period(_ period: RecurringTerms.Period) -> String {
        switch period {
        case .day: "D"
        case .week: "W"
        case .month: "M"
        case .quarter: "Q"
        case .year: "Y"
        }
    }

    /// `DD-MM-YYYY`.
    private static func date(_ date: CivilDate) -> String {
        [CivilDate.padded(date.day, 2), CivilDate.padded(date.month, 2), CivilDate.padded(date.year, 4)]
            .joined(separator: "-")
    }
}
