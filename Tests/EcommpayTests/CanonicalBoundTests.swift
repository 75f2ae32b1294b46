import Crypto
import Ecommpay
import Kernel
import Testing

/// What a stranger's message costs before anybody knows who it is from: its canonical string repeats each leaf's whole path.
struct CanonicalBoundTests {
    private let key = Secret("sandbox-secret")

    /// A list under a member whose name takes half of the message.
    private func message(name length: Int, leaves: Int) -> Json {
        [String(repeating: "a", count: length): .array(Array(repeating: 1, count: leaves))]
    }

    @Test func `a message whose canonical string would be its square is refused, signed or not, and costs no more`() {
        let document = message(name: 32_000, leaves: 16_000)
        #expect(CanonicalString(bounded: document, atMost: 262_144) == nil)
        #expect(Signature.verify("x", of: document, key: key, acceptsByteOrder: true) == nil)
    }

    @Test func `what is just as long as allowed is read`() throws {
        let document = message(name: 100, leaves: 100)
        let length = CanonicalString(document).text(.natural).count - 99
        #expect(CanonicalString(bounded: document, atMost: length) != nil)
        #expect(CanonicalString(bounded: document, atMost: length - 1) == nil)
        let signed = Signature.sign(document, key: key)
        #expect(Signature.verify(signed, of: document, key: key, acceptsByteOrder: true) != nil)
    }
}
