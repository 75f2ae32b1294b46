import Crypto
import Kernel
import TestKit
import Testing

struct KeyRingTests {
    private let random = SeededRandom(seed: 9)
    private let old = MasterKey(SymmetricKey(from: SeededRandom(seed: 1)))
    private let new = MasterKey(SymmetricKey(from: SeededRandom(seed: 2)))
    private let context = SealContext(merchant: 1, subject: Uuid(high: 0, low: 8), purpose: "subject key")

    @Test func `a key file has a key per line, the newest last`() throws {
        let first = MasterKey.newLine(from: random)
        let second = MasterKey.newLine(from: random)
        let text = first.withBytes { one in second.withBytes { two in one + Array("\n# rotated\n".utf8) + two } }
        let ring = try KeyRing(file: Secret(text))
        #expect(ring.ids.count == 2)
        #expect(ring.newestId == ring.ids.last)
        #expect(ring.newestId == (try KeyRing(file: second)).newestId)
    }

    @Test(arguments: ["", "\n", "# only\n", "AAAA\n", "not base64\n", String(repeating: "A", count: 44) + "\n"])
    func `a file without keys or with another line is refused`(_ text: String) {
        #expect(throws: CryptoFailure.malformedKey) { try KeyRing(file: Secret(text)) }
    }

    @Test func `the same key twice is refused`() {
        let line = MasterKey.newLine(from: random).withBytes { $0 }
        #expect(throws: CryptoFailure.malformedKey) { try KeyRing(file: Secret(line + line)) }
    }

    @Test func `a wrapped key comes back, here and nowhere else`() throws {
        let ring = KeyRing(newest: new)
        let key = SymmetricKey(from: random)
        let wrapped = ring.wrap(key, context, nonce: Nonce(from: random))
        #expect(try ring.unwrap(wrapped, context) == key)
        #expect(throws: CryptoFailure.notAuthentic) { try ring.unwrap(wrapped, context.with(purpose: "other")) }
        #expect(throws: CryptoFailure.notAuthentic) { try ring.open(wrapped, .template, context) }
        #expect(throws: CryptoFailure.unknownKey) { try KeyRing(newest: old).unwrap(wrapped, context) }
    }

    @Test func `after a rotation old envelopes open and are sealed again under the newest key`() throws {
        let before = KeyRing(newest: old)
        let after = KeyRing(newest: new, older: [old])
        let sealed = before.seal(Secret("hunter2"), .accountSecret, context, nonce: Nonce(from: random))
        #expect(try after.open(sealed, .accountSecret, context) == Secret("hunter2"))
        let again = try #require(
            try after.resealed(sealed, .accountSecret, context, nonce: Nonce(from: random))
        )
        #expect(again.keyId == new.id)
        #expect(try KeyRing(newest: new).open(again, .accountSecret, context) == Secret("hunter2"))
        #expect(try after.resealed(again, .accountSecret, context, nonce: Nonce(from: random)) == nil)
    }

    @Test func `a code is the derived key's, however often and by however many it is asked for`() async {
        let root = SymmetricKey(from: SeededRandom(seed: 3))
        let ring = KeyRing(newest: MasterKey(root))
        let key = root.derived(for: Array("paystream cursor 1".utf8)).secret
        await withTaskGroup(of: Bool.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    (0..<200).allSatisfy { length in
                        let message = [UInt8](repeating: UInt8(worker), count: length)
                        let code = Array(ring.newestId.bytes.prefix(4)) + Hmac.sha256(key: key, message)
                        return ring.code(.cursor, message) == code
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test func `a code tells its master, purpose and message, and a look-up finds those of old masters`() throws {
        let before = KeyRing(newest: old)
        let after = KeyRing(newest: new, older: [old])
        let code = before.code(.idempotency, [1, 2])
        #expect(code.count == 36)
        #expect(!after.codes(.idempotency, [1, 3]).contains(code))
        #expect(!after.codes(.apiKey, [1, 2]).contains(code))
        #expect(!KeyRing(newest: new).codes(.idempotency, [1, 2]).contains(code))
        #expect(after.codes(.idempotency, [1, 2]) == [after.code(.idempotency, [1, 2]), code])
    }
}
