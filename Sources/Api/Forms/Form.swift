import EventSourcing
import Http
import Kernel

/// Reads one object of a request with a closed schema: every member is asked for, what is left over is refused.
///
/// `null` is no value: a member that has none is left out.
struct Form {
    let path: JsonPath
    private let object: JsonObject
    private var asked: Set<String> = []

    init(_ json: Json, at path: JsonPath = .root) throws(Problem) {
        guard let object = json.members else {
            throw Problem(.typeWrong, "An object is needed here.", path: path.description)
        }
        self.object = object
        self.path = path
    }

    /// The path of a member, for problems.
    func path(of name: String) -> String { path.appending(name).description }

    /// Refuses the first member that nobody asked for.
    func end() throws(Problem) {
        for name in object.names where !asked.contains(name) {
            throw Problem(.memberUnknown, "This member is not known here.", path: path(of: name))
        }
    }

    mutating func value(_ name: String) -> Json? {
        asked.insert(name)
        return object[name]
    }

    func missing(_ name: String) -> Problem {
        Problem(.memberMissing, "This member is needed.", path: path(of: name))
    }

    func wrongType(_ name: String, _ wanted: String) -> Problem {
        Problem(.typeWrong, "\(wanted) is needed here.", path: path(of: name))
    }

    // MARK: Texts

    mutating func text(_ name: String, bytes: Int) throws(Problem) -> String? {
        guard let text = try text(name) else { return nil }
        try PlainText.check(text, bytes: bytes, path: path(of: name))
        return text
    }

    /// A text that people read.
    mutating func text(_ name: String, characters: Int) throws(Problem) -> String? {
        guard let text = try text(name) else { return nil }
        try PlainText.check(text, characters: characters, path: path(of: name))
        return text
    }

    private mutating func text(_ name: String) throws(Problem) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.text else { throw wrongType(name, "A text") }
        return text
    }

    mutating func needed(_ name: String, bytes: Int) throws(Problem) -> String {
        guard let text = try text(name, bytes: bytes) else { throw missing(name) }
        return text
    }

    mutating func word<Word: RawRepresentable & CaseIterable>(_ name: String) throws(Problem) -> Word?
    where Word.RawValue == String {
        guard let value = value(name) else { return nil }
        guard let text = value.text else { throw wrongType(name, "A text") }
        guard let word = Word(rawValue: text) else {
            let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.wordUnknown, "Known words are: \(known).", path: path(of: name))
        }
        return word
    }

    // MARK: Numbers and times

    mutating func integer(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let value = value(name) else { return nil }
        guard case .number(let number) = value else { throw wrongType(name, "A whole number") }
        guard let integer = number.integer else {
            let isWhole = number.text.utf8.allSatisfy { $0 != UInt8(ascii: ".") && $0 | 0x20 != UInt8(ascii: "e") }
            guard isWhole else { throw wrongType(name, "A whole number") }
            throw Problem(.numberOutOfRange, "The number does not fit.", path: path(of: name))
        }
        guard range.contains(integer) else {
            let limits = "\(range.lowerBound) to \(range.upperBound)"
            throw Problem(.numberOutOfRange, "The number must be in \(limits).", path: path(of: name))
        }
        return integer
    }

    mutating func time(_ name: String) throws(Problem) -> Timestamp? {
        guard let value = value(name) else { return nil }
        guard let text = value.text else { throw wrongType(name, "A text") }
        guard let time = Timestamp(text) else {
            throw Problem(.timeMalformed, "A time is written as in 2026-01-31T12:00:00Z.", path: path(of: name))
        }
        return time
    }

    mutating func id<Kind>(_ name: String) throws(Problem) -> Identifier<Kind>? {
        guard let value = value(name) else { return nil }
        guard let text = value.text else { throw wrongType(name, "A text") }
        guard let id = Identifier<Kind>(text) else {
            throw Problem(.identifierMalformed, "An id is written as in \(Kind.prefix)_….", path: path(of: name))
        }
        return id
    }

    /// The id that the client made for what it creates: of version 7, so that it meets none that derives from a command.
    mutating func madeId<Kind>() throws(Problem) -> Identifier<Kind>? {
        guard let id: Identifier<Kind> = try id("id") else { return nil }
        guard id.uuid.isVersion7 else {
            throw Problem(
                .identifierMalformed,
                "An id of your own is \(Kind.prefix)_ and a UUID of version 7.",
                path: path(of: "id")
            )
        }
        return id
    }

    mutating func neededId<Kind>(_ name: String) throws(Problem) -> Identifier<Kind> {
        guard let id: Identifier<Kind> = try id(name) else { throw missing(name) }
        return id
    }

    /// The version that somebody looked at before they decided.
    mutating func seenVersion() throws(Problem) -> Int32 {
        guard let seen = try integer("seenVersion", in: 1...Int64(Int32.max)) else { throw missing("seenVersion") }
        return Int32(seen)
    }

    // MARK: Money

    /// Reads `{"value": 1999, "currency": "EUR"}`, minor units; negative amounts are refused everywhere.
    mutating func money(_ name: String) throws(Problem) -> Money? {
        guard let value = value(name) else { return nil }
        var form = try Form(value, at: path.appending(name))
        guard let number = form.value("value") else { throw form.missing("value") }
        guard let code = form.value("currency") else { throw form.missing("currency") }
        try form.end()
        let minor = try form.minorUnits(number)
        guard let text = code.text else { throw form.wrongType("currency", "A text") }
        guard let currency = Currency(text) else {
            throw Problem(.currencyUnknown, "This is no currency of ISO 4217.", path: form.path(of: "currency"))
        }
        return Money(minor, currency)
    }

    private func minorUnits(_ json: Json) throws(Problem) -> Int64 {
        guard case .number(let number) = json else { throw wrongType("value", "A whole number of minor units") }
        let path = path(of: "value")
        guard number.text.utf8.allSatisfy({ $0 != UInt8(ascii: ".") && $0 | 0x20 != UInt8(ascii: "e") }) else {
            throw Problem(.amountScale, "An amount is a whole number of minor units, as in 1999.", path: path)
        }
        guard number.text.utf8.first != UInt8(ascii: "-") else {
            throw Problem(.amountNotPositive, "An amount is never negative.", path: path)
        }
        guard let minor = number.integer else {
            throw Problem(.amountOverflow, "The amount is too large.", path: path)
        }
        return minor
    }
}
