/// A value that is written as one JSON object, its members in the ascending order of their names.
package protocol JsonWritable: Sendable {
    /// Appends the members; in canonical order, since what is stored is hashed.
    func write(into out: inout JsonText)
}

extension JsonWritable {
    /// Its text as `Json.canonical` gives it.
    package var canonical: [UInt8] { JsonText.canonical(write(into:)) }

    /// Read again, for those who look into it.
    package var json: Json { Json.reading(write(into:)) }
}

/// A JSON object that is written straight into bytes, member by member: for documents that are made often and read by nobody on the way.
///
/// Its text is what `Json.compactBytes` gives of the same members. A member without a value is left out, as by `Json.compact`. Names are
/// ASCII without a quotation mark, a backslash or a control character.
package struct JsonText: Sendable {
    package private(set) var bytes: [UInt8] = []
    /// Whether what comes next stands behind a sibling.
    private var isBehind = false
    /// Whether trees inside are written in canonical order.
    private let isCanonical: Bool

    private init(reserving count: Int, isCanonical: Bool) {
        self.isCanonical = isCanonical
        bytes.reserveCapacity(count)
    }

    /// Writes one object; `count` bytes are reserved for it.
    package static func object(reserving count: Int = 512, _ members: (inout JsonText) -> Void) -> [UInt8] {
        var text = JsonText(reserving: count, isCanonical: false)
        text.object(members)
        return text.bytes
    }

    /// Writes one object as `Json.canonical` would: `members` come in the ascending order of their names.
    package static func canonical(reserving count: Int = 512, _ members: (inout JsonText) -> Void) -> [UInt8] {
        var text = JsonText(reserving: count, isCanonical: true)
        text.object(members)
        assert(Json.isCanonical(text.bytes), "members stand in order: \(String(decoding: text.bytes, as: UTF8.self))")
        return text.bytes
    }

    // MARK: Members

    package mutating func member(_ name: StaticString, _ value: Json?) {
        guard let value else { return }
        begin(name)
        value.write(into: &bytes, sorted: isCanonical)
    }

    /// An object that writes its members itself.
    package mutating func member(_ name: StaticString, _ value: (some JsonWritable)?) {
        guard let value else { return }
        begin(name)
        object(value.write(into:))
    }

    package mutating func member(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        begin(name)
        Json.write(text, into: &bytes)
    }

    package mutating func member(_ name: StaticString, constant text: StaticString) {
        begin(name)
        text.withUTF8Buffer { Json.write($0, into: &bytes) }
    }

    /// A member whose name is known at run time, and who writes itself.
    package mutating func member(named name: String, _ value: some JsonWritable) {
        separate()
        Json.write(name, into: &bytes)
        bytes.append(UInt8(ascii: ":"))
        object(value.write(into:))
    }

    /// A member whose name is any text.
    package mutating func member(named name: String, _ value: Json) {
        separate()
        Json.write(name, into: &bytes)
        bytes.append(UInt8(ascii: ":"))
        value.write(into: &bytes, sorted: isCanonical)
    }

    package mutating func member(_ name: StaticString, _ number: Int64?) {
        guard let number else { return }
        begin(name)
        write(number)
    }

    package mutating func member(_ name: StaticString, _ number: Int?) { member(name, number.map { Int64($0) }) }

    package mutating func member(_ name: StaticString, _ number: Int32?) { member(name, number.map { Int64($0) }) }

    /// The word that stands for a case.
    @inlinable package mutating func member<Word: RawRepresentable<String>>(_ name: StaticString, _ word: Word?) {
        member(name, word?.rawValue)
    }

    package mutating func member(_ name: StaticString, _ flag: Bool?) {
        guard let flag else { return }
        begin(name)
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    package mutating func member(_ name: StaticString, _ time: Timestamp?) {
        guard let time else { return }
        begin(name)
        quote { time.write(into: &$0) }
    }

    package mutating func member(_ name: StaticString, _ date: CivilDate?) { member(name, date?.text) }

    package mutating func member(_ name: StaticString, _ uuid: Uuid?) {
        guard let uuid else { return }
        begin(name)
        quote { uuid.write(into: &$0) }
    }

    /// An identifier with its prefix.
    package mutating func member<Kind>(_ name: StaticString, _ id: Identifier<Kind>?) {
        guard let id else { return }
        begin(name)
        quote { id.write(into: &$0) }
    }

    /// A text that `write` appends, of characters that stand for themselves in JSON.
    package mutating func text(_ name: StaticString, _ write: (inout [UInt8]) -> Void) {
        begin(name)
        quote(write)
    }

    /// `{"currency": "EUR", "value": 1999}`.
    package mutating func member(_ name: StaticString, _ money: Money?) {
        guard let money else { return }
        member(name) {
            $0.member("currency", money.currency.code)
            $0.member("value", money.minor)
        }
    }

    /// An object.
    package mutating func member(_ name: StaticString, _ members: (inout JsonText) -> Void) {
        begin(name)
        object(members)
    }

    /// A list of objects that write their members themselves, or none where there is no list.
    package mutating func member(_ name: StaticString, _ items: [some JsonWritable]?) {
        guard let items else { return }
        member(name, listing: items, isAlwaysShown: true) { $0.write(into: &$1) }
    }

    /// A list of texts, or none where there is no list.
    package mutating func member(_ name: StaticString, _ texts: [String]?) {
        guard let texts else { return }
        begin(name)
        bytes.append(UInt8(ascii: "["))
        isBehind = false
        for text in texts {
            separate()
            Json.write(text, into: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
        isBehind = true
    }

    /// A list of objects; an empty one is left out, unless it `isAlwaysShown`.
    package mutating func member<Item>(
        _ name: StaticString,
        listing items: [Item],
        isAlwaysShown: Bool = false,
        _ members: (Item, inout JsonText) -> Void
    ) {
        guard isAlwaysShown || !items.isEmpty else { return }
        begin(name)
        bytes.append(UInt8(ascii: "["))
        isBehind = false
        for item in items {
            separate()
            object { members(item, &$0) }
        }
        bytes.append(UInt8(ascii: "]"))
        isBehind = true
    }

    // MARK: Parts

    private mutating func object(_ members: (inout JsonText) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        isBehind = false
        members(&self)
        bytes.append(UInt8(ascii: "}"))
        isBehind = true
    }

    /// Its digits, without a text between.
    private mutating func write(_ number: Int64) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        let size = number.magnitude
        var unit: UInt64 = 1
        while size / unit >= 10 { unit *= 10 }
        while unit > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(size / unit % 10))
            unit /= 10
        }
    }

    private mutating func begin(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func separate() {
        if isBehind { bytes.append(UInt8(ascii: ",")) }
        isBehind = true
    }

    private mutating func quote(_ write: (inout [UInt8]) -> Void) {
        bytes.append(UInt8(ascii: "\""))
        write(&bytes)
        bytes.append(UInt8(ascii: "\""))
    }
}

extension Json {
    /// Reads one object that `JsonText` writes: for those who look into it.
    package static func reading(_ members: (inout JsonText) -> Void) -> Json {
        // What was written by rule is read by rule, and its trees had their limits when they were read.
        let bytes = JsonText.object(members)
        if let read = try? Json(bytes, limits: JsonLimits(bytes: bytes.count, depth: .max)) { return read }
        assertionFailure("a name stands twice: \(String(decoding: bytes, as: UTF8.self))")
        return .null
    }
}
