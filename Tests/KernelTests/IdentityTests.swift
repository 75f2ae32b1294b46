import Kernel
import TestKit
import Testing

struct UuidTests {
    private let text = "0190a3c2-d4e5-7f60-8192-a0b1c2d3e4f5"

    @Test func `texts with and without hyphens name the same value`() throws {
        let uuid = try #require(Uuid(text))
        #expect(uuid.description == text)
        #expect(uuid.compact == "0190a3c2d4e57f608192a0b1c2d3e4f5")
        #expect(Uuid(uuid.compact) == uuid && Uuid(text.uppercased()) == uuid && Uuid(bytes: uuid.bytes) == uuid)
    }

    @Test(arguments: [
        "", "0190a3c2", "0190a3c2-d4e5-7f60-8192-a0b1c2d3e4f", "0190a3c2-d4e5-7f60-8192-a0b1c2d3e4fg",
        "0190a3c2d-4e5-7f60-8192-a0b1c2d3e4f5", "{190a3c2-d4e5-7f60-8192-a0b1c2d3e4f}",
        "0190a3c2d4e57f608192a0b1c2d3e4f5 ",
        "0190a3c2d4e57f608192a0b1c2d3e4-5",
    ])
    func `another text is none`(_ text: String) { #expect(Uuid(text) == nil) }

    @Test func `sixteen bytes make one`() {
        #expect(
            Uuid(bytes: [UInt8](repeating: 1, count: 15)) == nil && Uuid(bytes: [UInt8](repeating: 1, count: 17)) == nil
        )
    }

    /// RFC 9562, appendix A.6.
    @Test func `version 7 carries the time, the version and the variant`() throws {
        let time = try #require(Timestamp("2022-02-22T19:22:22Z"))
        let uuid = Uuid.version7(at: time, random: (0xCC3, 0x18C4_DC0C_0C07_398F))
        #expect(uuid.description == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
        let full = Uuid.version7(at: time, random: (.max, .max))
        #expect(full.version == 7 && full.low >> 62 == 0b10)
    }

    @Test func `version 7 sorts by time`() {
        let source = SeededRandom(seed: 1)
        let made = (0..<100).map { source.uuid(at: Timestamp(microseconds: Int64($0) * 1000)) }
        #expect(made == made.sorted() && Set(made).count == 100)
    }

    @Test func `version 5 stamps a digest`() {
        #expect(
            Uuid.version5(digest: [UInt8](repeating: 0xFF, count: 20))?.description
                == "ffffffff-ffff-5fff-bfff-ffffffffffff"
        )
        #expect(Uuid.version5(digest: [1, 2, 3]) == nil)
    }

    @Test func `any value is read as it was written`() throws {
        try forAll(runs: 500, seed: 2) { random in
            let uuid = Uuid(high: random.next(), low: random.next())
            #expect(Uuid(uuid.description) == uuid && Uuid(uuid.compact) == uuid && Uuid(bytes: uuid.bytes) == uuid)
        }
    }
}

struct IdentifierTests {
    private let uuid = Uuid(high: 0x0190_A3C2_D4E5_7F60, low: 0x8192_A0B1_C2D3_E4F5)

    @Test func `an identifier has the prefix of its kind`() {
        #expect(PaymentId(uuid).text == "pay_0190a3c2d4e57f608192a0b1c2d3e4f5")
        #expect(PaymentId("pay_0190a3c2d4e57f608192a0b1c2d3e4f5") == PaymentId(uuid))
        #expect(PaymentId("pay_0190a3c2-d4e5-7f60-8192-a0b1c2d3e4f5") == PaymentId(uuid))
        let prefixes = [
            PaymentKind.prefix, OperationKindTag.prefix, InstrumentKind.prefix, InputKindTag.prefix,
            EffectKindTag.prefix,
            DisputeKind.prefix,
        ]
        #expect(Set(prefixes).count == prefixes.count)
    }

    @Test(arguments: [
        "", "pay_", "pay", "op_0190a3c2d4e57f608192a0b1c2d3e4f5", "0190a3c2d4e57f608192a0b1c2d3e4f5",
        "PAY_0190a3c2d4e57f608192a0b1c2d3e4f5", "pay_pay_0190a3c2d4e57f608192a0b1c2d3e4f5",
        "pay-0190a3c2d4e57f608192a0b1c2d3e4f5",
    ])
    func `another text is none`(_ text: String) { #expect(PaymentId(text) == nil) }
}
