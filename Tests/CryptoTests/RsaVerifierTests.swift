import Crypto
import Kernel
import Testing

struct RsaVerifierTests {
    private static let forms = [RsaFixture.publicKey, RsaFixture.certificate]

    private func der(_ pem: String) throws -> [UInt8] {
        let body = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        return try #require(Base64.decode(body))
    }

    @Test(arguments: forms)
    func `a key and a certificate verify as PEM and as DER`(_ pem: String) throws {
        let signature = try unhex(RsaFixture.sha256)
        for encoded in [Array(pem.utf8), try der(pem)] {
            let verifier = try RsaVerifier(encoded)
            #expect(verifier.verifies(signature, of: RsaFixture.message, .sha256))
        }
    }

    @Test func `each digest and padding verifies its own signature only`() throws {
        let verifier = try RsaVerifier(Array(RsaFixture.publicKey.utf8))
        let known: [(text: String, algorithm: HashAlgorithm, padding: RsaVerifier.Padding)] = [
            (RsaFixture.sha256, .sha256, .pkcs1), (RsaFixture.sha384, .sha384, .pkcs1),
            (RsaFixture.sha512, .sha512, .pkcs1), (RsaFixture.pss256, .sha256, .pss),
        ]
        for (row, one) in known.enumerated() {
            let signature = try unhex(one.text)
            for (column, other) in known.enumerated() {
                let holds = verifier.verifies(signature, of: RsaFixture.message, other.algorithm, other.padding)
                #expect(holds == (row == column))
            }
        }
    }

    @Test func `a changed bit anywhere is refused`() throws {
        let verifier = try RsaVerifier(Array(RsaFixture.publicKey.utf8))
        let signature = try unhex(RsaFixture.sha256)
        for index in stride(from: 0, to: signature.count, by: 17) {
            var changed = signature
            changed[index] ^= 1
            #expect(!verifier.verifies(changed, of: RsaFixture.message, .sha256))
        }
        #expect(!verifier.verifies(signature, of: RsaFixture.message + [0], .sha256))
        #expect(!verifier.verifies(Array(signature.dropLast()), of: RsaFixture.message, .sha256))
        #expect(!verifier.verifies([], of: RsaFixture.message, .sha256))
    }

    @Test func `a short key and a key of another kind are refused`() {
        #expect(throws: CryptoFailure.shortKey) { try RsaVerifier(Array(RsaFixture.shortKey.utf8)) }
        #expect(throws: CryptoFailure.unsupportedKey) { try RsaVerifier(Array(RsaFixture.ed25519Key.utf8)) }
    }

    @Test func `what is no key is refused`() throws {
        let valid = try der(RsaFixture.publicKey)
        let broken = [[], [0x30], Array("-----BEGIN PUBLIC KEY-----".utf8), valid + [0], Array(valid.dropLast())]
        for bytes in broken {
            #expect(throws: CryptoFailure.malformedKey) { try RsaVerifier(bytes) }
        }
    }
}
