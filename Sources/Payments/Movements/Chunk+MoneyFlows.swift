import Kernel

extension Chunk {
    /// The money that its bills have moved so far, by the bill; money that only an app claims is apart from money that a provider
    /// confirmed.
    package var moneyFlows: [MoneyFlow] {
        guard let head else { return [] }
        return head.lines.flatMap { line in standings[line.id].map { $0.flows(in: head.currency) } ?? [] }
    }
}

extension BillStanding {
    fileprivate func flows(in currency: Currency) -> [MoneyFlow] {
        // What nobody told is not guessed: the tally counts none of it either.
        let amount = paid ?? .zero(currency)
        guard amount.currency == currency else { return [] }
        let told: MovementEvidence =
            switch source {
            case .answer, .ourselves: .provider
            case .claim: .claim
            case .operator: .operator
            }
        func flow(_ kind: MovementKind, _ amount: Money) -> MoneyFlow {
            let key = MoneyFlow.Key(kind: kind, attempt: 0, part: id, providerId: nil)
            return MoneyFlow(key, max(0, amount.minor), kind == .claimed ? .claim : told, payee: payeeName)
        }
        let onTop = outcome == .paid && commission?.currency == currency ? commission : nil
        return movements.map { flow($0, amount) } + (onTop.map { [flow(.payerCommission, $0)] } ?? [])
    }

    private var movements: [MovementKind] {
        switch outcome {
        case .paid: source == .claim ? [.claimed] : [.captured]
        // What came back was taken first.
        case .refunded: [.captured, .refunded]
        case .claimed: claimed == .paid ? [.claimed] : []
        case .held, .cancelled, .requiresAction, .failed, .unknown, .refused: []
        }
    }
}
