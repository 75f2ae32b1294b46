/// The languages that the console speaks.
package enum Language: String, CaseIterable, Sendable {
    case en, uk, ru, fr

    /// As its speakers call it.
    package var name: String {
        switch self {
        case .en: "English"
        case .uk: "Українська"
        case .ru: "Русский"
        case .fr: "Français"
        }
    }

    /// The one that a reader likes best among ours; English where none is.
    package init(accepted field: String?) { self = Self.best(field) ?? .en }

    /// The one that a reader likes best among ours, by `Accept-Language` (RFC 9110, section 12.5.4); `nil` where none is.
    static func best(_ field: String?) -> Language? {
        var best: (language: Language?, weight: Int) = (nil, -1)
        for range in (field ?? "").split(separator: ",").prefix(20) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let word = parts.first?.split(separator: "-").first?.lowercased(),
                let language = Language(rawValue: word)
            else { continue }
            let weight = parts.dropFirst().first.map { Self.thousandths($0) } ?? 1000
            if weight > best.weight, weight > 0 { best = (language, weight) }
        }
        return best.language
    }

    /// `q=0.8` as 800.
    private static func thousandths(_ text: String) -> Int {
        guard text.hasPrefix("q=") else { return 1000 }
        let parts = text.dropFirst(2).split(separator: ".", maxSplits: 1)
        guard let whole = parts.first.flatMap({ Int($0) }), whole <= 1 else { return 0 }
        let fraction = parts.count == 2 ? (parts[1] + "000").prefix(3) : "0"
        return min(1000, whole * 1000 + (Int(fraction) ?? 0))
    }
}

/// One text in every language: a missing one does not compile.
package struct Text: Hashable, Sendable {
    private let en: String
    private let uk: String
    private let ru: String
    private let fr: String

    package init(_ en: String, _ uk: String, _ ru: String, _ fr: String) {
        self.en = en
        self.uk = uk
        self.ru = ru
        self.fr = fr
    }

    package func callAsFunction(_ language: Language) -> String {
        switch language {
        case .en: en
        case .uk: uk
        case .ru: ru
        case .fr: fr
        }
    }

    /// The text with its holes filled, as in `{count}`.
    package func callAsFunction(_ language: Language, _ values: [String: String]) -> String {
        values.reduce(self(language)) { $0.replacing("{\($1.key)}", with: $1.value) }
    }
}

/// A text that goes by a number, with the forms that each language has (CLDR's plural rules for whole numbers).
package struct CountedText: Sendable {
    /// One, and any other number.
    let en: (one: String, other: String)
    /// Numbers that end in 1, in 2 to 4, and all others; 11 to 14 are among the others.
    let uk: (one: String, few: String, many: String)
    let ru: (one: String, few: String, many: String)
    /// None and one, and any other number.
    let fr: (one: String, other: String)

    /// The form for a number, with `#` where the number stands.
    package func callAsFunction(_ language: Language, _ count: Int64, _ shown: String) -> String {
        let form =
            switch language {
            case .en: count == 1 ? en.one : en.other
            case .fr: count == 0 || count == 1 ? fr.one : fr.other
            case .uk: Self.slavic(count, uk)
            case .ru: Self.slavic(count, ru)
            }
        return form.replacing("#", with: shown)
    }

    private static func slavic(_ count: Int64, _ forms: (one: String, few: String, many: String)) -> String {
        let (ten, hundred) = (count.magnitude % 10, count.magnitude % 100)
        if ten == 1, hundred != 11 { return forms.one }
        if (2...4).contains(ten), !(12...14).contains(hundred) { return forms.few }
        return forms.many
    }
}
