import Testing

/// The scanner decides what is code; everything else rests on it.
struct SwiftCodeTests {
    private func words(_ text: String) -> [String] { SwiftTokens.of(SwiftCode.only(of: text)).map { String($0.text) } }

    @Test func `comments are blanked, nested ones too`() {
        #expect(words("a // b\nc /* d /* e */ f */ g") == ["a", "c", "g"])
    }

    @Test func `strings are blanked, raw and long ones too`() {
        #expect(words("a = \"b \\\" c\" + d") == ["a", "=", "+", "d"])
        #expect(words("a = #\"b \" \\ c\"# + d") == ["a", "=", "+", "d"])
        #expect(words("a = \"\"\"\n b \" c \"\"\n\"\"\" + d") == ["a", "=", "+", "d"])
    }

    @Test func `interpolations are code`() {
        #expect(words("\"a \\(b(\"c\")) d\" + e") == ["(", "b", "(", ")", ")", "+", "e"])
        #expect(words("#\"a \\(b) \\#(c)\"#") == ["(", "c", ")"])
    }

    @Test func `lines keep their places`() {
        let text = "\"\"\"\na\n\"\"\"\n/*\n*/ b"
        #expect(SwiftTokens.of(SwiftCode.only(of: text)) == [SwiftToken(text: "b", line: 5)])
    }

    @Test func `functions are found with their lines`() {
        let text = "struct A {\n  init() {\n    self.init(b)\n  }\n  func c() -> [Int] {\n  }\n  var d: Int { 1 }\n}"
        #expect(
            SwiftFunction.all(in: SwiftTokens.of(text)) == [
                SwiftFunction(name: "init", firstLine: 2, lastLine: 4),
                SwiftFunction(name: "c", firstLine: 5, lastLine: 6),
            ]
        )
    }
}
