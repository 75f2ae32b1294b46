import Kernel
import TestKit
import Testing

struct EncodingTests {
    /// RFC 4648, section 10.
    private static let vectors: [(plain: String, base64: String, base32: String, hex: String)] = [
        ("", "", "", ""), ("f", "Zg==", "my", "66"), ("fo", "Zm8=", "mzxq", "666f"), ("foo", "Zm9v", "mzxw6", "666f6f"),
        ("foob", "Zm9vYg==", "mzxw6yq", "666f6f62"), ("fooba", "Zm9vYmE=", "mzxw6ytb", "666f6f6261"),
        ("foobar", "Zm9vYmFy", "mzxw6ytboi", "666f6f626172"),
    ]

    @Test func `the vectors of the RFC come out and go in`() {
        for vector in Self.vectors {
            let bytes = Array(vector.plain.utf8)
            #expect(Base64.encode(bytes) == vector.base64 && Base64.decode(vector.base64) == bytes)
            #expect(Base64.decode(Base64.encode(bytes, .url), .url) == bytes)
            #expect(Base32.encode(bytes) == vector.base32)
            #expect(Hex.encode(bytes) == vector.hex && Hex.decode(vector.hex.uppercased()) == bytes)
        }
    }

    @Test func `the address alphabet has no padding and no letters that need an escape`() {
        #expect(Base64.encode([0xFB, 0xFF, 0xFE]) == "+//+" && Base64.encode([0xFB, 0xFF, 0xFE], .url) == "-__-")
        #expect(Base64.encode([0xFF], .url) == "_w")
    }

    @Test func `bytes are found where they stand in one piece`() {
        let bytes = Array("aabab".utf8)
        for sought in ["a", "b", "aab", "bab", "aabab", "ba"] { #expect(bytes.holds(Array(sought.utf8)), "\(sought)") }
        for sought in ["", "c", "bb", "aabb", "ababa", "aababa"] {
            #expect(!bytes.holds(Array(sought.utf8)), "\(sought)")
        }
    }

    @Test(arguments: ["Z", "Zg", "Zg=", "Zg===", "Z===", "====", "Zh==", "Zm9=", "Zm9v\n", "Zm9 ", "Zm-_", "Zg==Zg=="])
    func `standard base64 is read strictly`(_ text: String) { #expect(Base64.decode(text) == nil) }

    @Test(arguments: ["Z", "Zg==", "Zh", "Zm9", "+/", "Zm9v="])
    func `address base64 is read strictly`(_ text: String) { #expect(Base64.decode(text, .url) == nil) }

    @Test(arguments: ["a", "0g", "0x", " 00", "é"])
    func `hexadecimal digits come in pairs`(_ text: String) { #expect(Hex.decode(text) == nil) }

    @Test func `any bytes come back`() throws {
        try forAll(runs: 300, seed: 4) { random in
            let bytes = (0..<Int.random(in: 0..<50, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(Base64.decode(Base64.encode(bytes, .url), .url) == bytes)
            #expect(Hex.decode(Hex.encode(bytes)) == bytes)
        }
    }
}

struct FormEncodingTests {
    @Test func `pairs are written as forms are`() {
        #expect(
            FormEncoding.encode([("a b", "1&2=3"), ("ключ", "*~-._")])
                == "a+b=1%262%3D3&%D0%BA%D0%BB%D1%8E%D1%87=*%7E-._"
        )
        #expect(FormEncoding.encode([]).isEmpty)
    }

    @Test func `an address part escapes everything but the unreserved`() {
        #expect(FormEncoding.escape("a b/ü~*") == "a%20b%2F%C3%BC~%2A")
    }

    @Test func `pairs are read in order`() throws {
        let pairs = try #require(FormEncoding.decode("a+b=1%262&c&=d&&e=f=g&%C3%A9="))
        #expect(pairs.map(\.name) == ["a b", "c", "", "e", "é"])
        #expect(pairs.map(\.value) == ["1&2", "", "d", "f=g", ""])
        #expect(FormEncoding.decode("")?.isEmpty == true)
    }

    @Test(arguments: ["a=%", "a=%4", "a=%zz", "%ff=1", "a=%C3"])
    func `broken escapes and bytes that are not UTF-8 are refused`(_ text: String) {
        #expect(FormEncoding.decode(text) == nil)
    }

    @Test func `any pairs come back`() throws {
        try forAll(runs: 300, seed: 6) { random in
            let pairs = (0..<Int.random(in: 1..<5, using: &random)).map { _ in
                (
                    name: "n" + String(random.next()),
                    value: String(Character(Unicode.Scalar(UInt8.random(in: 0...255, using: &random))))
                )
            }
            let read = try #require(FormEncoding.decode(FormEncoding.encode(pairs)))
            #expect(read.map(\.name) == pairs.map(\.name) && read.map(\.value) == pairs.map(\.value))
        }
    }
}
