/// The members that a kind of case may have; names stand in one text with spaces between.
///
/// A member that no code knows would be taken for a condition or an expectation, and be neither.
package struct CaseForm: Hashable, Sendable {
    /// The members that say how things are.
    let given: Set<String>
    /// The members that say what must come out.
    let expected: Set<String>
    /// The members of given objects whose every member is known.
    let within: [String: Set<String>]

    package init(given: String, expected: String, within: [String: String] = [:]) {
        self.given = Self.names(given)
        self.expected = Self.names(expected)
        self.within = within.mapValues(Self.names)
    }

    private static func names(_ text: String) -> Set<String> { Set(text.split(separator: " ").map(String.init)) }

    /// Members that explain a case to people, whatever the kind.
    static let remarks: Set<String> = ["id", "source", "note", "description", "basis", "why"]
}
