import ProviderKit

/// The provider's form and SDK speak Russian alone: a language is checked for its form and not sent.
enum Languages {
    static func check(_ name: String, _ object: inout ClosedObject) throws(SchemaFailure) {
        guard let tag = try object.text(name, atMost: 64), LanguageTag.primary(tag) == nil else { return }
        throw object.failure(name, "not_a_language")
    }
}
