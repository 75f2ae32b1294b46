import Http
import Kernel

/// Reads the query of a request: closed, each name at most once.
struct QueryForm {
    private var pairs: [String: String] = [:]

    /// `nil` is a query that can't be read.
    init(_ query: [(name: String, value: String)]?) throws(Problem) {
        guard let query else {
            throw Problem(.queryMalformed, "The query has a broken escape or is not UTF-8.")
        }
        for pair in query {
            guard pairs.updateValue(pair.value, forKey: pair.name) == nil else {
                throw Problem(.queryInvalid, "A parameter is given once.", path: pair.name)
            }
        }
    }

    /// Refuses what nobody took.
    func end() throws(Problem) {
        guard let name = pairs.keys.sorted().first else { return }
        throw Problem(.queryUnknown, "This parameter is not known here.", path: name)
    }

    mutating func text(_ name: String, bytes: Int = Limits.identifierBytes) throws(Problem) -> String? {
        guard let text = pairs.removeValue(forKey: name) else { return nil }
        try PlainText.checkSought(text, bytes: bytes, path: name)
        return text
    }

    mutating func word<Word: RawRepresentable & CaseIterable>(_ name: String) throws(Problem) -> Word?
    where Word.RawValue == String {
        guard let text = pairs.removeValue(forKey: name) else { return nil }
        guard let word = Word(rawValue: text) else {
            let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.queryInvalid, "Known words are: \(known).", path: name)
        }
        return word
    }

    mutating func id<Kind>(_ name: String) throws(Problem) -> Identifier<Kind>? {
        guard let text = pairs.removeValue(forKey: name) else { return nil }
        guard let id = Identifier<Kind>(text) else {
            throw Problem(.identifierMalformed, "An id is written as in \(Kind.prefix)_….", path: name)
        }
        return id
    }

    mutating func time(_ name: String) throws(Problem) -> Timestamp? {
        guard let text = pairs.removeValue(forKey: name) else { return nil }
        guard let time = Timestamp(text) else {
            throw Problem(.queryInvalid, "A time is written as in 2026-01-31T12:00:00Z.", path: name)
        }
        return time
    }

    /// A calendar day as it is written, as in `2026-01-31`.
    mutating func day(_ name: String) throws(Problem) -> String? {
        guard let text = pairs.removeValue(forKey: name) else { return nil }
        guard text.utf8.count == 10, Timestamp("\(text)T00:00:00Z") != nil else {
            throw Problem(.queryInvalid, "A day is written as in 2026-01-31.", path: name)
        }
        return text
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = pairs.removeValue(forKey: name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw Problem(.queryInvalid, "A number of \(range.lowerBound) to \(range.upperBound).", path: name)
        }
        return number
    }

    mutating func flag(_ name: String) throws(Problem) -> Bool? {
        guard let text = pairs.removeValue(forKey: name) else { return nil }
        switch text {
        case "true": return true
        case "false": return false
        default: throw Problem(.queryInvalid, "The words are true and false.", path: name)
        }
    }
}
