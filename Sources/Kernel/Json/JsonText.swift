/// A JSON object that is written straight into bytes, member by member: for documents that are made often and read by nobody on the way.
///
/// Its text is what `Json.compactBytes` gives of the same members. A member without a value is left out, as by `Json.compact`. Names are
/// ASCII without a quotation mark, a backslash or a control character.
package struct JsonText: Sendable {
    package private(set) var bytes: [UInt8] = []
    /// Whether what comes next stands behind a sibling.
    private var isBehind = false

    /// Writes one object; `count` bytes are reserved for it.
    package static func object(reserving count: Int = 512, _ members: (inout JsonText) -> Void) -> [UInt8] {
        var text = JsonText()
        text.bytes.reserveCapacity(count)
        text.object(members)
        return text.bytes
    }

    // MARK: Members

    package mutating func member(_ name: StaticString, _ value: Json?) {
        guard let value else { return }
        begin(name)
        value.write(into: &bytes)
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

    /// A member whose name is any text.
    package mutating func member(named name: String, _ value: Json) {
        separate()
        Json.write(name, into: &bytes)
        bytes.append(UInt8(ascii: ":"))
        value.write(into: &bytes)
    }

    package mutating func member(_ name: StaticString, _ number: Int64?) {
        guard let number else { return }
        begin(name)
        bytes.append(contentsOf: String(number).utf8)
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
        // What was written by rule is read by rule.
        (try? Json(JsonText.object(members))) ?? .null
    }
}
