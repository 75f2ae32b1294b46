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
/// digits. Windows inside a longer run are not looked at, and masked numbers are no card numbers. Paths declared as
/// identifiers are exempt, but never from the rules about names.
package enum CardGuard {
    /// What stands in place of something removed.
    package static let removed = "‹card data removed›"

    /// Encodings inside encodings that are looked through.
    private static let encodingDepth = 3

    package static func scan(_ json: Json, exempt: Set<JsonPath> = []) -> [CardFinding] {
        redact(json, exempt: exempt).findings
    }

    /// Removes what is found and says where it was.
    package static func redact(_ json: Json, exempt: Set<JsonPath> = []) -> (json: Json, findings: [CardFinding]) {
        var redaction = Redaction(exempt: exempt)
        let clean = redaction.cleaned(json)
        return (clean ?? json, redaction.findings)
    }

    /// Looks through the names and values of a query, a form or headers.
    package static func scan(
        pairs: [(name: String, value: String)],
        exempt: Set<JsonPath> = []
    ) -> [CardFinding] {
        pairs.flatMap { pair -> [CardFinding] in
            var redaction = Redaction(exempt: exempt)
            _ = redaction.cleaned(.object(JsonObject([(pair.name, .string(pair.value))])))
            return redaction.findings
        }
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
        if let json = try? Json(bytes, limits: JsonLimits(bytes: bytes.count, depth: JsonLimits.standard.depth)) {
            let (clean, findings) = redact(json, exempt: exempt)
            return (findings.isEmpty ? bytes : clean.compactBytes, findings)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if let kind = CardFieldName.finding(text: text) {
            return (Array(removed.utf8), [CardFinding(path: .root, kind: kind)])
        }
        guard let clean = clean(text) else { return (bytes, []) }
        return (Array(clean.utf8), [CardFinding(path: .root, kind: .cardNumber)])
    }

    /// The text without its card numbers; `nil` where there is none.
    ///
    /// Where more stays than what stands there as it is, nothing is kept.
    static func clean(_ text: String) -> String? {
        guard containsCardNumber(text) else { return nil }
        let scanner = CardNumberScanner(text)
        let clean = scanner.replacing(scanner.matches(), with: removed)
        return containsCardNumber(clean) ? removed : clean
    }

    package static func containsCardNumber(_ text: String) -> Bool { contains(text, depth: encodingDepth) }

    private static func contains(_ text: String, depth: Int) -> Bool {
        let hiding = hidingPlace(text)
        guard hiding != .none, !isPhoneNumber(text) else { return false }
        if hiding == .open, !CardNumberScanner(text).matches().isEmpty { return true }
        return depth > 0 && EncodedText.readings(of: text).contains { $0 != text && contains($0, depth: depth - 1) }
    }

    /// Where a text could hold a card number.
    private enum HidingPlace {
        case none
        /// Only behind an encoding.
        case encoded
        case open
    }

    /// Rules out quickly what is too short or too plain.
    private static func hidingPlace(_ text: String) -> HidingPlace {
        var copy = text
        return copy.withUTF8 { bytes in
            guard bytes.count >= IssuerRanges.lengths.lowerBound else { return .none }
            var isEncoded = false
            var isPlain = true
            var word = 0
            for byte in bytes {
                switch byte {
                case 0x80...: isPlain = false
                case UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "\\"): isEncoded = true
                case ...0x20, UInt8(ascii: ","): word = 0
                default:
                    word += 1
                    if word >= 16 { isEncoded = true }
                }
            }
            let isOpen = isPlain ? CardNumberScanner.mayMatch(ascii: bytes) : CardNumberScanner.mayMatch(text)
            return isOpen ? .open : isEncoded ? .encoded : .none
        }
    }

    /// A plus and at most fifteen digits (ITU-T E.164), and nothing else.
    private static func isPhoneNumber(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "+") && (8...16).contains(text.utf8.count)
            && text.utf8.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

/// One walk through a document.
private struct Redaction {
    let exempt: Set<JsonPath>
    var findings: [CardFinding] = []
    /// The names that lead to the value at hand.
    private var names: [String] = []

    init(exempt: Set<JsonPath>) { self.exempt = exempt }

    /// The value without what was found in it; `nil` where nothing was.
    mutating func cleaned(_ json: Json) -> Json? {
        switch json {
        case .null, .bool: return nil
        case .string(let text): return cleaned(text).map(Json.string)
        case .number(let number):
            guard number.text.utf8.count >= IssuerRanges.lengths.lowerBound, CardGuard.containsCardNumber(number.text),
                !isExempt, !AmountReader.isImageOfDouble(number.text)
            else { return nil }
            found(.cardNumber)
            return .string(CardGuard.removed)
        case .array(let items):
            var out: [Json]?
            for (index, item) in items.enumerated() {
                names.append(String(index))
                if let clean = cleaned(item) {
                    if out == nil { out = items }
                    out?[index] = clean
                }
                names.removeLast()
            }
            return out.map(Json.array)
        case .object(let object): return cleaned(object).map(Json.object)
        }
    }

    private mutating func cleaned(_ object: JsonObject) -> JsonObject? {
        var out: [(String, Json)] = []
        var isChanged = false
        for (index, member) in object.members.enumerated() {
            let parent = names.last
            names.append(member.name)
            defer { names.removeLast() }
            var clean: (name: String, value: Json)?
            if CardGuard.containsCardNumber(member.name) {
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
                out = object.members[..<index].map { ($0.name, $0.value) }
            }
            if isChanged { out.append(clean ?? (member.name, member.value)) }
        }
        return isChanged ? JsonObject(out) : nil
    }

    private mutating func cleaned(_ text: String) -> String? {
        if let inner = nested(text) {
            for finding in inner.findings { found(finding.kind) }
            return CardGuard.clean(inner.text) ?? inner.text
        }
        guard let clean = CardGuard.clean(text), !isExempt else { return nil }
        found(.cardNumber)
        return clean
    }

    /// Looks into a document that is the text of a string; `nil` where it is none or clean.
    private func nested(_ text: String) -> (text: String, findings: [CardFinding])? {
        guard text.utf8.first == UInt8(ascii: "{") || text.utf8.first == UInt8(ascii: "["),
            let json = try? Json(text: text)
        else { return nil }
        var inner = Redaction(exempt: [])
        return inner.cleaned(json).map { (String(decoding: $0.compactBytes, as: UTF8.self), inner.findings) }
    }

    private var isExempt: Bool {
        let place = JsonPath(steps: names)
        return exempt.contains(place) || exempt.contains { $0.covers(place) }
    }

    private mutating func found(_ kind: CardFinding.Kind) {
        let shown = names.map { CardGuard.containsCardNumber($0) ? CardGuard.removed : $0 }
        findings.append(CardFinding(path: JsonPath(steps: shown), kind: kind))
    }
}
