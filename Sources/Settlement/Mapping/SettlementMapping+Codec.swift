package import Kernel

extension SettlementMapping {
    /// The mapping as a document; equal mappings have equal canonical bytes.
    package var json: Json {
        func words<Value>(_ table: [String: Value], _ shown: (Value) -> String) -> Json {
            .object(JsonObject(table.sorted { $0.key < $1.key }.map { ($0.key, .string(shown($0.value))) }))
        }
        let named = Column.allCases.compactMap { column in columns[column].map { (column.rawValue, Json.string($0)) } }
        return .compact([
            ("name", .string(name)), ("format", .string(format.rawValue)), ("encoding", .string(encoding.rawValue)),
            ("delimiter", format == .csv ? .string(delimiter) : nil), ("decimal", .string(decimal)),
            ("grouping", grouping.isEmpty ? nil : .string(grouping)), ("amounts", .string(units.rawValue)),
            ("skipLines", skippedLines == 0 ? nil : .integer(Int64(skippedLines))),
            ("columns", .object(JsonObject(named))),
            ("kinds", kinds.isEmpty ? nil : words(kinds, \.rawValue)), ("kind", (kind?.rawValue).map(Json.string)),
            ("currency", (currency?.code).map(Json.string)),
            ("currencies", currencies.isEmpty ? nil : words(currencies, \.code)),
            (
                "only",
                only.map { ["column": .string($0.column), "words": .array($0.words.map(Json.string))] }
            ),
            ("dates", .string(dates.text)), ("zone", .string(zone)), ("total", (total?.rawValue).map(Json.string)),
            (
                "tariff",
                tariff.isEmpty
                    ? nil
                    : .object(
                        JsonObject(
                            tariff.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                                (
                                    $0.key.rawValue,
                                    ["basisPoints": .integer($0.value.basisPoints), "fixed": .integer($0.value.fixed)]
                                )
                            }
                        )
                    )
            ),
            ("windowDays", .integer(Int64(windowDays))), ("byAmount", .string(byAmount.rawValue)),
            ("delayDays", .integer(Int64(delayDays))),
            ("rounding", rounding == 0 ? nil : .integer(Int64(rounding))),
        ])
    }

    /// Reads a mapping file; what it does not know is refused.
    package init(_ json: Json) throws(SettlementMappingFault) {
        var members = try Members(json, "")
        let name = try members.text("name", most: Limits.nameBytes)
        guard let name else { throw SettlementMappingFault("name", "is missing") }
        guard let format: Format = try members.word("format") else {
            throw SettlementMappingFault("format", "is csv or ndjson")
        }
        let columns = try Self.columns(&members)
        guard let form = DateForm(try members.text("dates", most: 64) ?? "iso") else {
            throw SettlementMappingFault("dates", "is iso, or made of yyyy or yy, MM, dd, HH, mm, ss")
        }
        guard let zone = try members.text("zone", most: 64) else {
            throw SettlementMappingFault("zone", "names a time zone, as in Europe/Kyiv")
        }
        self.init(name, format, columns, dates: form, zone: zone)
        encoding = try members.word("encoding") ?? .utf8
        units = try members.word("amounts") ?? .major
        total = try members.word("total")
        byAmount = try members.word("byAmount") ?? .unreferenced
        skippedLines = try members.integer("skipLines", 0...Limits.skippedLines) ?? 0
        windowDays = try members.integer("windowDays", 0...Limits.days) ?? windowDays
        delayDays = try members.integer("delayDays", 0...Limits.days) ?? delayDays
        rounding = try members.integer("rounding", 0...Limits.rounding) ?? rounding
        try readMarks(&members)
        try readWords(&members)
        try readTariff(&members)
        try members.end()
        try check()
    }

    private static func columns(_ members: inout Members) throws(SettlementMappingFault) -> [Column: String] {
        guard let given = members.take("columns") else { throw SettlementMappingFault("columns", "is missing") }
        var named = try Members(given, "columns")
        var columns: [Column: String] = [:]
        for column in Column.allCases {
            columns[column] = try named.text(column.rawValue, most: SettlementLimits.columnNameBytes)
        }
        try named.end()
        return columns
    }

    private mutating func readMarks(_ members: inout Members) throws(SettlementMappingFault) {
        delimiter = try members.text("delimiter", most: 1) ?? delimiter
        decimal = try members.text("decimal", most: 1) ?? decimal
        grouping = try members.text("grouping", most: 2) ?? ""
        guard [",", ";", "\t", "|"].contains(delimiter) else {
            throw SettlementMappingFault("delimiter", "is a comma, a semicolon, a tab or a bar")
        }
        guard [".", ","].contains(decimal) else { throw SettlementMappingFault("decimal", "is a point or a comma") }
        guard ["", " ", ",", ".", "'", "\u{A0}"].contains(grouping), grouping != decimal else {
            throw SettlementMappingFault(
                "grouping",
                "is a space, a point, a comma or an apostrophe, and not the decimal mark"
            )
        }
    }

    private mutating func readWords(_ members: inout Members) throws(SettlementMappingFault) {
        for (word, text) in try members.words("kinds") {
            guard let kind = SettlementKind(rawValue: text) else {
                let known = SettlementKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw SettlementMappingFault("kinds", "knows \(known)")
            }
            kinds[word] = kind
        }
        kind = try members.word("kind")
        for (word, code) in try members.words("currencies") {
            guard let currency = Currency(code) else {
                throw SettlementMappingFault("currencies", "names currencies of ISO 4217")
            }
            currencies[word] = currency
        }
        if let code = try members.text("currency", most: 3) {
            guard let fixed = Currency(code) else { throw SettlementMappingFault("currency", "is one of ISO 4217") }
            currency = fixed
        }
        guard let given = members.take("only") else { return }
        var selection = try Members(given, "only")
        let column = try selection.text("column", most: SettlementLimits.columnNameBytes)
        let listed = selection.take("words")?.items ?? []
        let words = listed.compactMap(\.text)
        try selection.end()
        guard let column, (1...Limits.words).contains(words.count), words.count == listed.count else {
            throw SettlementMappingFault("only", "has a column and its words")
        }
        only = Selection(column: column, words: words)
    }

    private mutating func readTariff(_ members: inout Members) throws(SettlementMappingFault) {
        guard let given = members.take("tariff") else { return }
        var kinds = try Members(given, "tariff")
        for kind in SettlementKind.allCases {
            guard let line = kinds.take(kind.rawValue) else { continue }
            var fee = try Members(line, "tariff.\(kind.rawValue)")
            let rate = try fee.integer("basisPoints", 0...Limits.basisPoints) ?? 0
            let fixed = try fee.integer("fixed", 0...Limits.fixedFee) ?? 0
            try fee.end()
            tariff[kind] = Tariff(basisPoints: Int64(rate), fixed: Int64(fixed))
        }
        try kinds.end()
        guard columns[.fee] != nil || tariff.isEmpty else {
            throw SettlementMappingFault("tariff", "needs a column of fees")
        }
    }

    private func check() throws(SettlementMappingFault) {
        guard columns[.amount] != nil, columns[.at] != nil else {
            throw SettlementMappingFault("columns", "names amount and at")
        }
        guard (columns[.kind] == nil) == (kind != nil) else {
            throw SettlementMappingFault("kind", "is told by a column, or fixed, and not both")
        }
        guard columns[.kind] == nil || !kinds.isEmpty else { throw SettlementMappingFault("kinds", "is missing") }
        guard (columns[.currency] == nil) == (currency != nil) else {
            throw SettlementMappingFault("currency", "is told by a column, or fixed, and not both")
        }
        let names = Array(columns.values)
        guard Set(names).count == names.count else { throw SettlementMappingFault("columns", "names a column twice") }
    }
}

/// The members of an object that is read whole: what nobody took is refused.
private struct Members {
    private var object: JsonObject
    private let path: String

    init(_ json: Json, _ path: String) throws(SettlementMappingFault) {
        guard let object = json.members else { throw SettlementMappingFault(path, "is no object") }
        self.object = object
        self.path = path
    }

    private func path(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    mutating func take(_ name: String) -> Json? {
        defer { object[name] = nil }
        return object[name]
    }

    mutating func text(_ name: String, most: Int) throws(SettlementMappingFault) -> String? {
        guard let value = take(name) else { return nil }
        guard let text = value.text, (1...most).contains(text.utf8.count),
            text == "\t" || !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { throw SettlementMappingFault(path(of: name), "is a text of at most \(most) bytes") }
        return text
    }

    mutating func word<Word: RawRepresentable & CaseIterable>(_ name: String) throws(SettlementMappingFault) -> Word?
    where Word.RawValue == String {
        guard let value = take(name) else { return nil }
        guard let word = value.text.flatMap({ Word(rawValue: $0) }) else {
            let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw SettlementMappingFault(path(of: name), "is one of \(known)")
        }
        return word
    }

    mutating func integer(_ name: String, _ range: ClosedRange<Int>) throws(SettlementMappingFault) -> Int? {
        guard let value = take(name) else { return nil }
        guard let number = value.integer.map({ Int($0) }), range.contains(number) else {
            throw SettlementMappingFault(path(of: name), "is a number of \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    mutating func words(_ name: String) throws(SettlementMappingFault) -> [(String, String)] {
        guard let value = take(name) else { return [] }
        guard let table = value.members, table.count <= SettlementMapping.Limits.words else {
            let most = SettlementMapping.Limits.words
            throw SettlementMappingFault(path(of: name), "is an object of at most \(most) words")
        }
        var words: [(String, String)] = []
        for member in table.members {
            guard let text = member.value.text, (1...SettlementLimits.wordBytes).contains(member.name.utf8.count) else {
                throw SettlementMappingFault(path(of: name), "gives texts for words")
            }
            words.append((member.name, text))
        }
        return words
    }

    func end() throws(SettlementMappingFault) {
        guard let name = object.names.first else { return }
        throw SettlementMappingFault(path(of: String(name.prefix(64))), "is not known")
    }
}
