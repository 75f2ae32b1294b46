import Kernel
import TestKit
import Testing

struct CardGuardTests {
    private func kinds(_ text: String) throws -> [String: CardFinding.Kind] {
        let findings = CardGuard.scan(try Json(text: text))
        return Dictionary(findings.map { ($0.path.description, $0.kind) }) { first, _ in first }
    }

    @Test(arguments: CardCorpus.numbers)
    func `a number of every scheme is found`(_ number: String) {
        #expect(CardGuard.containsCardNumber(number))
        #expect(CardGuard.scan(.string("Order 5, card \(number), thanks")).map(\.kind) == [.cardNumber])
    }

    @Test(arguments: CardCorpus.disguises)
    func `a disguised number is found`(_ text: String) {
        #expect(CardGuard.scan(.string(text)).map(\.kind) == [.cardNumber])
    }

    @Test(arguments: CardCorpus.nearMisses)
    func `what only looks like a number passes`(_ text: String) {
        #expect(CardGuard.scan(.string(text)).isEmpty)
        #expect(CardGuard.redact(bytes: Array(text.utf8)).bytes == Array(text.utf8))
    }

    @Test func `numbers of JSON are looked at, too`() throws {
        for digits in ["4111111111111111", "4111111111111111.0", "4.111111111111111e15", "-4111111111111111"] {
            #expect(try kinds(#"{"a":[1,\#(digits)]}"#) == ["a.1": .cardNumber], "\(digits)")
        }
    }

    @Test func `a finding names its place and not the number`() throws {
        #expect(try kinds(#"{"a":{"b":["x","4111 1111 1111 1111"]}}"#) == ["a.b.1": .cardNumber])
        #expect(
            try kinds(#"{"4111111111111111":{"cvv":"123"}}"#)
                == [CardGuard.removed: .cardNumber, CardGuard.removed + ".cvv": .securityCode]
        )
    }

    @Test func `an identifier that passes Luhn survives on an exempt path and nowhere else`() throws {
        let text =
            #"{"operation":{"id":5028800010128007},"operations":[{"id":"5028800010128007"}],"x":"5028800010128007"}"#
        let json = try Json(text: text)
        let exempt: Set<JsonPath> = ["operation.id", "operations.*.id"]
        #expect(CardGuard.scan(json, exempt: exempt) == [CardFinding(path: "x", kind: .cardNumber)])
        #expect(CardGuard.scan(json).count == 3)
        #expect(CardGuard.scan(bytes: Array(text.utf8), exempt: exempt.union(["x"])).isEmpty)
    }

    @Test(arguments: ["cvv", "CVV2", "card_cvc", "cvc", "securityCode", "aps_account_security_code", "card-cvv"])
    func `a security code is found by its name`(_ name: String) throws {
        #expect(try kinds(#"{"a":{"\#(name)":"123"}}"#) == ["a.\(name)": .securityCode])
        #expect(try kinds(#"{"\#(name)":1234}"#) == [name: .securityCode])
        for harmless in [#""""#, "null", #""12""#, #""12345""#, #""match""#, "true"] {
            #expect(try kinds(#"{"\#(name)":\#(harmless)}"#) == [:])
        }
    }

    @Test func `pins, tracks and fields for numbers are found by their names`() throws {
        #expect(try kinds(#"{"pin":"1234"}"#) == ["pin": .pin])
        #expect(try kinds(#"{"track2":";4000=2512"}"#) == ["track2": .track])
        #expect(try kinds(#"{"pan":"1234567890123456"}"#) == ["pan": .cardNumber])
        #expect(try kinds(#"{"card":{"number":"1234567890123"}}"#) == ["card.number": .cardNumber])
        #expect(try kinds(#"{"card_number":"411111******1111","account":{"number":"431422******0056"}}"#) == [:])
        #expect(try kinds(#"{"order":{"number":"1234567890123"},"spinner":"1234","pan":"123"}"#) == [:])
    }

    @Test func `an exempt path does not excuse a name`() throws {
        let json = try Json(text: #"{"cvv":"123"}"#)
        #expect(CardGuard.scan(json, exempt: ["cvv"]).count == 1)
    }

    @Test func `redaction removes what was found and keeps the rest`() throws {
        let json = try Json(text: #"{"a":"to 4111 1111 1111 1111!","b":4111111111111111,"cvv":"123","d":[1,"x"]}"#)
        let (clean, findings) = CardGuard.redact(json)
        let removed = CardGuard.removed
        #expect(
            clean.compactBytes
                == Array(#"{"a":"to \#(removed)!","b":"\#(removed)","cvv":"\#(removed)","d":[1,"x"]}"#.utf8)
        )
        #expect(findings.map(\.path.description) == ["a", "b", "cvv"])
        #expect(CardGuard.scan(clean).isEmpty)
    }

    @Test func `a document inside a string is looked through`() throws {
        let findings = CardGuard.scan(
            try Json(text: #"{"body":"{\"card\":{\"cvv\":\"123\"},\"n\":\"4111111111111111\"}"}"#)
        )
        #expect(findings.map(\.kind) == [.securityCode, .cardNumber])
        #expect(findings.allSatisfy { $0.path == "body" })
    }

    @Test func `queries and headers are looked through`() {
        let pairs = [("q", "4111-1111-1111-1111"), ("cvv", "123"), ("page", "2"), ("x-request-id", "5028800010128007")]
        let findings = CardGuard.scan(pairs: pairs.map { (name: $0.0, value: $0.1) }, exempt: ["x-request-id"])
        #expect(findings.map(\.path.description) == ["q", "cvv"])
    }

    @Test(arguments: [
        "card=4111111111111111&cvv=123", "<cvv>123</cvv>", #"{"cvv": "123", broken"#, "number=4111+1111+1111+1111",
        "n=%34%31%31%31111111111111", "<pan>4111111111111111</pan>", "pin: 1234",
    ])
    func `bodies that are no JSON are cleaned, too`(_ text: String) {
        let (clean, findings) = CardGuard.redact(bytes: Array(text.utf8))
        #expect(findings.count == 1)
        #expect(CardGuard.scan(bytes: clean).isEmpty)
    }

    @Test func `bytes that are no text do no harm`() {
        #expect(CardGuard.redact(bytes: [0xFF, 0x00, 0xC3]).findings.isEmpty)
        #expect(CardGuard.scan(bytes: [0xFF] + Array("4111111111111111".utf8) + [0xFE]).count == 1)
    }

    @Test func `random mixtures are cleaned for good and never crash`() throws {
        let pieces = CardCorpus.disguises + CardCorpus.nearMisses + ["%", "&#", "\\u", "{\"cvv\":", "\u{0}", "9", " "]
        try forAll(runs: 1000, seed: 17) { random in
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<6, using: &random) {
                bytes += Array((pieces.randomElement(using: &random) ?? "").utf8)
                if Bool.random(using: &random) { bytes.append(UInt8.random(in: .min ... .max, using: &random)) }
            }
            let clean = CardGuard.redact(bytes: bytes).bytes
            #expect(CardGuard.scan(bytes: clean).isEmpty, "\(bytes)")
        }
    }
}
