import Kernel
import TestKit
import Testing

struct MoneyTests {
    private func money(_ minor: Int64, _ code: String) throws -> Money { Money(minor, try #require(Currency(code))) }

    @Test func `the decimal text has the digits of the currency`() throws {
        let known: [(Int64, String, String)] = [
            (1999, "EUR", "19.99"), (100, "JPY", "100"), (1500, "KWD", "1.500"), (12345, "CLF", "1.2345"),
            (5, "EUR", "0.05"),
            (0, "EUR", "0.00"), (0, "JPY", "0"), (-5, "EUR", "-0.05"), (-1999, "KWD", "-1.999"),
            (.max, "EUR", "92233720368547758.07"), (.min, "EUR", "-92233720368547758.08"),
            (.min, "JPY", "-9223372036854775808"),
        ]
        for (minor, code, text) in known {
            let amount = try money(minor, code)
            #expect(amount.decimal == text)
            #expect(try Money(decimal: text, amount.currency) == amount)
        }
        #expect(try money(1999, "EUR").description == "19.99 EUR")
    }

    @Test func `fewer or needless digits are read exactly`() throws {
        let euro = try #require(Currency("EUR"))
        let known: [(String, Int64)] = [
            ("1", 100), ("1.5", 150), ("1.50", 150), ("1.5000000", 150), ("007", 700), ("-0", 0), ("0.0", 0),
            ("00000000000000000000001.00", 100),
        ]
        for (text, minor) in known { #expect(try Money(decimal: text, euro).minor == minor, "\(text)") }
    }

    @Test(arguments: [
        "", "-", ".", "1.", ".5", "+1", "1,50", "1 000", "1e2", "1.2.3", "--1", "0x10", "１", "1.5€", "NaN", " 1",
        "1.-5",
    ])
    func `what is no plain decimal is malformed`(_ text: String) throws {
        let euro = try #require(Currency("EUR"))
        #expect(throws: MoneyFailure.malformed) { try Money(decimal: text, euro) }
    }

    @Test func `digits below the minor unit are refused, not rounded`() throws {
        for (text, code) in [("1.005", "EUR"), ("1.1", "JPY"), ("1.0001", "KWD"), ("1.00001", "CLF")] {
            let currency = try #require(Currency(code))
            #expect(throws: MoneyFailure.wrongScale) { try Money(decimal: text, currency) }
        }
    }

    @Test func `what a person writes has no needless digits that may be a thousand`() throws {
        for (text, code, minor) in [
            ("1", "EUR", 100), ("19.9", "EUR", 1990), ("1.500", "KWD", 1500), ("-1.00", "EUR", -100),
        ] {
            let currency = try #require(Currency(code))
            #expect(try Money(written: text, currency).minor == Int64(minor))
        }
        for (text, code) in [("1.000", "EUR"), ("12.340", "EUR"), ("1.00", "JPY"), ("1.5000", "KWD")] {
            let currency = try #require(Currency(code))
            #expect(throws: MoneyFailure.wrongScale) { try Money(written: text, currency) }
        }
    }

    @Test func `amounts that leave the range are refused`() throws {
        let euro = try #require(Currency("EUR"))
        for text in [
            "92233720368547758.08", "-92233720368547758.09", "92233720368547759", String(repeating: "9", count: 400),
        ] {
            #expect(throws: MoneyFailure.overflow) { try Money(decimal: text, euro) }
        }
        #expect(throws: MoneyFailure.overflow) { try Money(.max, euro).adding(Money(1, euro)) }
        #expect(throws: MoneyFailure.overflow) { try Money(.min, euro).subtracting(Money(1, euro)) }
    }

    @Test func `sums stay exact and differences may be negative`() throws {
        #expect(try money(1999, "EUR").adding(money(1, "EUR")) == money(2000, "EUR"))
        #expect(try money(1, "EUR").subtracting(money(2, "EUR")) == money(-1, "EUR"))
    }

    @Test func `two currencies do not mix`() throws {
        let (euro, dollar) = (try money(1, "EUR"), try money(1, "USD"))
        #expect(throws: MoneyFailure.mixedCurrencies) { try euro.adding(dollar) }
        #expect(throws: MoneyFailure.mixedCurrencies) { try euro.subtracting(dollar) }
    }

    @Test(arguments: Currency.all)
    func `every currency reads what it writes`(_ currency: Currency) throws {
        #expect([0, 2, 3, 4].contains(currency.exponent))
        try forAll(runs: 50, seed: 3) { random in
            let amount = Money(
                Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0..<63, using: &random),
                currency
            )
            let read = try Money(decimal: amount.decimal, currency)
            #expect(read == amount)
        }
    }

    @Test func `the table has the exponents of ISO 4217 and nothing unknown`() {
        let known: [(String, Int?)] = [
            ("UAH", 2), ("RUB", 2), ("JPY", 0), ("KWD", 3), ("BHD", 3), ("CLF", 4), ("UYW", 4), ("ISK", 0), ("HUF", 2),
            ("XCG", 2),
            ("eur", nil), ("EU", nil), ("XDR", nil), ("XAU", nil), ("HRK", nil), ("", nil),
        ]
        for (code, exponent) in known { #expect(Currency(code)?.exponent == exponent, "\(code)") }
        #expect(Currency.all.count > 150)
    }
}
