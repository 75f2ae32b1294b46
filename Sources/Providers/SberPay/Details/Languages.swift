import ProviderKit

/// The languages of the bank's page and SDK.
enum Languages {
    /// Version 1.
    static let version = 1

    /// The two letters of a BCP 47 tag in lower case; `nil` where the text is no tag or names a language by three letters.
    static func code(_ tag: String) -> String? {
        LanguageTag.primary(tag).flatMap { $0.utf8.count == 2 ? $0 : nil }
    }
}
