/// The rules about texts, as the provider's kits run them.
enum FieldText {
    /// Longer values are refused before a rule sees them.
    static let valueBytes = 512
    private static let patternBytes = 1024

    /// Labels without `@` divided by dots, exactly one `@`, and a last label of two characters or more.
    static func isEmail(_ value: String) -> Bool {
        let parts = value.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return false }
        let local = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let domain = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard local.allSatisfy({ !$0.isEmpty }), domain.allSatisfy({ !$0.isEmpty }), domain.count >= 2 else {
            return false
        }
        return (domain.last?.count ?? 0) >= 2
    }

    /// Whether the pattern stands anywhere in the value; a pattern that can't be read allows nothing.
    static func matches(_ value: String, _ pattern: String?) -> Bool {
        guard let pattern, pattern.utf8.count <= patternBytes, value.utf8.count <= valueBytes,
            let regex = try? Regex(pattern)
        else { return false }
        return (try? regex.firstMatch(in: value)) != nil
    }
}
