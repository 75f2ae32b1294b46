package import EventSourcing
package import Kernel

extension CivilDate {
    var json: Json { .string(text) }
}

extension Int {
    var json: Json { .integer(Int64(self)) }
}

extension Fields {
    func date(_ name: String) throws(CodecFailure) -> CivilDate {
        try required(name) { $0.text.flatMap { CivilDate($0) } }
    }
    func optionalDate(_ name: String) throws(CodecFailure) -> CivilDate? {
        try optional(name) { $0.text.flatMap { CivilDate($0) } }
    }
    func timeOfDay(_ name: String) throws(CodecFailure) -> TimeOfDay {
        try required(name) { $0.text.flatMap { TimeOfDay($0) } }
    }

    func required<Value>(_ name: String, _ read: (Json) -> Value?) throws(CodecFailure) -> Value {
        guard let value = try optional(name, read) else { throw CodecFailure(name) }
        return value
    }

    /// A number that no later arithmetic can overflow.
    func ordinal(_ name: String) throws(CodecFailure) -> Int {
        try required(name) { $0.integer.flatMap { (1...Int64(ScheduleRule.ordinals)).contains($0) ? Int($0) : nil } }
    }

    /// Reads each item of a list.
    func list<Item>(_ name: String, _ read: (Fields) throws(CodecFailure) -> Item) throws(CodecFailure) -> [Item] {
        var found: [Item] = []
        for item in try list(name) { found.append(try read(item)) }
        return found
    }

    func words<Word: RawRepresentable>(_ name: String) throws(CodecFailure) -> [Word] where Word.RawValue == String {
        guard let items = try value(name).items else { throw CodecFailure(name) }
        let words = items.compactMap { $0.text.flatMap { Word(rawValue: $0) } }
        guard words.count == items.count else { throw CodecFailure(name) }
        return words
    }

    func int64s(_ name: String) throws(CodecFailure) -> [Int64] {
        guard let items = try value(name).items else { throw CodecFailure(name) }
        let numbers = items.compactMap(\.integer)
        guard numbers.count == items.count else { throw CodecFailure(name) }
        return numbers
    }
}

extension ScheduleRule: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("anchorDay", anchorDay)
        out.member("businessDays", businessDays)
        out.member("cadence", cadence)
        out.member("doubledHour", doubledHour)
        out.member("end", end)
        out.member("skippedHour", skippedHour)
        out.member("start", start)
        out.member("time", time.text)
        out.member("zone", zone)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        var businessDays: BusinessDayRule?
        if let rule = try fields.optionalFields("businessDays") { businessDays = try BusinessDayRule(rule) }
        self.init(
            cadence: try Cadence(fields.fields("cadence")),
            start: try fields.date("start"),
            anchorDay: try fields.optionalInt("anchorDay"),
            time: try fields.timeOfDay("time"),
            zone: try fields.text("zone"),
            end: try RuleEnd(fields.fields("end")),
            skippedHour: try fields.word("skippedHour"),
            doubledHour: try fields.word("doubledHour"),
            businessDays: businessDays
        )
    }
}

extension Cadence: JsonWritable {
    package func write(into out: inout JsonText) {
        switch self {
        case .every(let interval, let period):
            out.member("every", interval)
            out.member("period", period)
        case .dates(let list):
            out.member("dates", listing: list, isAlwaysShown: true) { dated, out in
                out.member("amount", dated.amount)
                out.member("date", dated.date.text)
            }
        }
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        guard fields.has("dates") else {
            self = .every(try fields.int("every"), try fields.word("period"))
            return
        }
        self = .dates(
            try fields.list("dates") { (line) throws(CodecFailure) in
                DatedAmount(try line.date("date"), try line.money("amount"))
            }
        )
    }
}

extension RuleEnd: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("count", count)
        out.member("lastDate", lastDate)
        out.member("total", total)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            lastDate: try fields.optionalDate("lastDate"),
            count: try fields.optionalInt("count"),
            total: try fields.optionalMoney("total")
        )
    }
}

extension BusinessDayRule: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("calendar", calendar)
        out.member("shift", shift)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(shift: try fields.word("shift"), calendar: try fields.text("calendar"))
    }
}

extension RuleOccurrence: JsonWritable {
    /// As previews show it.
    package func write(into out: inout JsonText) {
        out.member("at", at)
        out.member("date", date)
        out.member("nominal", nominal)
        out.member("ordinal", ordinal)
        out.member("reasons", .array(reasons.map { .string($0.rawValue) }))
        out.member("zoneDigest", zoneDigest)
    }
}
