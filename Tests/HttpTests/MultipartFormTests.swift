import Http
import Testing

/// Forms with files, as browsers send them and as nobody should.
struct MultipartFormTests {
    private static let type = "multipart/form-data; boundary=----WebKitFormBoundary7"
    private static let mark = "------WebKitFormBoundary7"

    private static func part(_ head: String, _ body: String) -> String { "\(mark)\r\n\(head)\r\n\r\n\(body)\r\n" }

    private static func read(_ text: String, _ type: String = type) -> MultipartForm? {
        MultipartForm(Array(text.utf8), contentType: type)
    }

    @Test func `fields and a file come in their order, byte for byte`() throws {
        let file = "a;b\r\n--\r\n------WebKitFormBoundary\r\n\r\nc"
        let text =
            Self.part("Content-Disposition: form-data; name=\"account\"", "main")
            + Self.part(
                "Content-Disposition: form-data; name=\"file\"; filename=\"a \\\"b\\\"; c.csv\"\r\nContent-Type: text/csv",
                file
            ) + Self.part("content-disposition: form-data; name=\"empty\"", "") + Self.mark + "--\r\n"
        let form = try #require(Self.read(text))
        #expect(form.parts.map(\.name) == ["account", "file", "empty"])
        #expect(form.parts.map(\.isFile) == [false, true, false])
        #expect(form.parts.map { $0.fileName != nil } == [false, true, false])
        #expect(form.parts.map { String(decoding: $0.body, as: UTF8.self) } == ["main", file, ""])
        #expect(Self.read(text, "Multipart/Form-Data; boundary=\"----WebKitFormBoundary7\"")?.parts.count == 3)
        #expect(Self.read(Self.mark + "--\r\n")?.parts.isEmpty == true)
    }

    @Test(arguments: [
        "", "------WebKitFormBoundary7", "------WebKitFormBoundary7\r\n", "x------WebKitFormBoundary7--\r\n",
        part("Content-Disposition: form-data; name=\"a\"", "cut"),
        part("Content-Disposition: form-data; name=\"a\"", "b") + mark + "--more",
        part("Content-Disposition: form-data; name=\"a\"", "b") + mark + "\n",
        part("Content-Disposition: form-data; filename=\"a\"", "b") + mark + "--\r\n",
        part("Content-Disposition: form-data; name=a", "b") + mark + "--\r\n",
        part("Content-Disposition: form-data; name=\"a\"; name=\"b\"", "b") + mark + "--\r\n",
        part("Content-Disposition: form-data; name=\"a\"\r\nContent-Disposition: form-data; name=\"b\"", "b") + mark
            + "--\r\n",
        part("Content-Disposition: attachment; name=\"a\"", "b") + mark + "--\r\n",
        part("Content-Disposition: form-data; name=\"\"", "b") + mark + "--\r\n",
        part("Content-Disposition: form-data; name=\"a", "b") + mark + "--\r\n",
        part("Content-Type: text/plain", "b") + mark + "--\r\n",
        part("X: \(String(repeating: "x", count: MultipartForm.headBytes))", "b") + mark + "--\r\n",
        (0...MultipartForm.mostParts).map { part("Content-Disposition: form-data; name=\"\($0)\"", "") }.joined() + mark
            + "--\r\n",
    ])
    func `what is no whole form is none`(text: String) { #expect(Self.read(text) == nil) }

    @Test(arguments: [
        "multipart/form-data", "multipart/form-data; boundary=", "multipart/mixed; boundary=----WebKitFormBoundary7",
        "multipart/form-data; boundary=----WebKitFormBoundary7; boundary=x", "multipart/form-data; boundary=a b",
        "multipart/form-data; boundary=" + String(repeating: "x", count: 71), "application/x-www-form-urlencoded",
    ])
    func `a boundary is named once, and is one`(type: String) { #expect(Self.read(Self.mark + "--\r\n", type) == nil) }
}

extension MultipartFormTests {
    @Test func `a body is cut nowhere without being noticed`() {
        let text =
            Self.part("Content-Disposition: form-data; name=\"file\"; filename=\"f\"", "1;2\r\n3;4") + Self.mark + "--"
        let bytes = Array(text.utf8)
        #expect(MultipartForm(bytes, contentType: Self.type) != nil)
        for count in bytes.indices {
            #expect(MultipartForm(Array(bytes.prefix(count)), contentType: Self.type) == nil, "\(count)")
        }
    }
}
