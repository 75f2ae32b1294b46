import Crypto
import Kernel
import Testing

/// A test of RFC 8032, section 7.1.
private struct Ed25519Case: Sendable, CustomTestStringConvertible {
    let name: String
    let seed: String
    let publicKey: String
    let message: String
    let signature: String

    var testDescription: String { name }
}

private let cases = [
    Ed25519Case(
        name: "test 1, the empty message",
        seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        message: "",
        signature: "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
            + "d25bf5f0595bbe24655141438e7a100b"
    ),
    Ed25519Case(
        name: "test 2, one byte",
        seed: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        message: "72",
        signature: "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
            + "387b2eaeb4302aeeb00d291612bb0c00"
    ),
]

struct Ed25519Tests {
    @Test(arguments: cases)
    private func `the signatures of the RFC come out`(_ known: Ed25519Case) throws {
        let key = try #require(Ed25519SigningKey(seed: Secret(unhex(known.seed))))
        let message = try unhex(known.message)
        #expect(Hex.encode(key.publicKey.bytes) == known.publicKey)
        #expect(Hex.encode(key.sign(message)) == known.signature)
        let published = try #require(Ed25519PublicKey(unhex(known.publicKey)))
        #expect(published.verifies(key.sign(message), of: message))
    }

    @Test func `another message, signature or length is refused`() throws {
        let key = try #require(Ed25519SigningKey(seed: Secret([UInt8](repeating: 7, count: 32))))
        let signature = key.sign([1, 2, 3])
        #expect(!key.publicKey.verifies(signature, of: [1, 2, 4]))
        #expect(!key.publicKey.verifies(Array(signature.dropLast()), of: [1, 2, 3]))
        #expect(!key.publicKey.verifies([UInt8](repeating: 0, count: 64), of: [1, 2, 3]))
    }

    @Test func `keys have 32 bytes`() {
        #expect(Ed25519SigningKey(seed: Secret([1])) == nil)
        #expect(Ed25519PublicKey([1]) == nil)
    }
}
