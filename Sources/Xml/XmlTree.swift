import CExpat

/// The tree that grows while a document is parsed.
@safe final class XmlTree {
    private(set) var root: XmlElement?
    /// From the root to the element that is being read, each with the bytes of its own text.
    private var open: [(element: XmlElement, text: [UInt8])] = []
    private var count = 0
    private let parser: XML_Parser

    init(_ parser: XML_Parser) { unsafe self.parser = unsafe parser }

    /// The tree that was given to the parser as its user data.
    static func of(_ data: UnsafeMutableRawPointer?) -> XmlTree? {
        guard let data = unsafe data else { return nil }
        return unsafe Unmanaged<XmlTree>.fromOpaque(data).takeUnretainedValue()
    }

    func open(_ name: String) {
        count += 1
        guard open.count < XmlDocument.Limits.depth, count <= XmlDocument.Limits.elements else { return refuse() }
        open.append((XmlElement(name: name), []))
    }

    func close() {
        guard let last = open.popLast() else { return }
        var element = last.element
        element.text = Self.trimmed(last.text)
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].element.children.append(element)
        }
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        guard !open.isEmpty else { return }
        unsafe open[open.count - 1].text.append(contentsOf: bytes)
    }

    /// Ends the parse; the document is not read.
    func refuse() { _ = unsafe XML_StopParser(parser, XML_Bool(XML_FALSE)) }

    private static func trimmed(_ text: [UInt8]) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        let head = text.drop(while: isSpace)
        guard let last = head.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(decoding: head[...last], as: UTF8.self)
    }
}
