import Http

/// Checks texts of a request: a name, a reference, a description.
enum PlainText {
    /// Refuses what people could not tell from another text, or not see at all.
    static func check(_ text: String, bytes: Int, path: String) throws(Problem) {
        try checkSought(text, bytes: bytes, path: path)
        try checkSeen(text, path: path)
    }

    /// The same for a text that people read: its characters are counted as JSON Schema's `maxLength` counts them.
    static func check(_ text: String, characters: Int, path: String) throws(Problem) {
        guard !text.isEmpty else { throw Problem(.textEmpty, "The text is empty.", path: path) }
        guard text.unicodeScalars.count <= characters else {
            throw Problem(.textTooLong, "At most \(characters) characters.", path: path)
        }
        try checkControl(text, path: path)
        try checkSeen(text, path: path)
    }

    private static func checkSeen(_ text: String, path: String) throws(Problem) {
        guard !isBlank(text) else { throw Problem(.textEmpty, "The text holds nothing but blanks.", path: path) }
        try checkVisible(text, path: path)
    }

    /// A text that is looked for: what was kept before a rule was made can still be found.
    static func checkSought(_ text: String, bytes: Int, path: String) throws(Problem) {
        guard !text.isEmpty else { throw Problem(.textEmpty, "The text is empty.", path: path) }
        guard text.utf8.count <= bytes else {
            throw Problem(.textTooLong, "At most \(bytes) bytes of UTF-8.", path: path)
        }
        try checkControl(text, path: path)
    }

    private static func checkControl(_ text: String, path: String) throws(Problem) {
        guard !hasControl(text) else {
            throw Problem(.controlCharacter, "Control characters are not allowed.", path: path)
        }
    }

    static func checkVisible(_ text: String, path: String) throws(Problem) {
        guard !hasFormat(text) else {
            throw Problem(
                .controlCharacter,
                "Characters that nobody sees are not allowed, as those without width and those that turn the direction.",
                path: path
            )
        }
    }

    /// Control characters of either block, and the separators that end a line.
    static func hasControl(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029: true
            default: false
            }
        }
    }

    /// Format characters (Unicode's category Cf); a joiner inside a word of a script that needs it is none.
    private static func hasFormat(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        return scalars.indices.contains { place in
            guard scalars[place].properties.generalCategory == .format else { return false }
            let isJoiner = scalars[place].value == 0x200C || scalars[place].value == 0x200D
            guard isJoiner, place > 0, place + 1 < scalars.count else { return true }
            return [scalars[place - 1], scalars[place + 1]].contains { neighbour in
                neighbour.isASCII || neighbour.properties.generalCategory == .format
            }
        }
    }

    private static func isBlank(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(\.properties.isWhitespace) }
}
