import Kernel

/// How a simulated provider writes its settlement files.
struct SettlementForm: Sendable {
    enum Column: Hashable, Sendable {
        case kind, operation, payment, amount, currency, fee, at, status
    }

    /// Whose clock tells the times.
    enum Clock: Hashable, Sendable {
        case utc, kyiv, moscow
    }

    let header: [(name: String, column: Column)]
    /// The provider's words for what happened.
    let words: [SandboxSettlement.Kind: String]
    var currencies: [String: String] = [:]
    var delimiter = ","
    var decimal = "."
    var isCyrillic = false
    var clock = Clock.utc
    /// Whether days stand before months, with points between.
    var isDayFirst = false
    var hasSeconds = true
    var isIso = false
    /// Whether the last line says what the others come to, without fees.
    var hasTotal = false
    /// Whether operations of this kind have names of their own.
    var namesOperation: @Sendable (SandboxSettlement.Kind) -> Bool = { _ in true }

    /// The file's bytes.
    func bytes(_ lines: [SandboxSettlement.Line]) -> [UInt8] {
        var text = row(header.map(\.name))
        for line in lines { text += row(header.map { cell(line, $0.column) }) }
        return isCyrillic ? Self.windows1251(text) : Array(text.utf8)
    }

    private func row(_ cells: [String]) -> String {
        cells.map { cell in
            guard cell.contains(where: { $0 == "\"" || $0.isNewline || String($0) == delimiter }) else { return cell }
            return "\"" + cell.replacing("\"", with: "\"\"") + "\""
        }.joined(separator: delimiter) + "\r\n"
    }

    private func cell(_ line: SandboxSettlement.Line, _ column: Column) -> String {
        switch column {
        case .kind: line.word ?? words[line.kind] ?? line.kind.rawValue
        case .operation: namesOperation(line.kind) ? line.operation : ""
        case .payment: line.payment
        case .amount: line.amount.decimal.replacing(".", with: decimal)
        case .currency: currencies[line.amount.currency.code] ?? line.amount.currency.code
        case .fee: line.fee == 0 ? "" : Money(line.fee, line.amount.currency).decimal.replacing(".", with: decimal)
        case .at: time(line.at)
        case .status: "success"
        }
    }

    private func time(_ at: Timestamp) -> String {
        if isIso { return at.wholeSeconds }
        let local = at.adding(.seconds(ahead(at)))
        let text = local.wholeSeconds
        let (day, clock) = (text.prefix(10), text.dropFirst(11).prefix(hasSeconds ? 8 : 5))
        guard isDayFirst else { return "\(day) \(clock)" }
        return day.split(separator: "-").reversed().joined(separator: ".") + " " + clock
    }

    /// Seconds that the provider's clock is ahead of UTC.
    private func ahead(_ at: Timestamp) -> Int64 {
        switch clock {
        case .utc: return 0
        case .moscow: return 3 * 3600
        case .kyiv:
            // From the last Sunday of March to that of October, each at one in the morning, UTC.
            let year = CivilDate(at).year
            func change(_ month: Int64) -> Int64 {
                let last = CivilDate(year: year, month: month, day: 31)?.daysSinceEpoch ?? 0
                return (last - (last + 4) % 7) * 86_400 + 3600
            }
            return (change(3)..<change(10)).contains(at.seconds) ? 3 * 3600 : 2 * 3600
        }
    }

    private static func windows1251(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { scalar in
            switch scalar.value {
            case 0..<0x80: UInt8(scalar.value)
            case 0x410...0x44F: UInt8(scalar.value - 0x410 + 0xC0)
            default: UInt8(ascii: "?")
            }
        }
    }
}
