import Kernel
import Payments
import ProviderKit

/// Reads facts out of what was observed.
package enum Interpretation {
    static func facts(_ observation: Observation, _ context: InterpretContext) -> [Fact] {
        guard let settings = try? PortmoneSettings.of(context.settings) else {
            return [.unrecognised(what: "settings", value: "unreadable")]
        }
        switch observation {
        case .notSent(_, let reason): return [.dispatch(.notSent(reason: reason))]
        case .sentNoAnswer(_, let reason): return [.dispatch(.unknown(reason: reason))]
        case .notification: return []  // Nothing inbound is signed: the status call that follows decides.
        case .answered(let purpose, let status, let headers, let body):
            guard !isSilent(status) else { return [.dispatch(.unknown(reason: "HTTP \(status)"))] }
            let rows = RowReading(settings, context)
            switch purpose {
            case .handover, .auxiliary: return []
            case .query: return query(Answer(body), rows)
            case .operation(let kind):
                if kind.isInitial, (300...399).contains(status), let address = headers["location"] {
                    return opened(.string(address), context)
                }
                let answer = Answer(body)
                return kind.isInitial ? opening(answer, rows) : followUp(kind, answer, rows)
            }
        }
    }

    /// Statuses under which a body proves nothing.
    private static func isSilent(_ status: Int) -> Bool {
        status == 408 || status == 429 || (500...599).contains(status)
    }

    /// How an order stands: every row under its number.
    private static func query(_ answer: Answer, _ rows: RowReading) -> [Fact] {
        switch answer {
        case .rows(let found): return [.dispatch(.answered)] + rows.facts(found)
        case .refused(let code, _): return [.dispatch(.notExecuted(rows.settings.decline(code)))]
        case .link, .incomplete: return [.dispatch(.unknown(reason: "not an answer to a status call"))]
        case .unreadable: return [.dispatch(.unknown(reason: "unreadable answer"))]
        }
    }

    /// The answer to the message that opens a page or charges a wallet.
    private static func opening(_ answer: Answer, _ rows: RowReading) -> [Fact] {
        switch answer {
        case .link(let address): return opened(address, rows.context)
        case .refused(let code, _):
            let decline = rows.settings.decline(code)
            return [.dispatch(.notExecuted(decline)), .attempt(.closed(.declined(decline)))]
        case .incomplete: return [.dispatch(.unknown(reason: "no link in the answer"))]
        case .unreadable: return [.dispatch(.unknown(reason: "unreadable answer"))]
        case .rows(let found):
            guard let row = found.first, found.count == 1 else {
                return [.dispatch(.unknown(reason: "\(found.count) rows in the answer"))]
            }
            return [.dispatch(.accepted)] + rows.charged(row)
        }
    }

    /// No id of the provider exists until the payer acts: our number is the order's name.
    private static func opened(_ address: Json, _ context: InterpretContext) -> [Fact] {
        [
            .dispatch(.accepted),
            .order(ProviderOrder(id: context.paymentReference, handover: ["url": address])),
        ]
    }

    /// The answer to a capture, void or refund: one row, or a code.
    private static func followUp(_ kind: OperationKind, _ answer: Answer, _ rows: RowReading) -> [Fact] {
        switch answer {
        case .rows(let found):
            guard let row = found.first, found.count == 1 else {
                return [.dispatch(.unknown(reason: "\(found.count) rows in the answer"))]
            }
            if let code = row.errorCode, code != "0" { return refused(kind, code, rows) }
            return rows.followUp(kind, row)
        case .refused(let code, _): return refused(kind, code ?? "", rows)
        case .link, .incomplete: return [.dispatch(.unknown(reason: "not an answer to \(kind.rawValue)"))]
        case .unreadable: return [.dispatch(.unknown(reason: "unreadable answer"))]
        }
    }

    /// The word of a reading that asks for a status call: an answer says that the order is not as we thought.
    package static let changedWord = "changed"

    private static func refused(_ kind: OperationKind, _ code: String, _ rows: RowReading) -> [Fact] {
        let decline = rows.settings.decline(code.isEmpty ? nil : code)
        switch CodeTable.verdict(code, kind) {
        case .refused: return [.dispatch(.notExecuted(decline))]
        case .refusedSinceChanged:
            return [.dispatch(.notExecuted(decline)), .attempt(.reading(.moneyWithoutOperation(changedWord)))]
        case .earlierOrUnknown: return [.dispatch(.duplicate(code: code))]
        }
    }

    /// A word that no table knows.
    static func unrecognised(_ what: String, _ value: String?) -> Fact {
        .unrecognised(what: what, value: String((value ?? "").prefix(valueCharacters)))
    }

    private static let valueCharacters = 64
}
