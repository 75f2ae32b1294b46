import Glibc
import Kernel
import TestKit
import Testing

struct AmountReaderTests {
    private let cents = AmountReader(scale: 2)

    @Test(arguments: [
        ("100", 10_000), ("100.5", 10_050), ("100.50", 10_050), ("100.500", 10_050), ("0.01", 1), ("0", 0), ("0.00", 0),
        ("007.10", 710), ("92233720368547758.07", Int64.max),
    ]) func `exact decimal text is an amount`(text: String, minor: Int64) {
        #expect((try? cents.units(text)) == minor)
    }

    @Test(arguments: [
        "", " ", "1,00", "1.005", "0.01 UAH", "+1", "-1", "1.", ".5", "1.2.3", "1 000", "1e2", "NaN", "0x10", "١",
        "92233720368547758.08", "1.00 ", "--1", "1.001", "100000000000000000000",
    ]) func `whatever else stands there is none`(text: String) {
        #expect((try? cents.units(text)) == nil)
        #expect(EvidenceAmount(decimal: .string(text), Currency("UAH")) == .unreadable(text))
    }

    @Test func `nothing is absent, a number may have an exponent, and a minus is taken where refunds have one`() throws
    {
        let hryvnia = Currency("UAH")
        #expect(EvidenceAmount(decimal: nil, hryvnia) == .absent)
        #expect(EvidenceAmount(decimal: .null, hryvnia) == .absent)
        #expect(EvidenceAmount(decimal: ["x"], hryvnia).money == nil)
        #expect(EvidenceAmount(decimal: try Json(text: "1.01E+1"), hryvnia).money?.minor == 1010)
        #expect(EvidenceAmount(decimal: "1.01E+1", hryvnia) == .unreadable("1.01E+1"))
        #expect(EvidenceAmount(decimal: "-9", hryvnia, isSigned: true).money?.minor == -900)
        #expect(EvidenceAmount(minor: 500, Currency("EUR")).money?.minor == 500)
        for odd: Json in ["19.99", "100.00", -5, "+5", true, ["x": 1]] {
            #expect(EvidenceAmount(minor: odd, Currency("EUR")).money == nil)
        }
    }

    @Test(arguments: [
        ("129.90000000000001", 12_990), ("5.0099999999999998", 501), ("0.10000000000000001", 10),
        ("0.28999999999999998", 29), ("1.1499999999999999", 115), ("9999999999999.9902", 999_999_999_999_999),
    ]) func `the image of a double is the amount that it was`(text: String, minor: Int64) {
        #expect((try? cents.units(text)) == minor)
        #expect(AmountReader.isImageOfDouble(text))
    }

    @Test(arguments: [
        "0.30000000000000004", "129.90000000000002", "129.9000000000001", "129.900000000000006", "5.00999999999999979",
        "5.0049999999999999", "100.00000000000001", "1.0050000000000001", "4111111111111.1111",
    ]) func `a sum of doubles, a neighbour, more digits or fewer are no image`(text: String) {
        #expect((try? cents.units(text)) == nil)
    }

    /// The writer is the C library's own, where the reader has integers alone.
    @Test func `what %.17g makes of any amount is read back`() throws {
        try forAll(runs: 3000, seed: 170_000) { random in
            let scale = [0, 2, 3, 4][Int(random.next() % 4)]
            let minor = Int64(random.next() % 1_000_000_000_000_000) >> Int64(random.next() % 48)
            var divisor = 1.0
            for _ in 0..<scale { divisor *= 10 }
            let text = Self.image(Double(minor) / divisor)
            guard try AmountReader(scale: scale).units(text, mayHaveExponent: true) == minor else {
                throw Misread(text: text, minor: minor, scale: scale)
            }
        }
    }

    private struct Misread: Error {
        let text: String
        let minor: Int64
        let scale: Int
    }

    private static func image(_ value: Double) -> String {
        var text = [CChar](repeating: 0, count: 64)
        _ = withVaList([value]) { vsnprintf(&text, 64, "%.17g", $0) }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
