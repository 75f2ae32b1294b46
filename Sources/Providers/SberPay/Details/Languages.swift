/// The languages of the bank's page and SDK.
enum Languages {
    /// Version 1.
    static let version = 1

    /// The two letters of a BCP 47 tag in lower case; `nil` where the text is no tag or names a language by three letters.
    static func code(_ tag: String) -> String? {
        let subtags = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let isTag = subtags.allSatisfy { subtag in
            (1...8).contains(subtag.count)
                && subtag.allSatisfy { isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        guard isTag, let primary = subtags.first, primary.count == 2, primary.allSatisfy(isLetter) else { return nil }
        return String(decoding: primary.map { $0 | 0x20 }, as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
