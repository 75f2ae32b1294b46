import Api
import Http
import Kernel

/// The days and the accounts that a page of figures is about; its address says all of it, so that a link shows the same to everybody.
package struct Period: Sendable {
    let first: CivilDate
    /// The first day that no longer counts.
    let end: CivilDate
    let zone: Zone
    /// As the API says it: `live`, `test`, `live-autocancel` or `all`.
    let mode: String

    package static let modes = ["live", "test", "live-autocancel", "all"]
    /// Days that a chart has room for.
    static let days: Int64 = 92

    var dayCount: Int64 { end.daysSinceEpoch - first.daysSinceEpoch }
    var dates: [CivilDate] {
        (first.daysSinceEpoch..<end.daysSinceEpoch).map { CivilDate(daysSinceEpoch: $0) }
    }

    /// The query of the API.
    var query: [(name: String, value: String)] {
        [("from", first.text), ("before", end.text), ("zone", zone.name), ("mode", mode)]
    }

    /// The period of an address; `nil` where it does not say all of it, so that the page is led to an address that does.
    ///
    /// Of what stands the first day is the last one, where none is said.
    init?(_ visit: Visit, isStanding: Bool = false) throws(Problem) {
        guard let before = visit.parameter("before"), let named = visit.parameter("zone"),
            let mode = visit.parameter("mode"),
            let from = visit.parameter("from")
                ?? (isStanding ? CivilDate(before).map { CivilDate(daysSinceEpoch: $0.daysSinceEpoch - 1).text } : nil)
        else { return nil }
        guard named == visit.reading.zone.name else {
            throw Problem(.queryInvalid, "There is no such zone; one is named as in Europe/Kyiv.", path: "zone")
        }
        guard let first = CivilDate(from), let end = CivilDate(before) else {
            throw Problem(.queryInvalid, "A day is written as 2026-11-21.", path: "from")
        }
        self.init(first: first, end: end, zone: visit.reading.zone, mode: mode)
        guard (1...Self.days).contains(dayCount) || isStanding && dayCount > 0 else {
            throw Problem(.queryInvalid, "A period has 1 to \(Self.days) days.", path: "before")
        }
    }

    init(first: CivilDate, end: CivilDate, zone: Zone, mode: String) {
        self.first = first
        self.end = end
        self.zone = zone
        self.mode = mode
    }

    /// The last so many days, today among them.
    static func last(_ days: Int64, _ visit: Visit, mode: String) -> Period {
        let today = visit.reading.zone.local(visit.console.now).date.daysSinceEpoch
        return Period(
            first: CivilDate(daysSinceEpoch: today - days + 1),
            end: CivilDate(daysSinceEpoch: today + 1),
            zone: visit.reading.zone,
            mode: mode
        )
    }

    /// The same address with this period.
    func put(into address: Address) -> Address { query.reduce(address) { $0.with($1.name, $1.value) } }

    /// Where a page without a period leads: the last days, of live accounts where there are any.
    static func redirect(_ visit: Visit, days: Int64 = 14) async throws(Problem) -> HttpResponse {
        let accounts = try await visit.read("/v1/accounts")["items"]?.items ?? []
        let modes = Set(accounts.compactMap { $0["mode"]?.text })
        let mode = modes.contains("live") || modes.isEmpty ? "live" : "test"
        var asked = Period.last(days, visit, mode: visit.parameter("mode").flatMap { known($0) } ?? mode)
        if let first = visit.parameter("from").flatMap({ CivilDate($0) }),
            let end = visit.parameter("before").flatMap({ CivilDate($0) })
        {
            asked = Period(first: first, end: end, zone: asked.zone, mode: asked.mode)
        }
        return .seeOther(asked.put(into: visit.address))
    }

    private static func known(_ text: String) -> String? { modes.contains(text) ? text : nil }

    /// Payments that began on a day of it.
    func payments(on date: CivilDate? = nil, status: String? = nil) -> Address {
        let end = date.map { CivilDate(daysSinceEpoch: $0.daysSinceEpoch + 1) } ?? self.end
        return Address("payments").with("from", (date ?? first).text).with("before", end.text).with("zone", zone.name)
            .with("status", status).with("accountMode", mode == "all" ? nil : mode)
    }

    /// It and its accounts in words; of what stands there is no first day.
    func shown(_ visit: Visit, isStanding: Bool = false) -> String {
        let days =
            isStanding
            ? visit.say(.everythingBefore, ["day": visit.formats.day(end)])
            : "\(visit.formats.day(first)) – \(visit.formats.day(CivilDate(daysSinceEpoch: end.daysSinceEpoch - 1)))"
        return "\(days) · \(zone.name) · \(visit.word(Words.mode, mode))"
    }

    /// The form that changes it, with the usual lengths at hand; of what stands with the day alone up to which it is told.
    func picker(_ visit: Visit, isStanding: Bool = false) -> Html {
        guard !isStanding else {
            return tag("div", .class("period")) {
                tag("details", .class("fold")) {
                    tag("summary") { shown(visit, isStanding: true) }
                    form(visit, isStanding: true)
                }
            }
        }
        return tag("div", .class("period")) {
            tag("nav", .class("chips"), .label(visit.say(.period))) {
                for (days, title) in [(Int64(1), Text.today), (7, .sevenDays), (30, .thirtyDays), (90, .ninetyDays)] {
                    let other = Period.last(days, visit, mode: mode)
                    tag(
                        "a",
                        .class("chip"),
                        .href(other.put(into: visit.address)),
                        .of("aria-current", other.first == first && other.end == end ? "true" : nil)
                    ) { visit.say(title) }
                }
            }
            tag("details", .class("fold")) {
                tag("summary") { shown(visit) }
                form(visit)
            }
        }
    }

    private func form(_ visit: Visit, isStanding: Bool = false) -> Html {
        group {
            tag("form", .class("row"), .of("method", "get"), .action(visit.address)) {
                if !isStanding {
                    Field(name: "from", label: visit.say(.fromDay), type: "date", value: first.text, isNeeded: true)
                        .html
                }
                Field(name: "before", label: visit.say(.beforeDay), type: "date", value: end.text, isNeeded: true).html
                Field(name: "zone", label: visit.say(.zone), value: zone.name, isNeeded: true, most: 64).html
                choice("mode", visit.say(.mode), Self.modes.map { ($0, visit.word(Words.mode, $0)) }, mode)
                button(visit.say(.show))
            }
        }
    }
}
