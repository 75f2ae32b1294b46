package import Kernel

/// One line of a settlement file, as far as a mapping reads it: no other cell is kept.
package struct SettlementLine: Hashable, Sendable {
    /// Where it begins in the file; the first line is 1.
    package let number: Int32
    /// `nil` where the mapping does not know the file's word.
    package let kind: SettlementKind?
    /// The file's word for the kind, at most `SettlementLimits.wordBytes` of it.
    package let word: String
    /// Minor units, never below zero: the kind says which way they go.
    package let amount: Int64
    package let currency: Currency
    /// What the provider keeps of this line, in minor units; below zero where it gives a fee back.
    package let fee: Int64?
    /// What the mapping's tariff says that the provider keeps; `nil` where it says nothing.
    package let expectedFee: Int64?
    /// The provider's name of the operation.
    package let providerReference: String?
    /// Our name of the operation or its payment at the provider.
    package let reference: String?
    /// When it happened: a moment, or, where `isLocal`, the reading of a clock in the mapping's zone as if it were UTC.
    package let at: Timestamp
    package let isLocal: Bool
}

/// Bounds of settlement files.
package enum SettlementLimits {
    package static let fileBytes: Int64 = 4 * 1024 * 1024 * 1024
    /// Of what a gzip file holds.
    package static let contentBytes: Int64 = 16 * 1024 * 1024 * 1024
    package static let lines = 10_000_000
    /// Of a line, or of a record that stands on several.
    package static let lineBytes = 64 * 1024
    package static let columns = 256
    package static let referenceBytes = 256
    package static let wordBytes = 64
    package static let columnNameBytes = 128
    /// Lines that are handed on together.
    package static let batchLines = 4096
    /// What a body of the API may bring along, packed or not.
    package static let uploadBytes = Limits.settlementUploadBytes
    /// What a packed body of the API may hold.
    package static let uploadContentBytes: Int64 = 32 * 1024 * 1024
    /// Lines of such a body: what a request has time for on a slow machine.
    package static let uploadLines = 100_000
}

/// Why a settlement file is refused: whole, with the place of the fault.
///
/// It repeats no cell: a file may hold another merchant's data.
package struct SettlementFault: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// It says that it is packed and can't be unpacked.
        case gzipBroken
        /// It ends in the middle of its packed bytes.
        case gzipCut
        case fileTooLarge, contentTooLarge, tooManyLines, lineTooLong, tooManyColumns
        case encodingWrong
        /// A quote is not closed, or something stands beside one.
        case csvMalformed
        case jsonMalformed
        case headerMissing, columnMissing, columnTwice
        /// A line has more or fewer columns than the header.
        case columnCount
        case cellMissing
        case cellTooLong
        case controlCharacter
        case amountMalformed, amountScale, amountOverflow
        /// A minus where the kind allows none.
        case amountNegative
        case currencyUnknown, currencyNotTaken
        case dateMalformed
        /// What the file says it comes to is not what its lines come to.
        case totalDiffers
        case empty
    }

    package let code: Code
    /// The first line is 1; `nil` where no line is at fault.
    package let line: Int?
    /// As the mapping names it.
    package let column: String?
    /// The bound that the file goes beyond, where it is one of the reader's.
    package let bound: Int?

    package init(_ code: Code, line: Int? = nil, column: String? = nil, bound: Int? = nil) {
        self.code = code
        self.line = line
        self.column = column
        self.bound = bound
    }

    package var description: String {
        let place = [line.map { "line \($0)" }, column.map { "column '\($0)'" }].compactMap(\.self)
        return (place.isEmpty ? "" : place.joined(separator: ", ") + ": ") + reason
    }

    /// The code in words.
    package var reason: String {
        switch code {
        case .gzipBroken: "the gzip data are broken"
        case .gzipCut: "the gzip data end too early"
        case .fileTooLarge: "the file is too large"
        case .contentTooLarge: "what the file unpacks to is too large"
        case .tooManyLines: "more than \(bound ?? SettlementLimits.lines) lines, as many as a file may have"
        case .lineTooLong: "more than \(SettlementLimits.lineBytes) bytes"
        case .tooManyColumns: "more than \(SettlementLimits.columns) columns"
        case .encodingWrong: "the bytes are not in the mapping's encoding"
        case .csvMalformed: "a quote is not closed, or stands inside a cell without quotes"
        case .jsonMalformed: "this is no JSON object"
        case .headerMissing: "there is no header"
        case .columnMissing: "the header has no such column"
        case .columnTwice: "the header has this column twice"
        case .columnCount: "not as many columns as in the header"
        case .cellMissing: "nothing stands here"
        case .cellTooLong: "the text is too long"
        case .controlCharacter: "control characters are not allowed"
        case .amountMalformed: "this is no amount in the mapping's form"
        case .amountScale: "more decimal places than the currency has"
        case .amountOverflow: "the amount is too large"
        case .amountNegative: "this kind takes no negative amount"
        case .currencyUnknown: "this is no currency of ISO 4217"
        case .currencyNotTaken: "the mapping does not take this currency"
        case .dateMalformed: "this is no time in the mapping's form"
        case .totalDiffers: "the lines come to another total"
        case .empty: "the file holds no line"
        }
    }
}
