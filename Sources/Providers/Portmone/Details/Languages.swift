import ProviderKit

/// The languages of the payer's page.
enum Languages {
    /// Version 1.
    static let version = 1

    static let supported: Set<String> = ["uk", "en", "ru"]
    /// The stand-in for another language.
    static let fallback = "en"

    /// Maps a BCP 47 tag by its primary subtag; `nil` where the text is no tag.
    static func code(_ tag: String) -> String? {
        LanguageTag.primary(tag).map { supported.contains($0) ? $0 : fallback }
    }
}
