import Kernel
import Sandbox
import Testing

struct EcommpaySignatureTests {
    @Test func `every published signing case gives the published text and signature`() throws {
        guard let file = try VectorFile.load("ecommpay/signature_objects.json") else { return }
        for item in file.cases {
            let id = item["id"]?.text ?? "?"
            let input = try #require(item["input"])
            let key = Secret(try #require(item["key"]?.text))
            #expect(EcommpaySignature.canonicalText(input) == item["string_to_sign"]?.text, "\(id)")
            #expect(EcommpaySignature.sign(input, key: key) == item["signature"]?.text, "\(id)")
        }
    }

    @Test func `every published text of an SDK gives the published signature`() throws {
        guard let file = try VectorFile.load("ecommpay/signature_sdk_strings.json") else { return }
        for item in file.cases {
            let text = try #require(item["string_to_sign"]?.text)
            let key = Secret(try #require(item["key"]?.text))
            #expect(EcommpaySignature.sign(text: text, key: key) == item["signature"]?.text)
        }
    }

    @Test func `every callback case gets its verdict`() throws {
        guard let file = try VectorFile.load("ecommpay/callbacks.json") else { return }
        for item in file.cases {
            let body = try Json(text: try #require(item["raw_body"]?.text))
            let key = Secret(try #require(item["key"]?.text))
            let holds = EcommpaySignature.check(body, key: key) == nil
            #expect(holds == item["signature_valid"]?.flag, "\(item["id"]?.text ?? "?")")
        }
    }

    @Test func `every published form address gives its signature`() throws {
        guard let file = try VectorFile.load("ecommpay/payment_page_urls.json") else { return }
        for item in file.cases {
            let params = try #require(item["params"])
            let key = Secret(try #require(item["key"]?.text))
            #expect(EcommpaySignature.sign(params, key: key) == item["signature"]?.text)
        }
    }

    @Test func `digit runs count as numbers, and a colon in a key is doubled`() {
        let list = Json.array((0...11).map { .integer($0) })
        let text = EcommpaySignature.canonicalText(["a:b": "c", "l": list])
        #expect(text == "a::b:c;l:0:0;l:1:1;l:2:2;l:3:3;l:4:4;l:5:5;l:6:6;l:7:7;l:8:8;l:9:9;l:10:10;l:11:11")
    }

    @Test func `flags are 1 and 0, nothing is an empty value, and empty lists and frame_mode give no line`() {
        let value: Json = ["t": true, "f": false, "n": .null, "e": "", "l": [], "o": [:], "x": ["frame_mode": "p"]]
        #expect(EcommpaySignature.canonicalText(value) == "e:;f:0;n:;t:1")
    }

    @Test(arguments: [
        ("a2", "a10", -1), ("a10", "a2", 1), ("007", "7", 0), ("1.05", "1.5", -1), ("a b", "ab", 0), ("A", "a", -1),
        ("a", "ab", -1), ("x01", "x1", -1), ("operations:2:id", "operations:10:id", -1), ("", "a", -1), ("a", "a", 0),
    ])
    func `the natural order is the documented one`(left: String, right: String, expected: Int) {
        let (one, two) = (Array(left.utf8)[...], Array(right.utf8)[...])
        #expect(NaturalOrder.compare(one, two).signum() == expected)
        #expect(NaturalOrder.compare(two, one).signum() == -expected)
    }
}
