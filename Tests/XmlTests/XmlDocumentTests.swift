import Testing
import Xml

struct XmlDocumentTests {
    private func root(_ text: String) -> XmlElement? { XmlDocument.root(Array(text.utf8)) }

    @Test func `elements keep their names, order and own text`() throws {
        let text =
            "\n<?xml version=\"1.0\" encoding=\"windows-1251\"?><!-- a --><orders type=\"list\"> о <order>1</order>"
            + "<sum/><order>2</order> к </orders>\n"
        let orders = try #require(root(text))
        #expect(orders.name == "orders")
        #expect(orders.children.map(\.name) == ["order", "sum", "order"])
        #expect(orders.all("order").map(\.text) == ["1", "2"])
        #expect(orders.text == "о  к")
    }

    @Test func `character data is text, and the five entities stand for their characters`() {
        #expect(root("<a> <![CDATA[x < y]]> &amp;&lt;&gt;&quot;&apos;&#x41;&#1070; </a>")?.text == "x < y &<>\"'AЮ")
    }

    @Test(arguments: [
        "", "x", "<a>", "<a></b>", "<a/><b/>", "<a/>x", "<a b></a>", "<a b='1' b='2'/>", "<a>&other;</a>",
        "<a>&#0;</a>",
        "<a>\u{0}</a>", "<!DOCTYPE a><a/>", "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
        "<!DOCTYPE a SYSTEM \"file:///etc/hostname\"><a/>",
    ])
    func `nothing else is a document`(text: String) { #expect(root(text) == nil) }

    @Test func `bytes that are no UTF-8 are no document`() {
        #expect(XmlDocument.root(Array("<a>".utf8) + [0xE0, 0x20] + Array("</a>".utf8)) == nil)
    }

    @Test func `depth, elements and bytes have limits`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        func wide(_ count: Int) -> String { "<a>" + String(repeating: "<b/>", count: count) + "</a>" }
        func long(_ count: Int) -> String { "<a>" + String(repeating: "x", count: count) + "</a>" }
        #expect(root(nested(XmlDocument.Limits.depth)) != nil)
        #expect(root(nested(XmlDocument.Limits.depth + 1)) == nil)
        #expect(root(wide(XmlDocument.Limits.elements - 1)) != nil)
        #expect(root(wide(XmlDocument.Limits.elements)) == nil)
        #expect(root(long(XmlDocument.Limits.bytes - 7)) != nil)
        #expect(root(long(XmlDocument.Limits.bytes - 6)) == nil)
    }
}
