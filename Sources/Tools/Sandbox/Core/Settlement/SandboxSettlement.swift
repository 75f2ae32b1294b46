import Kernel

/// A settlement file of a simulated provider: what its ledger says of an account, with mistakes where some are asked for.
package struct SandboxSettlement: Sendable {
    enum Kind: String, Hashable, Sendable {
        case sale, capture, refund, refundReverse, payout, total
    }

    struct Line: Hashable, Sendable {
        var kind: Kind
        /// The file's word, where it is another than the kind's.
        var word: String?
        var operation: String
        var payment: String
        var amount: Money
        var fee: Int64 = 0
        var at: Timestamp
    }

    /// A mistake that a file can have, by how who reads it calls it.
    package enum Mistake: String, Hashable, Sendable, CaseIterable {
        /// A line of a payment that nobody made here.
        case missingHere
        /// A line is left out.
        case missingThere
        /// An amount is a cent too small; a fee is twice as large; a currency is another one.
        case amount, fee, currency
        /// A line stands there twice.
        case duplicate
        /// A word that no document knows.
        case unknownKind
    }

    /// A mistake that was made.
    package struct Planted: Hashable, Sendable {
        package let mistake: Mistake
        package let operation: String
        package let payment: String
    }

    /// Of ten thousand parts, what the provider keeps of a sale.
    static let feeBasisPoints: Int64 = 150

    private(set) var lines: [Line]
    package private(set) var planted: [Planted] = []
    /// The number of the last entry of the ledger that it tells of.
    let last: Int

    /// Tells of a ledger's entries behind a number.
    init(_ ledger: SandboxLedger, account: String?, after number: Int) {
        let entries = ledger.entries.filter { entry in
            entry.number > number && (account == nil || entry.owner.account == account)
        }
        lines = entries.compactMap(Self.line)
        last = ledger.entries.last?.number ?? number
    }

    private static func line(_ entry: SandboxLedger.Entry) -> Line? {
        let kind: Kind
        switch entry.kind {
        case .charge: kind = .sale
        case .capture: kind = .capture
        case .refund: kind = .refund
        case .refundReverse: kind = .refundReverse
        case .hold, .release, .transfer: return nil
        }
        let isTaken = kind == .sale || kind == .capture
        return Line(
            kind: kind,
            operation: entry.operation,
            payment: entry.owner.payment,
            amount: entry.amount,
            fee: isTaken ? fee(of: entry.amount.minor) : 0,
            at: entry.at
        )
    }

    /// Rounded half up.
    private static func fee(of amount: Int64) -> Int64 {
        let (product, isOver) = amount.multipliedReportingOverflow(by: feeBasisPoints)
        return isOver ? 0 : (product + 5000) / 10_000
    }

    /// Makes mistakes, each at another line; a mistake for which no line is left is not made.
    mutating func plant(_ mistakes: [Mistake], seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var free = Array(lines.indices).filter { lines[$0].kind != .refundReverse }
        var dropped: Set<Int> = []
        var added: [Line] = []
        for mistake in mistakes {
            guard let place = free.indices.randomElement(using: &random) else { break }
            // A fee can be wrong where there is one.
            let index = free.remove(at: free.firstIndex { mistake == .fee && lines[$0].fee > 0 } ?? place)
            if mistake == .fee, lines[index].fee == 0 { continue }
            var told = lines[index]
            switch mistake {
            case .missingThere: dropped.insert(index)
            case .amount:
                lines[index].amount = Money(told.amount.minor - 1, told.amount.currency)
                if told.fee > 0 { lines[index].fee = Self.fee(of: told.amount.minor - 1) }
            case .fee: lines[index].fee *= 2
            case .currency:
                guard let other = Currency(told.amount.currency.code == "USD" ? "EUR" : "USD") else { continue }
                lines[index].amount = Money(told.amount.minor, other)
            case .duplicate: added.append(told)
            case .missingHere, .unknownKind:
                free.append(index)
                told.operation = "9\(random.next() % 1_000_000_000)"
                told.payment = "stranger-\(told.operation)"
                if mistake == .unknownKind { told.word = "moonlight" }
                added.append(told)
            }
            planted.append(Planted(mistake: mistake, operation: told.operation, payment: told.payment))
        }
        lines = lines.indices.filter { !dropped.contains($0) }.map { lines[$0] } + added
    }

    /// Pays out what each currency's lines come to.
    mutating func payOut(at moment: Timestamp) {
        for (currency, sum) in sums() where sum > 0 {
            lines.append(
                Line(
                    kind: .payout,
                    operation: "PAYOUT-\(currency.code)-\(last)",
                    payment: "",
                    amount: Money(sum, currency),
                    at: moment
                )
            )
        }
    }

    /// Says what each currency's lines come to.
    mutating func addTotals(at moment: Timestamp) {
        lines += sums().map { currency, sum in
            Line(kind: .total, operation: "", payment: "", amount: Money(sum, currency), at: moment)
        }
    }

    private func sums() -> [(Currency, Int64)] {
        var sums: [Currency: Int64] = [:]
        for line in lines where line.word == nil {
            switch line.kind {
            case .sale, .capture, .refundReverse: sums[line.amount.currency, default: 0] += line.amount.minor - line.fee
            case .refund: sums[line.amount.currency, default: 0] -= line.amount.minor + line.fee
            case .payout, .total: break
            }
        }
        return sums.sorted { $0.key < $1.key }
    }
}

extension ProviderSimulator {
    /// Answers with a settlement file: `account`, `after` (an entry's number), `mistakes` (words, or `all`) with a `seed`, `payout`; with
    /// `plan` what mistakes the same file has.
    func settlementAsked(_ request: SandboxRequest, _ form: SettlementForm, account standard: String? = nil)
        -> SandboxAnswer
    {
        let value = request.queryValue
        let words = (value("mistakes") ?? "").split(separator: ",").map(String.init)
        let mistakes = words == ["all"] ? SandboxSettlement.Mistake.allCases : words.compactMap { .init(rawValue: $0) }
        guard words == ["all"] || mistakes.count == words.count else {
            let known = SandboxSettlement.Mistake.allCases.map(\.rawValue).joined(separator: ", ")
            return .refused(422, "unknown_mistake", "mistakes are all, or of \(known).")
        }
        var file = SandboxSettlement(
            ledger,
            account: value("account") ?? standard,
            after: value("after").flatMap { Int($0) } ?? 0
        )
        file.plant(mistakes, seed: value("seed").flatMap { UInt64($0) } ?? 0)
        if value("payout") == "true" { file.payOut(at: now) }
        if form.hasTotal { file.addTotals(at: now) }
        if value("plan") == "true" {
            return .json(
                200,
                [
                    "last": .integer(Int64(file.last)), "lines": .integer(Int64(file.lines.count)),
                    "planted": .array(
                        file.planted.map {
                            [
                                "mistake": .string($0.mistake.rawValue), "operation": .string($0.operation),
                                "payment": .string($0.payment),
                            ]
                        }
                    ),
                ]
            )
        }
        return SandboxAnswer(status: 200, contentType: "text/csv", body: .bytes(form.bytes(file.lines)))
    }
}
