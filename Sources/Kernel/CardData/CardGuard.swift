/// Card data that was found where none may be.
package struct CardFinding: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case cardNumber = "card_number"
        case securityCode = "security_code"
        case pin
        case track
    }

    /// Shows no card number, even where one is a member's name.
    package let path: JsonPath
    package let kind: Kind

    package init(path: JsonPath, kind: Kind) {
        self.path = path
        self.kind = kind
    }
}

/// Keeps card numbers, security codes, tracks and PINs out of what is stored or logged.
///
/// A card number is a whole run of 12 to 19 digits, with or without separators, that has an issuer and a right check
/// digit; it is also found in other scripts and behind percent escapes, character references, base64 and hexadecimal
/// digits. What a document costs grows with its size and no faster, whatever it holds. Windows inside a longer run are not looked at, and masked numbers are no card numbers. Paths declared as
/// identifiers are exempt, but never from the rules about names.
package enum CardGuard {
    /// The text in place of something removed.
    package static let removed = "‹card data removed›"

    /// Findings that are told of one document; all are removed.
    package static let findingsTold = 64

    /// Finds card data in a document; `references` are where clients write their own names, judged more mildly.
    package static func scan(
        _ json: Json,
        exempt: Set<JsonPath> = [],
        references: Set<JsonPath> = []
    ) -> [CardFinding] {
        var search = CardSearch()
        return redact(json, exempt: exempt, references: references, &search).findings
    }

    /// Removes what is found and says where it was.
    package static func redact(_ json: Json, exempt: Set<JsonPath> = []) -> (json: Json, findings: [CardFinding]) {
        var search = CardSearch()
        return redact(json, exempt: exempt, &search)
    }

    private static func redact(
        _ json: Json,
        exempt: Set<JsonPath>,
        references: Set<JsonPath> = [],
        _ search: inout CardSearch
    ) -> (json: Json, findings: [CardFinding]) {
        var redaction = Redaction(exempt: exempt, references: references, search: search)
        let clean = redaction.cleaned(json)
        search = redaction.search
        return (clean ?? json, redaction.findings)
    }

    /// Looks through the names and values of a query, a form or headers.
    package static func scan(
        pairs: [(name: String, value: String)],
        exempt: Set<JsonPath> = [],
        references: Set<JsonPath> = []
    ) -> [CardFinding] {
        var redaction = Redaction(exempt: exempt, references: references, search: CardSearch())
        for pair in pairs {
            redaction.search = CardSearch()
            _ = redaction.cleaned(.object(JsonObject(checked: [(pair.name, .string(pair.value))])))
        }
        return redaction.findings
    }

    /// Looks through a body of any kind: as JSON or as text.
    package static func scan(bytes: [UInt8], exempt: Set<JsonPath> = []) -> [CardFinding] {
        redact(bytes: bytes, exempt: exempt).findings
    }

    /// Removes what is found; bytes without a finding stay as they are.
    ///
    /// Where a body is no JSON and the finding is no plain number, the whole body is removed.
    package static func redact(
        bytes: [UInt8],
        exempt: Set<JsonPath> = []
    ) -> (bytes: [UInt8], findings: [CardFinding]) {
        var search = CardSearch()
        return redact(bytes: bytes, exempt: exempt, &search)
    }

    /// The same, where `search` counts what it costs.
    package static func redact(
        bytes: [UInt8],
        exempt: Set<JsonPath>,
        _ search: inout CardSearch
    ) -> (bytes: [UInt8], findings: [CardFinding]) {
        if let json = try? Json(bytes, limits: JsonLimits(bytes: bytes.count, depth: JsonLimits.standard.depth)) {
            let (clean, findings) = redact(json, exempt: exempt, &search)
            return (findings.isEmpty ? bytes : clean.compactBytes, findings)
        }
        if let kind = CardFieldName.finding(text: bytes) {
            return (Array(removed.utf8), [CardFinding(path: .root, kind: kind)])
        }
        guard let clean = search.cleaned(bytes) else { return (bytes, []) }
        return (clean, [CardFinding(path: .root, kind: .cardNumber)])
    }

    package static func containsCardNumber(_ text: String) -> Bool {
        var search = CardSearch()
        return search.contains(text)
    }
}

extension CardSearch {
    /// The text without its card numbers; `nil` where there is none.
    ///
    /// Where more stays than what stands there as it is, nothing is kept.
    fileprivate mutating func cleaned(_ text: [UInt8]) -> [UInt8]? {
        guard contains(text) else { return nil }
        let scanner = CardNumberScanner(text)
        let matches = scanner.matches()
        guard !matches.isEmpty else { return Array(CardGuard.removed.utf8) }
        let clean = scanner.replacing(matches, with: CardGuard.removed)
        return contains(clean) ? Array(CardGuard.removed.utf8) : clean
    }

    fileprivate mutating func cleaned(_ text: String) -> String? {
        guard mayHide(in: text) else { return nil }
        return cleaned(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// One walk through a document.
private struct Redaction {
    /// A step of the way to the value at hand.
    private enum Step {
        case member(String, isShown: Bool)
        case item(Int)

        var shown: String {
            switch self {
            case .member(let name, let isShown): isShown ? Step.cut(name) : CardGuard.removed
            case .item(let index): String(index)
            }
        }

        /// A long name is told by its beginning: it would stand in each finding below it.
        private static func cut(_ name: String) -> String {
            name.utf8.count <= Limits.identifierBytes ? name : String(name.prefix(Limits.metadataNameBytes)) + "…"
        }

        func isCovered(by pattern: String) -> Bool {
            switch self {
            case .member(let name, _): pattern == "*" || pattern == name
            case .item(let index): pattern == "*" || pattern == String(index)
            }
        }
    }

    /// Few documents go deeper.
    private static let usualDepth = 8
    /// Documents inside strings inside documents that are looked through.
    private static let documentDepth = 3

    private let exempt: [JsonPath]
    private let references: [JsonPath]
    private let depth: Int
    var findings: [CardFinding] = []
    var search: CardSearch
    private var way: [Step] = []

    init(
        exempt: Set<JsonPath>,
        references: Set<JsonPath> = [],
        search: CardSearch,
        depth: Int = Redaction.documentDepth
    ) {
        self.exempt = Array(exempt)
        self.references = Array(references)
        self.search = search
        self.depth = depth
        way.reserveCapacity(Self.usualDepth)
    }

    /// The value without what was found in it; `nil` where nothing was.
    mutating func cleaned(_ json: Json) -> Json? {
        switch json {
        case .null, .bool: return nil
        case .string(let text): return cleaned(text).map(Json.string)
        case .number(let number):
            guard number.text.utf8.count >= IssuerRanges.lengths.lowerBound, search.contains(number.text),
                !isAmong(exempt), !AmountReader.isImageOfDouble(number.text)
            else { return nil }
            found(.cardNumber)
            return .string(CardGuard.removed)
        case .array(let items):
            var out: [Json]?
            for (index, item) in items.enumerated() {
                way.append(.item(index))
                if let clean = cleaned(item) {
                    if out == nil { out = items }
                    out?[index] = clean
                }
                way.removeLast()
            }
            return out.map(Json.array)
        case .object(let object): return cleaned(object).map(Json.object)
        }
    }

    private mutating func cleaned(_ object: JsonObject) -> JsonObject? {
        var out: [(name: String, value: Json)] = []
        var isChanged = false
        let parent: String? = if case .member(let name, _)? = way.last { name } else { nil }
        for (index, member) in object.members.enumerated() {
            let isNumber = search.contains(member.name)
            way.append(.member(member.name, isShown: !isNumber))
            defer { way.removeLast() }
            var clean: (name: String, value: Json)?
            if isNumber {
                found(.cardNumber)
                clean = ("\(CardGuard.removed) \(index)", member.value)
            }
            if let kind = CardFieldName.finding(name: member.name, parent: parent, value: member.value) {
                found(kind)
                clean = (clean?.name ?? member.name, .string(CardGuard.removed))
            } else if let value = cleaned(member.value) {
                clean = (clean?.name ?? member.name, value)
            }
            if clean != nil, !isChanged {
                isChanged = true
                out = Array(object.members[..<index])
            }
            if isChanged { out.append(clean ?? member) }
        }
        return isChanged ? JsonObject(checked: out) : nil
    }

    private mutating func cleaned(_ text: String) -> String? {
        if let document = document(in: text) { return cleaned(inner: document) }
        guard let clean = search.cleaned(text), !isAmong(exempt),
            !isAmong(references) || search.contains(text, isReference: true)
        else { return nil }
        found(.cardNumber)
        return clean
    }

    /// A document that is the text of a string.
    private mutating func document(in text: String) -> Json? {
        guard depth > 0, text.utf8.first == UInt8(ascii: "{") || text.utf8.first == UInt8(ascii: "[") else {
            return nil
        }
        return search.reading(text) { try? Json(text: $0) }
    }

    /// All that such a document holds is looked at value by value; its text needs no look of its own.
    private mutating func cleaned(inner document: Json) -> String? {
        var inner = Redaction(exempt: [], search: search, depth: depth - 1)
        let clean = inner.cleaned(document)
        search = inner.search
        for finding in inner.findings { found(finding.kind) }
        guard let clean else { return nil }
        let text = String(decoding: clean.compactBytes, as: UTF8.self)
        return search.cleaned(text) ?? text
    }

    private func isAmong(_ paths: [JsonPath]) -> Bool {
        paths.contains { path in
            path.steps.count == way.count && zip(path.steps, way).allSatisfy { $1.isCovered(by: $0) }
        }
    }

    private mutating func found(_ kind: CardFinding.Kind) {
        guard findings.count < CardGuard.findingsTold else { return }
        findings.append(CardFinding(path: JsonPath(steps: way.map(\.shown)), kind: kind))
    }
}
