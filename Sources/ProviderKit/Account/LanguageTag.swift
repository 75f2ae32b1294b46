/// A BCP 47 tag, as far as providers look at one.
package enum LanguageTag {
    /// The primary subtag in lower case, as `de` of `de-AT`; `nil` where the text is no tag.
    package static func primary(_ tag: String) -> String? {
        let subtags = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let isTag = subtags.allSatisfy { subtag in (1...8).contains(subtag.count) && subtag.allSatisfy(isAlphanumeric) }
        guard isTag, let primary = subtags.first, primary.count >= 2, primary.allSatisfy(isLetter) else { return nil }
        return String(decoding: primary.map { $0 | 0x20 }, as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
