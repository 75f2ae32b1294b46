import Crypto
import Engine
import EventSourcing
import Http
import Kernel
import Projections

/// Reads the query of a request: closed, each name at most once.
struct QueryForm: QuestionWords {
    private var pairs: [String: String] = [:]
    /// What narrows a list: everything but where its page begins and how long it is.
    let filter: [(name: String, value: String)]

    /// `nil` is a query that can't be read.
    init(_ query: [(name: String, value: String)]?) throws(Problem) {
        guard let query else {
            throw Problem(.queryMalformed, "The query has a broken escape or is not UTF-8.")
        }
        filter = query.filter { $0.name != "cursor" && $0.name != "limit" }
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

    mutating func raw(_ name: String) -> String? { pairs.removeValue(forKey: name) }

    func refusal(of name: String, _ sentence: String) -> Problem { Problem(.queryInvalid, sentence, path: name) }

    mutating func text(_ name: String) throws(Problem) -> String? {
        try text(name, bytes: Limits.identifierBytes)
    }

    mutating func text(_ name: String, bytes: Int) throws(Problem) -> String? {
        guard let text = pairs.removeValue(forKey: name) else { return nil }
        try PlainText.checkSought(text, bytes: bytes, path: name)
        return text
    }

    mutating func id<Kind>(_ name: String) throws(Problem) -> Identifier<Kind>? {
        guard let text = pairs.removeValue(forKey: name) else { return nil }
        guard let id = Identifier<Kind>(text) else {
            throw Problem(.identifierMalformed, "An id is written as in \(Kind.prefix)_….", path: name)
        }
        return id
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = pairs.removeValue(forKey: name) else { return nil }
        guard let number = Int(text), range.contains(number), text == "\(number)" else {
            throw Problem(.queryInvalid, "A number of \(range.lowerBound) to \(range.upperBound).", path: name)
        }
        return number
    }

    /// Where the page begins, by the seal of its list.
    mutating func cursor(_ seal: CursorSeal) throws(Problem) -> PageCursor? {
        guard let text = try text("cursor") else { return nil }
        guard let cursor = seal.cursor(text) else {
            throw Problem(
                .cursorInvalid,
                "A cursor is the word that an earlier page of the same list gave, with the same filter.",
                path: "cursor"
            )
        }
        return cursor
    }

    /// Reads a search for payments; an address is looked for by its codes.
    mutating func search(_ query: inout PaymentQuery, of merchant: MerchantNumber, _ keys: KeyRing) throws(Problem) {
        try query.read(&self)
        guard let email = try text("email", bytes: Limits.emailBytes) else { return }
        query.emailCodes = PayerCode.codes(ofEmail: email, merchant, keys)
    }

    /// Parameters as `metadata[channel]`, by what stands in brackets.
    mutating func members(of name: String) throws(Problem) -> [(name: String, value: String)] {
        let prefix = name + "["
        let own = pairs.keys.filter { $0.hasPrefix(prefix) && $0.hasSuffix("]") }.sorted()
        return own.map { whole in
            (String(whole.dropFirst(prefix.count).dropLast()), pairs.removeValue(forKey: whole) ?? "")
        }
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
