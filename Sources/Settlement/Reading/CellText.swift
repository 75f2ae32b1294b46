/// Cells as text, in the encoding of their file.
enum CellText {
    /// What the upper half of Windows-1251 stands for; a space where nothing does.
    private static let cyrillic = Array(
        ("ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–— ™љ›њќћџ\u{A0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{AD}®Ї°±Ііґµ¶·ё№є»јЅѕї"
            + "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя").unicodeScalars
    )

    /// The text, or `nil` where the bytes are not in the encoding.
    static func read(_ bytes: ArraySlice<UInt8>, _ encoding: SettlementMapping.Encoding) -> String? {
        switch encoding {
        case .utf8: return String(validating: bytes, as: UTF8.self)
        case .windows1251:
            guard bytes.contains(where: { $0 >= 0x80 }) else { return String(validating: bytes, as: UTF8.self) }
            var text = String.UnicodeScalarView()
            for byte in bytes {
                // 0x98 stands for nothing.
                guard byte != 0x98 else { return nil }
                text.append(byte < 0x80 ? Unicode.Scalar(byte) : cyrillic[Int(byte) - 0x80])
            }
            return String(text)
        }
    }

    /// The bytes of a text that a mapping names; none where the encoding has not all of it.
    static func bytes(_ text: String, _ encoding: SettlementMapping.Encoding) -> [UInt8] {
        guard encoding == .windows1251 else { return Array(text.utf8) }
        let bytes = text.unicodeScalars.compactMap { scalar -> UInt8? in
            scalar.isASCII ? UInt8(scalar.value) : cyrillic.firstIndex(of: scalar).map { UInt8(0x80 + $0) }
        }
        return bytes.count == text.unicodeScalars.count ? bytes : []
    }
}
