import EventSourcing
import Kernel
import Payments
import Testing

/// What a series may be, before any provider is asked.
struct RecurringTermsTests {
    private func day(_ text: String) -> CivilDate {
        guard let day = CivilDate(text) else { preconditionFailure("\(text) is a day") }
        return day
    }

    private func calendar(_ start: String, interval: Int = 1, time: String? = nil) -> RecurringTerms.Plan {
        .calendar(RecurringTerms.Calendar(period: .month, interval: interval, start: day(start), time: time))
    }

    private func dates(_ list: [(String, Int64)]) -> RecurringTerms.Plan {
        .dates(list.map { RecurringTerms.Instalment(date: day($0.0), amount: .cents($0.1)) })
    }

    /// The path of the refusal, on 2026-03-02.
    private func path(_ recurring: RecurringTerms, _ mode: PaymentMode = .sale, customer: String? = "c") -> String? {
        do throws(Rejection) {
            try recurring.check(with: Samples.terms(mode, customer: customer), on: day("2026-03-02"))
            return nil
        } catch { return error.path ?? error.code }
    }

    @Test func `a sound series passes with a sale, a hold and a verification`() {
        for mode in [PaymentMode.sale, .authorize, .verify] {
            #expect(path(RecurringTerms(kind: .regular, plan: calendar("2026-03-02", time: "23:59:59")), mode) == nil)
        }
        #expect(path(RecurringTerms(kind: .regular, plan: dates([("2026-03-02", 1), ("2026-03-03", 2)]))) == nil)
        #expect(path(RecurringTerms(kind: .autopayment, expiry: day("2026-03-02"))) == nil)
    }

    @Test func `what can't be carried out is refused at its place`() {
        let regular = RecurringTerms.Kind.regular
        #expect(path(RecurringTerms(kind: regular), .tokenize) == "recurring")
        #expect(path(RecurringTerms(kind: regular), customer: nil) == "customer")
        #expect(path(RecurringTerms(kind: regular, expiry: day("2026-03-01"))) == "recurring.expiry")
        #expect(
            path(RecurringTerms(kind: regular, plan: calendar("2026-05-01"), expiry: day("2026-04-30")))
                == "recurring.expiry"
        )
        #expect(path(RecurringTerms(kind: regular, plan: calendar("2026-03-01"))) == "recurring.calendar.start")
        for interval in [0, 101] {
            let plan = calendar("2026-03-02", interval: interval)
            #expect(path(RecurringTerms(kind: regular, plan: plan)) == "recurring.calendar.interval")
        }
        for time in ["24:00:00", "9:30:00", "09:30"] {
            let plan = calendar("2026-03-02", time: time)
            #expect(path(RecurringTerms(kind: regular, plan: plan)) == "recurring.calendar.time")
        }
        #expect(path(RecurringTerms(kind: .oneClick, plan: calendar("2026-03-02"))) == "recurring.calendar")
        #expect(path(RecurringTerms(kind: regular, plan: dates([]))) == "recurring.dates")
        let unsorted = dates([("2026-03-04", 1), ("2026-03-03", 1)])
        #expect(path(RecurringTerms(kind: regular, plan: unsorted)) == "recurring.dates.1.date")
        let twice = dates([("2026-03-04", 1), ("2026-03-04", 1)])
        #expect(path(RecurringTerms(kind: regular, plan: twice)) == "recurring.dates.1.date")
        #expect(path(RecurringTerms(kind: regular, plan: dates([("2026-03-04", 0)]))) == "recurring.dates.0.amount")
        #expect(path(RecurringTerms(kind: regular, amount: Money(5, Samples.dollar))) == "recurring.amount")
        #expect(path(RecurringTerms(kind: regular, reference: "a b")) == "recurring.reference")
    }

    @Test func `terms of a series survive their stored form`() throws {
        let all = [
            RecurringTerms(kind: .oneClick), RecurringTerms(kind: .autopayment, amount: .cents(5), reference: "s-1"),
            RecurringTerms(kind: .regular, plan: calendar("2026-02-28", interval: 7, time: "00:00:00")),
            RecurringTerms(kind: .regular, plan: dates([("2026-03-04", 3)]), expiry: day("2030-12-31")),
        ]
        for terms in all { #expect(try RecurringTerms(Fields(terms.json)) == terms) }
    }

    @Test func `a series that has ended stays ended, in whichever order its messages come`() throws {
        var story = try Story(.sale)
        let active = SeriesFact(id: "1", isActive: true, kind: nil)
        let ended = SeriesFact(id: "1", isActive: false, kind: .regular)
        for fact in [ended, active, active, ended] { story.observe(.series(fact)) }
        #expect(story.payment.series == ended)
        #expect(story.log.filter { if case .seriesReported = $0 { true } else { false } }.count == 1)
        story.observe(.series(SeriesFact(id: "2", isActive: true, kind: nil)))
        #expect(story.payment.contradictions == [.identity])
    }

    @Test func `days are read and written as they are`() {
        #expect(CivilDate("2024-02-29")?.text == "2024-02-29")
        for odd in ["2023-02-29", "2026-1-1", "2026-01-01T", "", "-026-01-01", "2026/01/01"] {
            #expect(CivilDate(odd) == nil, "\(odd)")
        }
        #expect(CivilDate(Timestamp(seconds: -1)).text == "1969-12-31")
        #expect(CivilDate(Timestamp(seconds: 86_399)).text == "1970-01-01")
    }

    @Test func `a debit beyond those that are followed is a contradiction, told once`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale))
        func debit(_ number: Int) -> Fact {
            .seriesDebit(
                SeriesDebit(payment: "p-\(number)", series: "1", amount: .cents(500), outcome: .succeeded, at: nil)
            )
        }
        story.observe(.facts((0..<4096).map(debit), trust: .verified, dispatch: nil))
        #expect(story.payment.seriesDebits.count == 4096 && story.payment.flags.announced.isEmpty)
        story.observe(debit(4096))
        #expect(story.payment.flags.announced.map(\.detail) == ["series 1: more than 4096 debits"])
        story.observe(debit(4097))
        #expect(story.last.events.isEmpty)
    }
}
