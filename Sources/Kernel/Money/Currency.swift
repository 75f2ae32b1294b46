/// A currency of ISO 4217, known by its alphabetic code.
package struct Currency: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Three upper-case letters.
    package let code: String
    /// Digits after the decimal point: 0, 2, 3 or 4.
    package let exponent: Int

    /// Which edition of the table decides; a change adds a version.
    ///
    /// Version 1 is ISO 4217 list one of 2025. ANG and BGN, withdrawn since, can still be read.
    package static let tableVersion = 1

    /// Looks a code up; unknown, historic and fund codes without a minor unit are `nil`.
    package init?(_ code: String) {
        guard let exponent = Self.exponents[code] else { return nil }
        self.code = code
        self.exponent = exponent
    }

    package var description: String { code }
    package static func < (left: Currency, right: Currency) -> Bool { left.code < right.code }

    /// Every currency of the table, by code.
    package static var all: [Currency] { exponents.keys.sorted().compactMap(Currency.init) }

    private static let exponents: [String: Int] = {
        var table: [String: Int] = [:]
        for (exponent, codes) in [(0, none), (2, two), (3, three), (4, four)] {
            for code in codes.split(whereSeparator: \.isWhitespace) { table[String(code)] = exponent }
        }
        return table
    }()

    private static let none = """
        BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF
        """
    private static let two = """
        AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF
        CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD
        HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT
        MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR
        SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU
        UZS VED VES WST XCD XCG YER ZAR ZMW ZWG
        """
    private static let three = """
        BHD IQD JOD KWD LYD OMR TND
        """
    private static let four = """
        CLF UYW
        """
}
