package import EventSourcing
package import Kernel

extension BusinessCalendar {
    /// Days that a calendar may name: sixty years of holidays.
    package static let namedDays = 2000

    /// As it is stored and written in files; name and version stand beside it.
    package var json: Json {
        func days(_ dates: Set<CivilDate>) -> Json { .array(dates.sorted().map { .string($0.text) }) }
        return [
            "holidays": days(holidays), "weekend": .array(weekend.sorted().map { .integer(Int64($0)) }),
            "workdays": days(workdays),
        ]
    }

    /// Reads what `json` wrote; the failure names the member.
    package init(name: String, version: Int, _ json: Json) throws(CodecFailure) {
        for member in (json.members?.members ?? []) where !["holidays", "weekend", "workdays"].contains(member.name) {
            throw CodecFailure(member.name)
        }
        guard json.members != nil else { throw CodecFailure("") }
        self.init(
            name: name,
            version: version,
            weekend: try Self.weekend(json["weekend"]),
            holidays: try Self.days(json, "holidays"),
            workdays: try Self.days(json, "workdays")
        )
    }

    private static func weekend(_ json: Json?) throws(CodecFailure) -> Set<Int> {
        var days: Set<Int> = []
        for item in json?.items ?? [] {
            guard let day = item.integer, (1...7).contains(day) else { throw CodecFailure("weekend") }
            days.insert(Int(day))
        }
        // A week without business would move nothing anywhere.
        guard days.count < 7, json == nil || json?.items != nil else { throw CodecFailure("weekend") }
        return days
    }

    private static func days(_ json: Json, _ name: String) throws(CodecFailure) -> Set<CivilDate> {
        guard let list = json[name] else { return [] }
        guard let items = list.items, items.count <= namedDays else { throw CodecFailure(name) }
        var days: Set<CivilDate> = []
        for item in items {
            guard let date = item.text.flatMap({ CivilDate($0) }) else { throw CodecFailure(name) }
            days.insert(date)
        }
        return days
    }
}
