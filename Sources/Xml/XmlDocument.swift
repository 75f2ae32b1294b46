import CExpat

/// Reads XML 1.0 with expat.
///
/// The bytes are UTF-8, whatever the document declares. A document type is refused, so a document has no entities of its
/// own and nothing outside of it is read.
package enum XmlDocument {
    package enum Limits {
        package static let bytes = 1024 * 1024
        package static let depth = 16
        package static let elements = 20_000
    }

    /// The root element; `nil` where the bytes are no such document or exceed a limit.
    package static func root(_ bytes: [UInt8]) -> XmlElement? {
        // Providers put space before the declaration, which the grammar doesn't allow.
        let document = bytes.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard document.count <= Limits.bytes, String(validating: document, as: UTF8.self) != nil else { return nil }
        guard let parser = unsafe XML_ParserCreate("UTF-8") else { return nil }
        defer { unsafe XML_ParserFree(parser) }
        let tree = unsafe XmlTree(parser)
        unsafe install(tree, in: parser)
        let status = unsafe document.withUnsafeBytes { buffer in
            unsafe XML_Parse(parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count), 1)
        }
        return withExtendedLifetime(tree) { status == XML_STATUS_OK ? tree.root : nil }
    }

    /// Each callback finds the tree in the parser's user data; the tree outlives the parse.
    private static func install(_ tree: XmlTree, in parser: XML_Parser) {
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(tree).toOpaque())
        unsafe XML_SetElementHandler(
            parser,
            { data, name, _ in
                guard let name = unsafe name else { return }
                unsafe XmlTree.of(data)?.open(String(cString: name))
            },
            { data, _ in unsafe XmlTree.of(data)?.close() }
        )
        unsafe XML_SetCharacterDataHandler(parser) { data, text, length in
            guard let text = unsafe text else { return }
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: Int(length))
            unsafe XmlTree.of(data)?.append(bytes)
        }
        unsafe XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in unsafe XmlTree.of(data)?.refuse() }
    }
}
