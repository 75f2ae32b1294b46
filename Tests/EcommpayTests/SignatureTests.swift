import Conformance
import Ecommpay
import EcommpayConformance
import Http
import Kernel
import Payments
import ProviderKit
import Testing

/// The canonical string through the suite, the keyed verdict through `authenticate`.
struct SignatureTests {
    private func canonical(_ input: Json, _ expected: String) -> [String] {
        let item: Json = ["key": "k", "input": input, "string_to_sign": .string(expected)]
        return EcommpaySuite().violations(kind: "signature_objects", item: item, file: [:])
    }

    @Test func `leaves are printed by kind and empty lists vanish`() {
        let input: Json = [
            "t": true, "f": false, "n": .null, "s": "", "i": 7, "l": [], "o": ["x": [:]], "m": [[], "v"],
        ]
        #expect(canonical(input, "f:0;i:7;m:1:v;n:;s:;t:1") == [])
    }

    @Test func `numbers keep their digits`() throws {
        let input = try Json(Array(#"{"big":123456789012345678901234567890,"d":1.50}"#.utf8))
        #expect(canonical(input, "big:123456789012345678901234567890;d:1.50") == [])
    }

    @Test func `colons in names are doubled and values are left alone`() {
        #expect(canonical(["a:b": ["c": "d:e;f"]], "a::b:c:d:e;f") == [])
    }

    @Test func `signatures and frame mode give no line at any depth`() {
        let input: Json = [
            "signature": "x", "general": ["signature": "y"], "list": [["signature": "z", "a": 1, "frame_mode": 2]],
        ]
        #expect(canonical(input, "list:0:a:1") == [])
    }

    @Test func `a wrong expectation is a violation`() {
        #expect(canonical(["a": 1], "a:2").count == 1)
    }

    private var long: Callback {
        let operations = Json.array((0..<12).map { ["id": .integer(Int64($0))] })
        return Callback(type: nil, changes: [("list", operations)])
    }

    private func verdict(_ body: [UInt8], _ settings: AccountSettings = Shop.settings()) -> Authentication {
        Shop.adapter.authenticate(Callback.request(body), settings, AccountSecrets(["secretKey": Secret(Shop.key)]))
    }

    @Test func `a long list verifies in natural order under the key's name`() {
        let lines = Callback.leaves(long.json)
        let body = long.signed(
            over: lines.filter { $0.hasPrefix("list") } + lines.filter { !$0.hasPrefix("list") }.sorted()
        )
        guard case .verified(let notification) = verdict(body) else {
            Issue.record("not verified")
            return
        }
        #expect(notification.keyId == "secretKey")
    }

    @Test func `byte order verifies too and is told, unless the account forbids it`() {
        guard case .verified(let notification) = verdict(long.signed()) else {
            Issue.record("not verified")
            return
        }
        #expect(notification.keyId == "secretKey/byte-order")
        let strict = Shop.settings([("acceptByteOrder", false)])
        #expect(verdict(long.signed(), strict) == .rejected(reason: "signature_mismatch"))
    }

    @Test func `requests are signed in natural order only`() throws {
        let details: Json = ["payer": ["email": "x@example.org"]]
        let template = try Shop.plan(Shop.dispatch(.operation(.capture), amount: 5), Shop.terms(details: details))
        let request = try Shop.adapter.finish(template, Shop.materials())
        let body = try Json(request.body)
        let signature = body.at("general", "signature")?.text ?? ""
        let item: Json = ["key": .string(Shop.key), "input": body, "signature": .string(signature)]
        #expect(EcommpaySuite().violations(kind: "signature_objects", item: item, file: [:]) == [])
    }
}
