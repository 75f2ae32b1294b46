package import Kernel
package import Payments

/// Which movements a report is about.
package struct ReportQuery: Hashable, Sendable {
    /// Which of a movement's two times gives its day.
    package enum Time: String, Hashable, Sendable, CaseIterable {
        /// When its evidence was recorded: a day that is over stays as it is.
        case known
        /// When it happened at the provider.
        case effective
    }

    /// What was known at a place of the log or at a moment; later movements are left out.
    package enum AsOf: Hashable, Sendable {
        case position(Int64)
        case instant(Timestamp)

        /// The longest that either is written.
        package static let bytes = 40

        /// Reads a position, or a moment with its offset.
        package init?(_ text: String) {
            if let position = Int64(text), position >= 0, text == "\(position)" {
                self = .position(position)
            } else if let moment = Timestamp(text) {
                self = .instant(moment)
            } else {
                return nil
            }
        }
    }

    /// Of the IANA database; `nil` is the merchant's own.
    package var zone: String?
    /// Days from this one on, as `2026-11-21`.
    package var first: String?
    /// The first day that no longer counts.
    package var end: String?
    /// Of the account; `nil` is every one.
    package var mode: AccountFacts.Mode? = .live
    package var time = Time.known
    /// `nil` is all that the read model holds.
    package var asOf: AsOf?
    /// Lists the movements between this position and the other one, in place of the report.
    package var compared: AsOf?

    package init() {}

    /// The words of `mode`: those of accounts, and one for all of them.
    package static let modes = AccountFacts.Mode.allCases.map(\.rawValue) + ["all"]

    /// Reads what a report is asked for, from a request or from a command; what the report can't tell is refused.
    package init<Words: QuestionWords>(_ words: inout Words, of report: Report) throws(Words.Failure) {
        zone = try words.text("zone", bytes: 64)
        first = try words.day("from")
        end = try words.day("before")
        // Days are texts of one length: their order is that of time.
        if let first, let end, end <= first {
            throw words.refusal(of: "before", "It is the day behind the last one: later than the first.")
        }
        mode = try Self.mode(&words)
        time = try words.word("by") ?? .known
        asOf = try Self.position("asOf", &words)
        compared = try Self.position("compare", &words)
        guard time == .known || report.times.contains(time) else {
            throw words.refusal(of: "by", "What this report counts has the time of its evidence alone.")
        }
        guard compared == nil || report.isListed else {
            throw words.refusal(of: "compare", "What this report counts can't be listed.")
        }
    }

    /// The accounts that are asked about, live ones where nothing is said; `nil` is every one.
    package static func mode<Words: QuestionWords>(_ words: inout Words) throws(Words.Failure) -> AccountFacts.Mode? {
        guard let word = words.raw("mode") else { return .live }
        guard modes.contains(word) else {
            throw words.refusal(of: "mode", "Known words are: \(modes.joined(separator: ", ")).")
        }
        return AccountFacts.Mode(rawValue: word)
    }

    private static func position<Words: QuestionWords>(_ name: String, _ words: inout Words) throws(Words.Failure)
        -> AsOf?
    {
        guard let text = try words.text(name, bytes: AsOf.bytes) else { return nil }
        guard let position = AsOf(text) else {
            throw words.refusal(of: name, "A position, as 1200, or a moment, as 2026-11-21T10:00:00Z.")
        }
        return position
    }
}

/// What a report says beside its rows.
package struct ReportHead: Sendable {
    package let report: Report
    /// The place of the log that it was made at: what follows is not in it.
    package let position: Int64
    /// Behind this place begins what is listed, where two are compared.
    package var since: Int64?
    package let zone: String
    /// The first day that may still grow behind that position.
    package let openDay: String
    /// Streams that a read model set aside: what moved there last is missing.
    package let aside: Int64

    package init(_ report: Report, position: Int64, since: Int64? = nil, zone: String, openDay: String, aside: Int64) {
        self.report = report
        self.position = position
        self.since = since
        self.zone = zone
        self.openDay = openDay
        self.aside = aside
    }
}
