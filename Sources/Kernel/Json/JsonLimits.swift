/// How large and how deep a document may be.
package struct JsonLimits: Hashable, Sendable {
    package let bytes: Int
    package let depth: Int
    /// Whether a member that is repeated with an equal value (or with nothing, as `null` and "") is one, as some providers write it, or is refused.
    ///
    /// Repeated with another value it is always refused: which of the two counts nobody can tell.
    package let takesEqualRepeats: Bool

    package init(bytes: Int, depth: Int, takesEqualRepeats: Bool = false) {
        self.bytes = bytes
        self.depth = depth
        self.takesEqualRepeats = takesEqualRepeats
    }

    /// 1 MiB and 32 levels: what providers and backends send.
    package static let standard = JsonLimits(bytes: 1 << 20, depth: 32)
}

/// Why a document was refused, and at which byte.
package struct JsonFailure: Error, Hashable, Sendable {
    package enum Code: String, Hashable, Sendable {
        case tooLarge, tooDeep, unexpectedEnd, unexpectedByte, badNumber, badEscape, badUnicode, controlCharacter
        case duplicateName, trailingBytes
    }

    package let code: Code
    package let offset: Int

    package init(code: Code, offset: Int) {
        self.code = code
        self.offset = offset
    }
}
