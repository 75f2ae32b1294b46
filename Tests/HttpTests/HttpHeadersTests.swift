import Http
import Testing

struct HttpHeadersTests {
    let headers = HttpHeaders([("X-One", "a"), ("Set-Cookie", "b"), ("x-one", "c")])

    @Test func `a name is found in any case and the first field wins`() {
        #expect(headers["X-ONE"] == "a")
        #expect(headers["set-cookie"] == "b")
        #expect(headers["x-two"] == nil)
    }

    @Test func `all fields of a name keep their order`() {
        #expect(headers.all("x-ONE") == ["a", "c"])
        #expect(headers.all("none").isEmpty)
    }

    @Test func `setting replaces every field of the name and nil removes them`() {
        var copy = headers
        copy.set("X-one", "d")
        #expect(copy.fields.map(\.name) == ["Set-Cookie", "X-one"])
        copy.set("x-one", nil)
        #expect(copy.fields.map(\.name) == ["Set-Cookie"])
    }

    @Test func `only ASCII letters are compared without case`() {
        #expect(!HttpHeaders.isSame("X[", "X{"))
        #expect(!HttpHeaders.isSame("K", "\u{212A}"))
    }

    @Test(arguments: [
        ("X-Id", "value with space", true), ("", "v", false), ("X Id", "v", false), ("X:", "v", false),
        ("X-Id", "a\r\nInjected: b", false), ("X-Id", "a\u{0}", false), ("X-Id", "tab\tis fine", true),
    ])
    func `a field that could change the message is not valid`(name: String, value: String, valid: Bool) {
        #expect(HttpHeaders.isValid(name, value) == valid)
    }
}
