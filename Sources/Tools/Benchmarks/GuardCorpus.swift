import Kernel

/// Texts that are the dearest that we know for the card-data guard: what strangers would send.
package enum GuardCorpus {
    /// A document as providers write it: what a guarded byte is measured against.
    package static func document(bytes: Int) -> [UInt8] { list("{\"at\":\"2026-11-22T12:00:00Z\",\(members)}", bytes) }

    private static let members = #"""
        "id":"5f3759df-1b2c-4d5e-8f90-a1b2c3d4e5f6","type":"payment.captured","amount":129900,"currency":"EUR","payment":\#
        {"status":"CAPTURED","statusCode":9,"card":{"masked":"411111******1111","expiry":"1227"},"customer":{"email":\#
        "a.person@example.com","name":"Anna Person"}},"references":["order-1","abc"]
        """#

    /// Each with its name, about so many bytes long.
    package static func texts(bytes: Int) -> [(name: String, bytes: [UInt8])] {
        plain(bytes) + encoded(bytes) + documents(bytes)
    }

    private static func plain(_ count: Int) -> [(name: String, bytes: [UInt8])] {
        var random = SplitMix64(seed: 412)
        let noise = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let texts = [
            "0", "1 ", "11 ", "0000 ", "4111-", "1.22.333.", "4111111111111111 ", "abc 123 ", "track 1 ", "\u{664}",
            "\u{664}\u{664}\u{664}\u{664} ", "\u{200B}", "\u{E0041}", "привет ", "😀",
            "0190a3c2-d4e5-7f60-8192-500000000009 ",
        ]
        return [("noise", noise)] + texts.map { ("rows of \($0)", rows($0, count)) }
    }

    private static func encoded(_ count: Int) -> [(name: String, bytes: [UInt8])] {
        let texts = [
            "%25%26", "&#52;", "\\u0034", "%34&#x5c;\\u0026#", "QUFB", "33", "303030302030303030",
            "3333333333333333333333/", "0000/0000-0000+0000_",
        ]
        var rest = texts.map { (name: "rows of \($0)", bytes: rows($0, count)) }
        for text in ["0000 ", "1 "] {
            let twice = Base64.encode(Array(Base64.encode(rows(text, count * 9 / 16)).utf8))
            rest.append(("base64, twice, of \(text)", Array(twice.utf8)))
            rest.append(("behind three escapes \(text)", Array("%25252530".utf8) + rows(text, count)))
        }
        return rest
    }

    private static func documents(_ count: Int) -> [(name: String, bytes: [UInt8])] {
        let number = "4111111111111111"
        let names = Array(repeating: "x", count: count / 2).joined()
        var inner = String(decoding: rows("0000 ", count / 2), as: UTF8.self)
        for _ in 0..<9 { inner = String(decoding: Json.array([.string(inner)]).compactBytes, as: UTF8.self) }
        return [
            ("a text of numbers", Array("[\"".utf8) + rows("\(number) ", count) + Array("\"]".utf8)),
            ("names that are numbers", list("{\"\(number)\":1}", count)),
            ("whole numbers", list("123456789012345", count)),
            ("short texts", list("\"abc\"", count)), ("ones", list("1", count)),
            ("numbers below a long name", Array("{\"\(names)\":".utf8) + list(number, count / 2) + Array("}".utf8)),
            ("documents in documents", Array(inner.utf8)),
        ]
    }

    private static func rows(_ text: String, _ count: Int) -> [UInt8] {
        Array(repeating: Array(text.utf8), count: max(1, count / text.utf8.count)).flatMap(\.self)
    }

    private static func list(_ item: String, _ count: Int) -> [UInt8] {
        let items = Array(repeating: item, count: max(1, count / (item.utf8.count + 1)))
        return Array("[\(items.joined(separator: ","))]".utf8)
    }
}
