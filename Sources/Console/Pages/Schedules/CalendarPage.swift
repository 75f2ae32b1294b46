import Api
import Http
import Kernel

/// A month of coming charges: each day with its charges and their sum by currency.
enum CalendarPage {
    static let all: [Page] = [.shown("/schedules/calendar", by: show)]

    /// Schedules that are looked at ahead; more are named as not shown.
    private static let schedules = 50

    private struct Charge {
        let schedule: String
        let title: String
        let amount: Json?
    }

    private static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let today = visit.reading.zone.local(visit.console.now).date
        let first = visit.parameter("month").flatMap { CivilDate($0 + "-01") } ?? CivilDate.firstOfMonth(today)
        guard visit.parameter("month") != nil, visit.parameter("zone") != nil else {
            return .seeOther(
                Address("schedules", "calendar").with("month", String(first.text.prefix(7)))
                    .with("zone", visit.reading.zone.name)
            )
        }
        let end = CivilDate.firstOfMonth(CivilDate(daysSinceEpoch: first.daysSinceEpoch + 31))
        let page = try await visit.read(
            "/v1/schedules",
            [
                ("order", "nextRun"), ("nextBefore", visit.reading.zone.start(of: end).description),
                ("limit", "\(schedules)"),
            ]
        )
        let charges = try await charges(visit, page["items"]?.items ?? [], from: first, to: end)
        return Layout(visit, visit.say(.calendar), .schedules).response {
            tag("p", .class("crumb")) { link(visit.say(.schedules), Address("schedules")) }
            heading(visit.formats.month(first), visit.say(.calendarHint)) {
                for (title, days) in [(Text.monthBefore, Int64(-1)), (.monthAfter, 31)] {
                    let other = CivilDate.firstOfMonth(CivilDate(daysSinceEpoch: first.daysSinceEpoch + days))
                    link(visit.say(title), visit.address.with("month", String(other.text.prefix(7))), "button")
                }
            }
            if page["next"] != nil {
                tag("p", .class("notice")) { visit.say(.calendarCut, ["count": "\(schedules)"]) }
            }
            if charges.isEmpty {
                emptyState(visit.say(.nothingComes), visit.say(.nothingComesHint))
            }
            month(visit, first, end, charges, today)
        }
    }

    /// What each schedule charges in the month, by day.
    private static func charges(_ visit: Visit, _ rows: [Json], from first: CivilDate, to end: CivilDate)
        async throws(Problem) -> [Int64: [Charge]]
    {
        var charges: [Int64: [Charge]] = [:]
        for row in rows {
            let id = row["id"]?.text ?? ""
            let preview = try await visit.read("/v1/schedules/\(id)/preview", [("count", "31")])
            for item in preview["items"]?.items ?? [] where item["state"]?.text != "skipped" {
                guard let at = item["at"]?.text.flatMap({ Timestamp($0) }) else { continue }
                let day = visit.reading.zone.local(at).date
                guard day >= first, day < end else { continue }
                let title = row["customer"]?.text ?? row["reference"]?.text ?? String(id.suffix(8))
                charges[day.daysSinceEpoch, default: []].append(
                    Charge(schedule: id, title: title, amount: item["amount"])
                )
            }
        }
        return charges
    }

    private static func month(
        _ visit: Visit,
        _ first: CivilDate,
        _ end: CivilDate,
        _ charges: [Int64: [Charge]],
        _ today: CivilDate
    ) -> Html {
        // Monday is the first day; 1970-01-01 was a Thursday.
        let lead = (first.daysSinceEpoch + 3) % 7
        return tag("ol", .class("month")) {
            for weekday in Text.weekdays { tag("li", .class("weekday"), .hidden) { visit.say(weekday) } }
            for _ in 0..<lead { tag("li", .class("other-day"), .hidden) { Html.empty } }
            for number in first.daysSinceEpoch..<end.daysSinceEpoch {
                day(visit, CivilDate(daysSinceEpoch: number), charges[number] ?? [], today)
            }
        }
    }

    private static func day(_ visit: Visit, _ date: CivilDate, _ charges: [Charge], _ today: CivilDate) -> Html {
        let kind = (charges.isEmpty ? "day day-empty" : "day") + (date == today ? " day-today" : "")
        return tag("li", .class(kind)) {
            tag("p", .class("day-name")) {
                tag("span", .class("unseen")) { visit.formats.day(date) }
                tag("span", .hidden) { "\(date.day)" }
            }
            if !charges.isEmpty {
                tag("p", .class("day-sum")) { visit.count(.charges, Int64(charges.count)) }
                tag("ul") {
                    for charge in charges.prefix(4) {
                        tag("li") {
                            tag("a", .href(Address("schedules", charge.schedule))) {
                                tag("strong") { visit.formats.money(charge.amount) }
                                " \(charge.title)"
                            }
                        }
                    }
                }
                if charges.count > 4 { tag("p", .class("hint")) { "+\(charges.count - 4)" } }
            }
        }
    }
}

extension CivilDate {
    fileprivate static func firstOfMonth(_ date: CivilDate) -> CivilDate {
        CivilDate(daysSinceEpoch: date.daysSinceEpoch - date.day + 1)
    }
}
