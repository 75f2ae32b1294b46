/// The provider's locales: a language and a country, as in `nl_BE`.
enum Languages {
    static let version = 1

    /// The country of a language that came without one.
    private static let countries: [String: String] = [
        "cs": "CZ", "da": "DK", "de": "DE", "el": "GR", "en": "GB", "es": "ES", "fi": "FI", "fr": "FR", "hu": "HU",
        "it": "IT", "ja": "JP", "nb": "NO", "nl": "NL", "no": "NO", "pl": "PL", "pt": "PT", "ro": "RO", "sk": "SK",
        "sl": "SI", "sv": "SE", "tr": "TR", "uk": "UA", "zh": "CN",
    ]
    /// The stand-in for a language that is not listed.
    static let fallback = "en_GB"

    /// Maps a BCP 47 tag; `nil` where the text is no tag.
    static func code(_ tag: String) -> String? {
        let subtags = tag.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = subtags.first, (2...3).contains(first.utf8.count), first.utf8.allSatisfy(isLetter),
            subtags.allSatisfy({ (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(isAlphanumeric) })
        else { return nil }
        let language = Authorization.lower(String(first))
        let region = subtags.dropFirst().first { $0.utf8.count == 2 && $0.utf8.allSatisfy(isLetter) }
        guard let country = region.map({ Authorization.upper(String($0)) }) ?? countries[language] else {
            return fallback
        }
        return language.utf8.count == 2 ? "\(language)_\(country)" : fallback
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool { isLetter(byte) || (48...57).contains(byte) }
}
