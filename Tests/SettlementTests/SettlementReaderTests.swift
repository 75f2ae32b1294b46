import Kernel
import Settlement
import Testing

/// Settlement files as they are read: what a line comes to, and why a file is refused.
struct SettlementReaderTests {
    static let mapping = made([
        "name": "test", "format": "csv", "zone": "Europe/Kyiv", "dates": "yyyy-MM-dd HH:mm:ss",
        "columns": [
            "kind": "type", "providerReference": "operation", "reference": "order", "amount": "amount",
            "currency": "currency", "fee": "fee", "at": "date",
        ],
        "kinds": ["sale": "captured", "refund": "refunded", "total": "total", "skip": "ignored"], "total": "net",
    ])

    private static func made(_ document: Json) -> SettlementMapping {
        do { return try SettlementMapping(document) } catch { preconditionFailure("a mapping of the tests: \(error)") }
    }

    static let header = "type,operation,order,amount,currency,fee,date,note\n"
    static let good = "sale,op-1,order-1,19.99,EUR,0.50,2026-11-21 10:00:00,thanks\n"

    /// Reads a whole text in pieces of some size.
    static func read(_ bytes: [UInt8], _ mapping: SettlementMapping = mapping, piece: Int = 4096, most: Int64 = 1 << 20)
        throws(SettlementFault) -> (lines: [SettlementLine], totals: SettlementTotals)
    {
        var reader = try SettlementReader(mapping, contentBytes: most)
        var lines: [SettlementLine] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            lines += try reader.take(Array(rest.prefix(piece)))
            rest = rest.dropFirst(piece)
        }
        lines += try reader.end()
        return (lines, reader.totals)
    }

    static func read(_ text: String, _ mapping: SettlementMapping = mapping, piece: Int = 4096) throws(SettlementFault)
        -> (lines: [SettlementLine], totals: SettlementTotals)
    { try read(Array(text.utf8), mapping, piece: piece) }

    /// What reading a text fails with.
    static func fault(_ text: String, _ mapping: SettlementMapping = mapping) -> SettlementFault? {
        do throws(SettlementFault) {
            _ = try read(text, mapping)
            return nil
        } catch { return error }
    }

    @Test(arguments: [1, 2, 3, 7, 4096])
    func `a line is read the same however its bytes come`(piece: Int) throws {
        let text =
            "\u{FEFF}" + Self.header.replacing("\n", with: "\r\n") + Self.good
            + "refund,op-2,\"order, \"\"2\"\"\nsecond line\",-5.00,EUR,,2026-11-22 00:00:00,\"a\nb\"\n".replacing(
                "\nsecond line",
                with: ""
            )
            + "\n\nskip,,,1.00,EUR,,2026-11-21 10:00:00,\n" + "total,,,14.49,EUR,,2026-11-22 00:00:00,"
        let (lines, totals) = try Self.read(text, piece: piece)
        #expect(lines.map(\.number) == [2, 3])
        #expect(lines[0].kind == .captured && lines[0].amount == 1999 && lines[0].fee == 50)
        #expect(lines[0].providerReference == "op-1" && lines[0].reference == "order-1")
        #expect(lines[0].at == Timestamp("2026-11-21T10:00:00Z") && lines[0].isLocal)
        #expect(lines[1].kind == .refunded && lines[1].amount == 500 && lines[1].fee == nil)
        #expect(lines[1].reference == "order, \"2\"")
        #expect(totals.lines == 2 && totals.stated == [Currency("EUR")!: 1449])
    }

    @Test func `a word that the mapping does not know is a line without a kind`() throws {
        let (lines, _) = try Self.read(Self.header + "moon,op-1,,1.00,EUR,,2026-11-21 10:00:00,\n")
        #expect(lines.first?.kind == nil && lines.first?.word == "moon")
    }

    @Test(
        arguments: [
            ("1,00", SettlementFault.Code.amountMalformed), ("1e5", .amountMalformed), ("-0", .amountMalformed),
            ("+1", .amountMalformed), ("", .cellMissing), (".5", .amountMalformed), ("5.", .amountMalformed),
            ("1 000", .amountMalformed), ("0x1", .amountMalformed), ("NaN", .amountMalformed),
            ("1.001", .amountScale), ("1.000", .amountScale), ("12.340", .amountScale),
            ("92233720368547758.08", .amountOverflow),
            ("99999999999999999999999999", .amountOverflow), ("-1.00", .amountNegative), ("=1+1", .amountMalformed),
            ("１.00", .amountMalformed),
        ]
    )
    func `an amount that is none refuses the file with its line and column`(cell: String, code: SettlementFault.Code) {
        let text =
            Self.header + Self.good + Self.good.replacing("19.99", with: cell.contains(",") ? "\"\(cell)\"" : cell)
        #expect(Self.fault(text) == SettlementFault(code, line: 3, column: "amount"))
    }

    @Test func `amounts are read by the mapping's marks`() throws {
        var mapping = Self.mapping
        mapping.decimal = ","
        mapping.grouping = " "
        mapping.delimiter = ";"
        func amount(_ cell: String) throws -> Int64? {
            let text = (Self.header + Self.good).replacing(",", with: ";").replacing("0.50", with: "0,50")
            return try Self.read(text.replacing("19.99", with: cell), mapping).lines.first?.amount
        }
        #expect(try amount("1 234 567,80") == 123_456_780)
        #expect(try amount("1,1000") == 110)
        #expect(throws: SettlementFault(.amountMalformed, line: 2, column: "amount")) { try amount("12 34,00") }
        #expect(throws: SettlementFault(.amountMalformed, line: 2, column: "amount")) { try amount("1.00") }
        // A no-break space, which is another byte in another encoding; nothing that begins like it is one.
        mapping.grouping = "\u{A0}"
        #expect(try amount("1\u{A0}234\u{A0}567,80") == 123_456_780)
        for wrong in ["1\u{A9}234,00", "1\u{A0}23,00", "\u{A0}123,00", "1\u{A0}", "1234\u{A0}567,00"] {
            #expect(throws: SettlementFault(.amountMalformed, line: 2, column: "amount")) { try amount(wrong) }
        }
        var cyrillic = mapping
        cyrillic.encoding = .windows1251
        let (head, tail) = (Self.header.replacing(",", with: ";"), ";EUR;0,50;2026-11-21 10:00:00;\n")
        let bytes = Array("\(head)sale;op-1;order-1;1".utf8) + [0xA0] + Array("234,00\(tail)".utf8)
        #expect(try Self.read(bytes, cyrillic).lines.first?.amount == 123_400)
        mapping.units = .minor
        mapping.decimal = "."
        let minor = (Self.header + Self.good).replacing(",", with: ";").replacing("0.50", with: "50")
        #expect(try Self.read(minor.replacing("19.99", with: "1999"), mapping).lines.first?.amount == 1999)
        #expect(Self.fault(minor, mapping)?.code == .amountMalformed)
    }

    @Test func `a broken file is refused with the place of the fault`() {
        let cases: [(String, SettlementFault)] = [
            ("", SettlementFault(.headerMissing)), (Self.header, SettlementFault(.empty)),
            ("type,order\n", SettlementFault(.columnMissing, line: 1, column: "operation")),
            (Self.header.replacing("note", with: "amount") + Self.good, .init(.columnTwice, line: 1, column: "amount")),
            (Self.header + Self.good + "sale,op-2\n", SettlementFault(.columnCount, line: 3)),
            (Self.header + Self.good + "sale,\"op-2\n", SettlementFault(.csvMalformed, line: 3)),
            (Self.header + Self.good + "sale,o\"p,2\n", SettlementFault(.csvMalformed, line: 3)),
            (
                Self.header + Self.good.replacing("EUR", with: "EUX"),
                .init(.currencyUnknown, line: 2, column: "currency")
            ),
            (
                Self.header + Self.good.replacing("EUR", with: "eur"),
                .init(.currencyUnknown, line: 2, column: "currency")
            ),
            (
                Self.header + Self.good.replacing("2026-11-21", with: "2026-02-30"),
                .init(.dateMalformed, line: 2, column: "date")
            ),
            (
                Self.header + Self.good.replacing("op-1", with: "op\u{1}"),
                .init(.controlCharacter, line: 2, column: "operation")
            ),
            (
                Self.header + Self.good.replacing("op-1", with: String(repeating: "x", count: 257)),
                .init(.cellTooLong, line: 2, column: "operation")
            ),
            (
                Self.header + Self.good + "total,,,20.00,EUR,,2026-11-22 00:00:00,\n",
                SettlementFault(.totalDiffers, column: "amount")
            ),
            (Self.header + String(repeating: "a,", count: 300) + "\n", SettlementFault(.tooManyColumns, line: 2)),
            (Self.header + "sale,op\rsale,op,1\n", SettlementFault(.csvMalformed, line: 2)),
        ]
        for (text, fault) in cases { #expect(Self.fault(text) == fault, "\(text.prefix(120))") }
    }

    @Test func `a fault repeats nothing of the file`() {
        let fault = Self.fault(Self.header + Self.good.replacing("19.99", with: "someone-elses-secret"))
        #expect(fault.map { "\($0)" } == "line 2, column 'amount': this is no amount in the mapping's form")
    }

    @Test func `a line of five megabytes is refused before it is kept`() {
        let long = Self.header + Self.good + "sale," + String(repeating: "x", count: 5 << 20)
        #expect(Self.fault(long) == SettlementFault(.lineTooLong, line: 3))
        // Quotes can make many lines one.
        let many = Self.header + Self.good + "sale,\"" + String(repeating: "x\n", count: 100_000)
        #expect(Self.fault(many) == SettlementFault(.lineTooLong, line: 3))
    }

    @Test func `a file has so many lines at most, and the fault names the bound`() throws {
        func fault(_ lines: Int) -> SettlementFault? {
            do throws(SettlementFault) {
                var reader = try SettlementReader(Self.mapping, mostLines: 3)
                _ = try reader.take(Array((Self.header + String(repeating: Self.good, count: lines)).utf8))
                _ = try reader.end()
                return nil
            } catch { return error }
        }
        #expect(fault(3) == nil)
        #expect(fault(4) == SettlementFault(.tooManyLines, line: 5, bound: 3))
        #expect(fault(4).map { "\($0)" } == "line 5: more than 3 lines, as many as a file may have")
    }

    /// What a reader holds back would grow with the file.
    @Test func `lines are handed on as they come, however many there are`() throws {
        let piece = Array(String(repeating: Self.good, count: 100).utf8)
        var reader = try SettlementReader(Self.mapping)
        _ = try reader.take(Array(Self.header.utf8))
        for _ in 0..<500 { #expect(try reader.take(piece).count == 100) }
        #expect(try reader.end().isEmpty && reader.totals.lines == 50_000)
    }

    @Test func `bytes that are not in the mapping's encoding are refused`() throws {
        var bytes = Array((Self.header + Self.good).utf8)
        let place = try #require(bytes.firstRange(of: Array("op-1".utf8)))
        bytes[place.lowerBound] = 0xFF
        #expect(throws: SettlementFault(.encodingWrong, line: 2, column: "operation")) { try Self.read(bytes) }
        var cyrillic = Self.mapping
        cyrillic.encoding = .windows1251
        #expect(try Self.read(bytes, cyrillic).lines.first?.providerReference == "яp-1")
        // Words of currencies are in the file's encoding, too, and a line of JSON is decoded once.
        cyrillic.currencies = ["гр": Currency("UAH")!]
        let (head, tail) = ("\(Self.header)sale,op-1,order-1,1.00,", ",0.50,2026-11-21 10:00:00,\n")
        let words = Array(head.utf8) + [0xE3, 0xF0] + Array(tail.utf8)
        #expect(try Self.read(words, cyrillic).lines.first?.currency == Currency("UAH"))
        cyrillic.format = .ndjson
        let line = #"{"type":"sale","order":"заказ","amount":1,"currency":"гр","date":"2026-11-21 10:00:00"}"#
        let encoded = line.unicodeScalars.map { UInt8($0.isASCII ? $0.value : $0.value - 0x350) }
        let read = try Self.read(encoded, cyrillic).lines.first
        #expect(read?.reference == "заказ" && read?.currency == Currency("UAH"))
        #expect(throws: SettlementFault(.encodingWrong, line: 1)) {
            try Self.read(Array("{\"a\":".utf8) + [0x98], cyrillic)
        }
    }

    @Test func `a currency that the mapping does not take is told from one that is none`() {
        var mapping = Self.mapping
        mapping.currencies = ["643": Currency("RUB")!]
        func fault(_ code: String) -> SettlementFault.Code? {
            Self.fault(Self.header + Self.good.replacing("EUR", with: code), mapping)?.code
        }
        #expect(fault("643") == nil && fault("USD") == .currencyNotTaken && fault("XXZ") == .currencyUnknown)
    }

    @Test func `sums beyond 64 bits refuse the file`() {
        let large = Self.good.replacing("19.99", with: "90000000000000000.00")
        #expect(Self.fault(Self.header + large + large) == SettlementFault(.amountOverflow, line: 3))
    }

    @Test func `a mapping is what its document says, and what no document says is refused`() throws {
        for mapping in Array(SettlementMapping.all.values) + [Self.mapping] {
            #expect(try SettlementMapping(mapping.json) == mapping)
        }
        let selection: Json = ["column": "note", "words": ["a", 1]]
        let wrong: [(String, Json)] = [
            ("kinds", ["x": "y"]), ("moon", 1), ("delimiter", "ab"), ("columns", [:]), ("only", selection),
        ]
        for (member, value) in wrong {
            var members = try #require(Self.mapping.json.members)
            members[member] = value
            #expect(throws: SettlementMappingFault.self, "\(member)") { try SettlementMapping(.object(members)) }
        }
        for form in ["", "dd.MM", "yyyy-MM-dd yy", "yyyyMMdd X", "yyyy-yyyy-MM-dd"] { #expect(DateForm(form) == nil) }
    }

    @Test func `lines of JSON are read by the names of their members`() throws {
        var mapping = Self.mapping
        mapping.format = .ndjson
        mapping.dates = .iso
        mapping.columns[.currency] = nil
        mapping.currency = Currency("EUR")
        let line =
            #"{"type":"sale","operation":77,"order":"o","amount":19.99,"fee":"0.5","date":"2026-11-21T10:00:00+02:00","x":[1]}"#
        let (lines, _) = try Self.read(line + "\n\n" + line, mapping)
        #expect(lines.map(\.number) == [1, 3])
        #expect(lines[0].amount == 1999 && lines[0].fee == 50 && lines[0].providerReference == "77")
        #expect(lines[0].at == Timestamp("2026-11-21T08:00:00Z") && !lines[0].isLocal)
        for (broken, code) in [
            ("[1]", SettlementFault.Code.jsonMalformed), ("{", .jsonMalformed), (line + line, .jsonMalformed),
            (line.replacing("19.99", with: "1.999e1"), .amountMalformed),
            (line.replacing("19.99", with: "-0"), .amountMalformed),
            (line.replacing("19.99", with: "null"), .cellMissing),
            (line.replacing("\"x\":[1]", with: "\"amount\":1"), .jsonMalformed),
        ] {
            #expect(Self.fault(line + "\n" + broken, mapping)?.code == code, "\(broken)")
            #expect(Self.fault(line + "\n" + broken, mapping)?.line == 2)
        }
    }
}
