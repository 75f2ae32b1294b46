package import Kernel

/// How an account's settlement files are read and matched: a JSON file for each account, or the one that comes with its provider.
package struct SettlementMapping: Hashable, Sendable {
    package enum Format: String, Hashable, Sendable, CaseIterable {
        case csv
        /// A JSON object a line.
        case ndjson
    }

    package enum Encoding: String, Hashable, Sendable, CaseIterable {
        case utf8 = "utf-8"
        case windows1251 = "windows-1251"
    }

    package enum Units: String, Hashable, Sendable, CaseIterable {
        /// As in `19.99`.
        case major
        /// As in `1999`.
        case minor
    }

    /// When a line may be matched by amount, currency and day alone.
    package enum ByAmount: String, Hashable, Sendable, CaseIterable {
        case never
        /// Where it names nothing.
        case unreferenced
        /// Also where what it names is not known here.
        case always
    }

    /// What a line of the kind `total` is the sum of.
    package enum Total: String, Hashable, Sendable, CaseIterable {
        /// Amounts, each the way its kind says.
        case gross
        /// The same without the lines' fees.
        case net
    }

    /// What the columns of a file are to us.
    package enum Column: String, Hashable, Sendable, CaseIterable {
        case kind, providerReference, reference, amount, currency, fee, at
    }

    /// Lines that count: those with one of these words in a column.
    package struct Selection: Hashable, Sendable {
        package let column: String
        package let words: [String]
    }

    /// What a line of a kind should cost: so much of ten thousand parts, rounded half up, and minor units beside it.
    package struct Tariff: Hashable, Sendable {
        package let basisPoints: Int64
        package let fixed: Int64

        package init(basisPoints: Int64, fixed: Int64) {
            self.basisPoints = basisPoints
            self.fixed = fixed
        }

        func fee(of amount: Int64) -> Int64? {
            let product = amount.multipliedFullWidth(by: basisPoints)
            let (low, isOver) = product.low.addingReportingOverflow(5000)
            let whole = UInt64(10_000).dividingFullWidth((UInt64(product.high) + (isOver ? 1 : 0), low)).quotient
            let (sum, isTooLarge) = Int64(clamping: whole).addingReportingOverflow(fixed)
            return isTooLarge ? nil : sum
        }
    }

    package enum Limits {
        package static let basisPoints = 10_000
        package static let fixedFee = 1_000_000_000
        package static let nameBytes = 64
        package static let words = 200
        package static let skippedLines = 100
        package static let days = 90
        package static let rounding = 100
        package static let bytes = 64 * 1024
    }

    package var name: String
    package var format: Format
    package var encoding = Encoding.utf8
    package var delimiter = ","
    package var decimal = "."
    /// What stands between thousands; empty where nothing may.
    package var grouping = ""
    package var units = Units.major
    /// Lines before the header.
    package var skippedLines = 0
    /// The file's names of columns.
    package var columns: [Column: String]
    /// The file's words for kinds.
    package var kinds: [String: SettlementKind] = [:]
    /// The kind of every line, where no column tells it.
    package var kind: SettlementKind?
    /// The currency of every line, where no column tells it.
    package var currency: Currency?
    /// The file's words for currencies; where there are any, no other currency is taken.
    package var currencies: [String: Currency] = [:]
    package var only: Selection?
    package var dates: DateForm
    /// In which the file's times are told, by its name in the IANA database.
    package var zone: String
    package var total: Total?
    /// What lines should cost, where the contract says; our books have fees by it until the provider itself tells them.
    package var tariff: [SettlementKind: Tariff] = [:]
    /// Days that a line's day may differ from ours where amount and day are all that is compared.
    package var windowDays = 2
    package var byAmount = ByAmount.unreferenced
    /// Days after which the provider has settled what it will settle.
    package var delayDays = 5
    /// Minor units by which payouts may differ from what the file's other lines come to; so much is booked as rounding.
    package var rounding = 0

    package init(_ name: String, _ format: Format, _ columns: [Column: String], dates: DateForm, zone: String) {
        self.name = name
        self.format = format
        self.columns = columns
        self.dates = dates
        self.zone = zone
    }
}

/// Why a mapping is none.
package struct SettlementMappingFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The member at fault.
    package let path: String
    package let reason: String

    package init(_ path: String, _ reason: String) {
        self.path = path
        self.reason = reason
    }

    package var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}

/// How a file writes times: `iso` for ISO 8601 with an offset, or a pattern of `yyyy`, `yy`, `MM`, `dd`, `HH`, `mm` and `ss`.
package struct DateForm: Hashable, Sendable {
    private enum Part: Hashable, Sendable {
        case literal(UInt8)
        case year, shortYear, month, day, hour, minute, second
    }

    package static let iso = DateForm(text: "iso", parts: [])

    package let text: String
    private let parts: [Part]

    private init(text: String, parts: [Part]) {
        self.text = text
        self.parts = parts
    }

    private static let fields: [(String, Part)] = [
        ("yyyy", .year), ("yy", .shortYear), ("MM", .month), ("dd", .day), ("HH", .hour), ("mm", .minute),
        ("ss", .second),
    ]

    /// Reads a form; it has a year, a month and a day, and nothing twice.
    package init?(_ text: String) {
        if text == Self.iso.text {
            self = .iso
            return
        }
        guard (6...64).contains(text.utf8.count) else { return nil }
        var parts: [Part] = []
        var rest = Substring(text)
        while let first = rest.utf8.first {
            if let field = Self.fields.first(where: { rest.hasPrefix($0.0) }) {
                guard !parts.contains(field.1) else { return nil }
                parts.append(field.1)
                rest = rest.dropFirst(field.0.count)
            } else {
                // A letter is a field that nobody knows, but for the T between day and time.
                let isLetter = (0x41...0x5A).contains(first & 0xDF)
                guard (0x20..<0x7F).contains(first), !isLetter || first == UInt8(ascii: "T") else { return nil }
                parts.append(.literal(first))
                rest = rest.dropFirst()
            }
        }
        guard parts.contains(.year) != parts.contains(.shortYear), parts.contains(.month), parts.contains(.day) else {
            return nil
        }
        self.init(text: text, parts: parts)
    }

    /// Reads a time; `isLocal` says that it is the reading of a clock, told as if it were UTC.
    func read(_ cell: ArraySlice<UInt8>) -> (at: Timestamp, isLocal: Bool)? {
        guard !parts.isEmpty else {
            return Timestamp(String(decoding: cell, as: UTF8.self)).map { ($0, false) }
        }
        var rest = cell
        var (year, month, day, hour, minute, second) = (Int64(0), Int64(0), Int64(0), Int64(0), Int64(0), Int64(0))
        for part in parts {
            switch part {
            case .literal(let byte):
                guard rest.first == byte else { return nil }
                rest = rest.dropFirst()
            case .year: guard Self.take(4, &rest, &year) else { return nil }
            case .shortYear:
                guard Self.take(2, &rest, &year) else { return nil }
                year += 2000
            case .month: guard Self.take(2, &rest, &month) else { return nil }
            case .day: guard Self.take(2, &rest, &day) else { return nil }
            case .hour: guard Self.take(2, &rest, &hour) else { return nil }
            case .minute: guard Self.take(2, &rest, &minute) else { return nil }
            case .second: guard Self.take(2, &rest, &second) else { return nil }
            }
        }
        guard rest.isEmpty, (1990...2200).contains(year), hour < 24, minute < 60, second < 60,
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        let seconds = date.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second
        return (Timestamp(seconds: seconds), true)
    }

    private static func take(_ count: Int, _ rest: inout ArraySlice<UInt8>, _ value: inout Int64) -> Bool {
        guard rest.count >= count, let number = CivilDate.digits(rest.prefix(count)) else { return false }
        value = number
        rest = rest.dropFirst(count)
        return true
    }
}
