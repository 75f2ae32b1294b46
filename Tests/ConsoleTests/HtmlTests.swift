import Console
import Http
import Kernel
import Testing

/// Markup: whatever anybody wrote comes out as text.
struct HtmlTests {
    @Test func `text and attributes are escaped`() {
        let hostile = "<script>alert('1')</script>\"&"
        let html = tag("a", .of("title", hostile)) { hostile }
        let escaped = "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;"
        #expect(html.markup == "<a title=\"\(escaped)\">\(escaped)</a>")
    }

    @Test func `control characters and marks that turn the direction are replaced`() {
        #expect(
            Html("a\u{0}b\u{1B}c\u{202E}d\u{2066}e\u{9F}").markup == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}e\u{FFFD}"
        )
        #expect(Html("line\n\ttab").markup == "line\n\ttab")
    }

    @Test func `an address escapes its segments and its query`() {
        let address = Address("payments", "a/../b?c=1#d").with("reference", "&x=<y>").with("empty", "")
        #expect(address.text == "/console/payments/a%2F..%2Fb%3Fc%3D1%23d?reference=%26x%3D%3Cy%3E")
    }

    @Test(arguments: [
        "https://evil.example", "//evil.example", "/\\evil.example", "/consoles", "/console@evil", "/v1/payments", "",
        "/console/\u{0}", "/console /", "javascript:alert(1)", "/console/" + String(repeating: "a", count: 5_000),
    ])
    func `nobody is led to another site`(_ there: String) { #expect(Address(returning: there) == nil) }

    @Test func `a page of ours is come back to`() {
        #expect(Address(returning: "/console/payments?status=captured")?.text == "/console/payments?status=captured")
        #expect(Address(returning: "/console")?.text == "/console")
    }

    @Test func `a cell is no formula`() {
        #expect(Csv.field("=1+1") == "'=1+1")
        #expect(Csv.field("@x") == "'@x")
        #expect(Csv.field("-x") == "'-x")
        #expect(Csv.field("-5") == "-5")
        #expect(Csv.field("a,\"b\"") == "\"a,\"\"b\"\"\"")
        // A spreadsheet of a country where commas are decimal cuts cells at semicolons.
        #expect(Csv.field("a;=1+1") == "a;'=1+1")
        #expect(Csv.field("a\t@x|-y") == "a\t'@x|'-y")
        #expect(Csv.field("a\n+1") == "\"a\n'+1\"")
        #expect(Csv.field("＝1+1") == "'＝1+1")
        #expect(Csv.field("\t=1") == "'\t'=1")
        #expect(Csv.field("a=b-c; d") == "a=b-c; d")
    }

    @Test func `a field is one field, whatever stands on its marks`() {
        #expect(Csv.field("a,\u{301}b").unicodeScalars.first == "\"")
        #expect(Csv.field("a\"\u{301},b").utf8.elementsEqual("\"a\"\"\u{301},b\"".utf8))
        #expect(Csv.field("a\nb") == "\"a\nb\"")
        #expect(Csv.field("=\u{301}1").utf8.elementsEqual("'=\u{301}1".utf8))
    }
}
