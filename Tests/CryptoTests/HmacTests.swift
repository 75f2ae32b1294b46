import Crypto
import Kernel
import Testing

/// A case of RFC 4231, section 4 (RFC 2202 for SHA-1), in hexadecimal digits.
private struct HmacCase: Sendable, CustomTestStringConvertible {
    let name: String
    let key: String
    let message: String
    let codes: [HashAlgorithm: String]

    var testDescription: String { name }
}

private let cases = [
    HmacCase(
        name: "case 1, a short key",
        key: String(repeating: "0b", count: 20),
        message: "4869205468657265",
        codes: [
            .sha1: "b617318655057264e28bc0b6fb378c8ef146be00",
            .sha256: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            .sha384: "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6",
            .sha512: "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
                + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
        ]
    ),
    HmacCase(
        name: "case 2, a key shorter than the digest",
        key: "4a656665",
        message: "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
        codes: [
            .sha1: "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
            .sha256: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            .sha512: "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
        ]
    ),
    HmacCase(
        name: "case 6, a key longer than a block",
        key: String(repeating: "aa", count: 131),
        message: "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368204b6579"
            + "204669727374",
        codes: [
            .sha256: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            .sha512: "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
                + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
        ]
    ),
]

struct HmacTests {
    @Test(arguments: cases)
    private func `the codes of the RFC come out`(_ known: HmacCase) throws {
        let key = try Secret(unhex(known.key))
        let message = try unhex(known.message)
        for (algorithm, code) in known.codes {
            #expect(Hex.encode(Hmac.mac(algorithm, key: key, message)) == code, "\(algorithm)")
        }
    }

    @Test func `each named function uses its hash`() {
        let key = Secret("key")
        #expect(Hmac.sha1(key: key, [1]) == Hmac.mac(.sha1, key: key, [1]))
        #expect(Hmac.sha256(key: key, [1]) == Hmac.mac(.sha256, key: key, [1]))
        #expect(Hmac.sha384(key: key, [1]) == Hmac.mac(.sha384, key: key, [1]))
        #expect(Hmac.sha512(key: key, [1]) == Hmac.mac(.sha512, key: key, [1]))
    }

    @Test func `an empty key and an empty message have a code`() {
        #expect(
            Hex.encode(Hmac.sha256(key: Secret([]), []))
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
        )
    }
}
