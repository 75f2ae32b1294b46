import Console
import Http
import Kernel
import Testing

/// Figures, amounts and moments in the reader's language and zone; whose forms are taken.
struct FormatsTests {
    private func formats(_ language: Language, _ zone: Zone = .utc) -> Formats {
        Formats(language: language, zone: zone)
    }

    @Test func `amounts have the digits of their currency and the marks of the language`() {
        #expect(formats(.en).amount(123_456_789, "EUR") == "1\u{202F}234\u{202F}567.89")
        #expect(formats(.uk).amount(123_456_789, "UAH") == "1\u{202F}234\u{202F}567,89")
        #expect(formats(.ru).amount(-5, "RUB") == "\u{2212}0,05")
        #expect(formats(.fr).amount(1_500, "JPY") == "1\u{202F}500")
        #expect(formats(.fr).amount(1_500, "KWD") == "1,500")
        #expect(
            formats(.en).amount("123456789012345678901", "EUR")
                == "1\u{202F}234\u{202F}567\u{202F}890\u{202F}123\u{202F}456\u{202F}789.01"
        )
        #expect(
            formats(.en).number(.min) == "\u{2212}9\u{202F}223\u{202F}372\u{202F}036\u{202F}854\u{202F}775\u{202F}808"
        )
    }

    @Test func `an amount is typed as people of the language do`() throws {
        let (euro, dinar, yen) = (
            try #require(Currency("EUR")), try #require(Currency("KWD")), try #require(Currency("JPY"))
        )
        for text in ["1 234,50", "1\u{202F}234,50", "1\u{A0}234.5", "1234.50"] {
            #expect(try formats(.uk).typed(text, euro).minor == 123_450, "\(text)")
        }
        #expect(formats(.uk).field(123_450, "EUR") == "1234,50")
        #expect(try formats(.en).typed("12.50", euro).minor == 1250)
        #expect(try formats(.en).typed("12,50", euro).minor == 1250)
        #expect(try formats(.en).typed("1 000", yen).minor == 1000)
        #expect(try formats(.en).typed("1.500", dinar).minor == 1500)
        #expect(try formats(.fr).typed("1,500", dinar).minor == 1500)
    }

    @Test func `a thousand is never taken for one`() throws {
        let cases: [(Language, String, String)] = [
            (Language.en, "1,000", "EUR"), (.uk, "1.000", "EUR"), (.fr, "1,000", "EUR"), (.en, "1.000", "EUR"),
            (.en, "1,000", "JPY"), (.ru, "1.000", "JPY"), (.en, "1,500", "KWD"), (.fr, "1.500", "KWD"),
            (.en, "1,234,567", "EUR"), (.uk, "1.234,50", "EUR"), (.en, "12 50", "EUR"), (.en, "1 0000", "EUR"),
            (.en, " 5", "EUR"), (.en, "1,", "EUR"), (.en, ",5", "EUR"), (.en, "", "EUR"), (.en, "1,2 3", "EUR"),
        ]
        for (language, text, code) in cases {
            let currency = try #require(Currency(code))
            #expect(throws: MoneyFailure.self, "\(language) \(text) \(code)") {
                try formats(language).typed(text, currency)
            }
        }
    }

    @Test func `rates are rounded to a tenth, and lengths of time say their unit`() {
        #expect(formats(.en).percent(1, of: 3) == "33.3%")
        #expect(formats(.fr).percent(2, of: 3) == "66,7\u{202F}%")
        #expect(formats(.en).percent(0, of: 0) == "–")
        #expect(formats(.en).duration(milliseconds: 999) == "999\u{00A0}ms")
        #expect(formats(.ru).duration(milliseconds: 1_250) == "1,2\u{00A0}с")
        #expect(formats(.en).duration(milliseconds: 172_800_000) == "2.0\u{00A0}d")
    }

    @Test func `a day begins where its zone has it, also where midnight is skipped`() throws {
        // Two hours ahead until a moment, three hours behind it: the clock jumps from midnight to one.
        let change = try #require(Timestamp("2026-03-28T22:00:00Z"))
        let zone = Zone(name: "Test/Skipped") { $0 < change ? 7200 : 10_800 }
        let day = try #require(CivilDate("2026-03-29"))
        #expect(zone.start(of: day) == change)
        #expect(zone.local(change).date == day)
        #expect(zone.local(change).seconds == 3600)
        let before = try #require(CivilDate("2026-03-28"))
        #expect(zone.start(of: before).description == "2026-03-27T22:00:00.000000Z")
    }

    @Test(arguments: [
        (["Origin": "https://pay.example"], true), (["Origin": "https://evil.example"], false), ([:], false),
        (["Origin": "null"], false), (["Sec-Fetch-Site": "same-origin"], true), (["Sec-Fetch-Site": "none"], false),
        (["Origin": "https://pay.example", "Sec-Fetch-Site": "cross-site"], false),
        (["Origin": "http://127.0.0.1:8080", "Host": "127.0.0.1:8080"], true),
        (["Origin": "http://127.0.0.1:8081", "Host": "127.0.0.1:8080"], false),
        (["Origin": "https://pay.example.evil"], false),
    ])
    func `a form comes from a page of ours`(_ headers: [String: String], _ isOwn: Bool) {
        #expect(
            PublicOrigin("https://pay.example/base").isOwn(HttpHeaders(headers.map { ($0.key, $0.value) })) == isOwn
        )
    }

    @Test func `behind TLS the cookie is this host's alone`() {
        let token = Secret(String(repeating: "A", count: PublicOrigin.tokenCharacters))
        let cookie = PublicOrigin("https://pay.example").cookie(session: token)
        #expect(cookie.hasPrefix("__Host-paystream-console=AAAA"))
        #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict; Secure"))
        #expect(!PublicOrigin("http://127.0.0.1:8080").cookie(session: token).contains("Secure"))
    }
}
