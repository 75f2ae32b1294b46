import Crypto
import Kernel
import TestKit
import Testing

/// A 256-bit case of the GCM specification's test vectors (McGrew and Viega, used by NIST).
private struct GcmCase: Sendable, CustomTestStringConvertible {
    let name: String
    let key: String
    let nonce: String
    let plaintext: String
    let bound: String
    let box: String

    var testDescription: String { name }
}

private let cases = [
    GcmCase(
        name: "case 13, nothing",
        key: String(repeating: "00", count: 32),
        nonce: String(repeating: "00", count: 12),
        plaintext: "",
        bound: "",
        box: "530f8afbc74536b9a963b4f1c4cb738b"
    ),
    GcmCase(
        name: "case 14, a block of zeros",
        key: String(repeating: "00", count: 32),
        nonce: String(repeating: "00", count: 12),
        plaintext: String(repeating: "00", count: 16),
        bound: "",
        box: "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
    ),
    GcmCase(
        name: "case 16, sixty bytes and bound ones",
        key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
        nonce: "cafebabefacedbaddecaf888",
        plaintext: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
            + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
        bound: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
        box: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
            + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"
    ),
]

struct AesGcmTests {
    @Test(arguments: cases)
    private func `the published boxes come out and open`(_ known: GcmCase) throws {
        let key = try #require(SymmetricKey(Secret(unhex(known.key))))
        let nonce = try #require(Nonce(unhex(known.nonce)))
        let plaintext = try unhex(known.plaintext)
        let bound = try unhex(known.bound)
        let box = AesGcm.seal(plaintext, key: key, nonce: nonce, bound: bound)
        #expect(Hex.encode(box) == known.box)
        #expect(try AesGcm.open(box, key: key, nonce: nonce, bound: bound) == plaintext)
    }

    @Test func `a changed bit of box, nonce, key or bound bytes does not open`() throws {
        let random = SeededRandom(seed: 1)
        let key = SymmetricKey(from: random)
        let nonce = Nonce(from: random)
        let box = AesGcm.seal([1, 2, 3], key: key, nonce: nonce, bound: [9])
        for index in box.indices {
            var changed = box
            changed[index] ^= 0x80
            #expect(throws: CryptoFailure.notAuthentic) {
                try AesGcm.open(changed, key: key, nonce: nonce, bound: [9])
            }
        }
        let others = (SymmetricKey(from: random), Nonce(from: random))
        #expect(throws: CryptoFailure.notAuthentic) { try AesGcm.open(box, key: others.0, nonce: nonce, bound: [9]) }
        #expect(throws: CryptoFailure.notAuthentic) { try AesGcm.open(box, key: key, nonce: others.1, bound: [9]) }
        #expect(throws: CryptoFailure.notAuthentic) { try AesGcm.open(box, key: key, nonce: nonce, bound: []) }
        for count in 0..<box.count {
            #expect(throws: CryptoFailure.notAuthentic) {
                try AesGcm.open(Array(box.prefix(count)), key: key, nonce: nonce, bound: [9])
            }
        }
    }

    @Test func `keys have 32 bytes and nonces 12`() {
        #expect(SymmetricKey(Secret([UInt8](repeating: 1, count: 31))) == nil)
        #expect(Nonce([UInt8](repeating: 1, count: 16)) == nil)
    }
}

struct HkdfTests {
    /// RFC 5869, appendix A.1 and A.3.
    @Test func `the derived keys of the RFC come out`() throws {
        let key = Secret([UInt8](repeating: 0x0b, count: 22))
        let salt = try unhex("000102030405060708090a0b0c")
        let info = try unhex("f0f1f2f3f4f5f6f7f8f9")
        let first = Hkdf.sha256(key: key, salt: salt, info: info, count: 42).withBytes(Hex.encode)
        #expect(first == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
        let third = Hkdf.sha256(key: key, salt: [], info: [], count: 42).withBytes(Hex.encode)
        #expect(third == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
    }

    /// RFC 5869, appendix A.2: three blocks.
    @Test func `long inputs give long keys`() throws {
        let key = Secret((0x00...0x4f).map { UInt8($0) })
        let salt = (0x60...0xaf).map { UInt8($0) }
        let info = (0xb0...0xff).map { UInt8($0) }
        let derived = Hkdf.sha256(key: key, salt: salt, info: info, count: 82).withBytes(Hex.encode)
        #expect(
            derived
                == "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
                + "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
        )
    }
}
