import ProviderKit

/// The languages of the form.
enum Languages {
    /// Version 1.
    static let version = 1

    static let supported: Set<String> = ["ru", "en", "es", "it", "de", "fr"]
    /// The stand-in for an unsupported language, as in the provider's SDK.
    static let fallback = "en"

    /// Maps a BCP 47 tag by its primary subtag; `nil` where the text is no tag.
    static func code(_ tag: String) -> String? {
        LanguageTag.primary(tag).map { supported.contains($0) ? $0 : fallback }
    }
}
