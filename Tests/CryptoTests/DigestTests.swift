import Crypto
import Kernel
import Testing

struct DigestTests {
    /// Examples of FIPS 180-4: the message `abc`.
    @Test func `the digests of abc are the published ones`() {
        let message = Array("abc".utf8)
        #expect(Hex.encode(Digest.sha1(message)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(
            Hex.encode(Digest.sha256(message))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        #expect(
            Hex.encode(Digest.sha384(message))
                == "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                + "8086072ba1e7cc2358baeca134c825a7"
        )
        #expect(
            Hex.encode(Digest.sha512(message))
                == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        )
    }

    @Test func `nothing has a digest, too`() {
        #expect(
            Hex.encode(Digest.sha256([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        )
    }

    @Test(arguments: HashAlgorithm.allCases)
    func `pieces hash like the whole`(_ algorithm: HashAlgorithm) {
        let whole = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        var hash = IncrementalHash(algorithm)
        hash.update(Array(whole[..<1]))
        hash.update([])
        hash.update(Array(whole[1..<513]))
        hash.update(Array(whole[513...]))
        let pieces = hash.finish()
        #expect(pieces == Digest.digest(algorithm, whole))
        #expect(pieces.count == algorithm.digestBytes)
    }

    @Test func `equal means same length and same bytes`() {
        #expect(constantTimeEquals([], []))
        #expect(constantTimeEquals([1, 2, 3], [1, 2, 3]))
        #expect(!constantTimeEquals([1, 2, 3], [1, 2, 4]))
        #expect(!constantTimeEquals([1, 2, 3], [1, 2]))
    }
}

struct Uuid5Tests {
    private static let dns = Uuid("6ba7b810-9dad-11d1-80b4-00c04fd430c8")

    /// RFC 9562, appendix A.4.
    @Test func `the example of the RFC derives`() throws {
        let uuid = Uuid.version5(namespace: try #require(Self.dns), name: "www.example.com")
        #expect(uuid.description == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
        #expect(uuid.version == 5)
    }

    @Test func `another name is another value`() throws {
        let namespace = try #require(Self.dns)
        #expect(Uuid.version5(namespace: namespace, name: "a") != Uuid.version5(namespace: namespace, name: "b"))
    }
}
