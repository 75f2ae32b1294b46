import Kernel
import Sandbox
import Testing

/// When the simulated platform debits a series by itself.
struct EcommpaySeriesCalendarTests {
    private func runs(_ terms: Json, after text: String, _ count: Int) throws -> [String] {
        let calendar = try #require(SeriesCalendar(terms))
        var moment = try #require(Timestamp(text))
        var found: [String] = []
        while found.count < count, let run = calendar.next(after: moment) {
            found.append(run.at.wholeSeconds + (run.amount.map { " \($0)" } ?? ""))
            moment = run.at
        }
        return found
    }

    @Test func `months keep the day of their start, and the last day where there is no such day`() throws {
        let terms: Json = ["interval": 1, "period": "M", "start_date": "31-01-2027", "time": "09:30:00"]
        #expect(
            try runs(terms, after: "2027-01-01T00:00:00Z", 4) == [
                "2027-01-31T09:30:00Z", "2027-02-28T09:30:00Z", "2027-03-31T09:30:00Z", "2027-04-30T09:30:00Z",
            ]
        )
    }

    @Test func `a series ends with its last day, and a list with its last date`() throws {
        let terms: Json = [
            "expiry_day": "20", "expiry_month": "01", "expiry_year": "2027", "interval": 1, "period": "W",
            "start_date": "06-01-2027",
        ]
        #expect(
            try runs(terms, after: "2027-01-01T00:00:00Z", 9) == [
                "2027-01-06T00:00:00Z", "2027-01-13T00:00:00Z", "2027-01-20T00:00:00Z",
            ]
        )
        let list: Json = ["schedule": [["amount": 500, "date": "01-02-2027"], ["amount": 700, "date": "01-03-2027"]]]
        #expect(
            try runs(list, after: "2027-02-01T00:00:00Z", 9) == ["2027-03-01T00:00:00Z 700"]
        )
    }

    @Test func `what has no calendar is debited by nobody here`() {
        #expect(SeriesCalendar(["type": "U"]) == nil)
        #expect(SeriesCalendar(["period": "X", "start_date": "01-02-2027"]) == nil)
    }
}
