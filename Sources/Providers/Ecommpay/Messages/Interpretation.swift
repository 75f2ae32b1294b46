package import Kernel
import Payments
import ProviderKit

/// Reads facts out of what was observed.
enum Interpretation {
    private enum Limits {
        static let valueCharacters = 64
    }

    static func facts(_ observation: Observation, _ context: InterpretContext) -> [Fact] {
        switch observation {
        case .notSent(_, let reason): [.dispatch(.notSent(reason: reason))]
        case .sentNoAnswer(_, let reason): [.dispatch(.unknown(reason: reason))]
        case .answered(let purpose, let status, _, let body):
            answer(purpose, Answer.read(status, body, isQuery: purpose == .query), context)
        case .notification(let body):
            if let json = try? Json(body), json.members != nil {
                message(Message(json), context)
            } else {
                [.unrecognised(what: "body", value: "unreadable")]
            }
        }
    }

    private static func answer(
        _ purpose: DispatchPurpose,
        _ answer: (verdict: Answer, body: Json?),
        _ context: InterpretContext
    ) -> [Fact] {
        let isQuery = purpose == .query
        switch answer.verdict {
        case .accepted:
            if isQuery { return [.dispatch(.unknown(reason: "no payment in the answer"))] }
            if let foreign = answer.body.flatMap({ foreignAcceptance($0, context) }) {
                return [.dispatch(.unknown(reason: "the answer is about another payment")), foreign]
            }
            return [.dispatch(.accepted)]
        case .answered:
            guard let message = answer.body.map(Message.init) else { return [.dispatch(.answered)] }
            return [.dispatch(.answered)] + Self.message(message, context) + (message.listsOperations ? [whole] : [])
        case .notFound: return [.dispatch(.answered), .attempt(.notRegistered)]
        case .rejected(let code): return [.dispatch(.notExecuted(CodeTable.decline(code)))]
        case .configuration(let code):
            let decline = Decline(reason: .configuration, code: code, tableVersion: CodeTable.version)
            return [.dispatch(.notExecuted(decline))]
        case .duplicate(let code): return [.dispatch(.duplicate(code: code))]
        case .unknown(let reason): return [.dispatch(.unknown(reason: reason))]
        }
    }

    /// An operation that the answer to a question does not list is not there.
    private static let whole = Fact.complete([.sale, .authorize, .capture, .void, .refund, .refundReversal])

    /// An acceptance that names another project or payment accepted something that we did not ask.
    private static func foreignAcceptance(_ body: Json, _ context: InterpretContext) -> Fact? {
        identityContradiction(
            project: Message.projectId(body),
            payment: body["payment_id"]?.scalarText,
            context
        )
    }

    private static func identityContradiction(
        project: String?,
        payment: String?,
        _ context: InterpretContext
    ) -> Fact? {
        if let project, project != context.settings.values["projectId"]?.scalarText {
            return .contradiction(.identity, detail: "project \(project.prefix(Limits.valueCharacters))")
        }
        if let payment, payment != context.paymentReference {
            return .contradiction(.identity, detail: "payment \(payment.prefix(Limits.valueCharacters))")
        }
        return nil
    }

    /// A callback or status answer: operations first, then what the payment's own word adds.
    private static func message(_ message: Message, _ context: InterpretContext) -> [Fact] {
        if let debit = platformDebit(message, context) { return debit }
        if let foreign = identityContradiction(project: message.projectId, payment: message.paymentId, context) {
            return [foreign]
        }
        guard message.hasPayment || message.hasOperations else {
            return series(message, context) + tokenNotice(message, context)
        }
        var facts: [Fact] = []
        if let method = message.method, !method.isEmpty {
            facts.append(.method(method, scheme: CardScheme.word(message.account?["type"]?.text)))
        }
        let readings = message.operations.map { OperationReading($0, in: message, context) }
        for reading in readings { facts += reading.facts }
        facts += attempt(message, readings, context)
        if readings.contains(where: \.savesInstrument), let instrument = InstrumentReading.fact(message) {
            facts.append(instrument)
        }
        return facts + series(message, context)
    }

    /// The series that a payment registered, or what became of it.
    ///
    /// A debit tells the series, too; it belongs to the payment that asked for it.
    private static func series(_ message: Message, _ context: InterpretContext) -> [Fact] {
        guard context.terms.recurring != nil, let id = message.seriesId, !id.isEmpty else { return [] }
        let isActive: Bool? =
            switch message.seriesStatus.map(Words.normalized) {
            case "active": true
            case "cancelled", "canceled": false
            default: nil
            }
        let kind = message.seriesType.flatMap(Registration.kind)
        return [.series(SeriesFact(id: id, isActive: isActive, kind: kind))]
    }

    /// A debit that the platform made by itself is a payment of its own: its id is not ours, its series is.
    private static func platformDebit(_ message: Message, _ context: InterpretContext) -> [Fact]? {
        guard let payment = message.paymentId, payment != context.paymentReference, let series = message.seriesId,
            message.projectId == nil || message.projectId == context.settings.values["projectId"]?.scalarText
        else { return nil }
        let sales = message.operations.map { OperationReading($0, in: message, context) }.filter { reading in
            reading.operation?.kind == .sale
        }
        func debit(_ outcome: SeriesDebit.Outcome, of operation: ProviderOperation? = nil) -> [Fact] {
            let debit = SeriesDebit(
                payment: payment,
                series: series,
                amount: operation?.amount.money,
                outcome: outcome,
                at: operation.flatMap { $0.createdAt ?? $0.changedAt },
                operation: operation?.providerId
            )
            return [.seriesDebit(debit)]
        }
        if let taken = OperationReading.deciding(sales.filter { $0.operation?.outcome.isSuccess == true })?.operation {
            return debit(.succeeded, of: taken)
        }
        // What else is said of it, as a refund, nobody here asked for.
        let newest = OperationReading.deciding(sales)?.operation
        switch newest?.outcome {
        case .declined(let decline)?: return debit(.declined(decline), of: newest)
        case .waiting?, .processing?: return []
        case .succeeded?, .ambiguous?, .expired?: return [unrecognised("series.debit", payment)]
        case nil: break
        }
        guard message.operations.isEmpty, let status = message.status else {
            return [unrecognised("series.debit", payment)]
        }
        // Without its operation a debit books nothing and is asked about.
        switch StatusTable.lookUp(status, byForm: false)?.state {
        case .held?, .captured?, .partlyReturned?, .returned?, .released?: return debit(.succeeded)
        case .declined?, .lapsed?: return debit(.declined(CodeTable.decline(nil)))
        case .waiting?, .processing?, .unregistered?: return []
        case .indeterminate?, .checked?, nil: return [unrecognised("series.debit", payment)]
        }
    }

    /// The part that `payment.status` adds: where no operation is usable all of it, after a decline whether the form goes on.
    private static func attempt(
        _ message: Message,
        _ readings: [OperationReading],
        _ context: InterpretContext
    ) -> [Fact] {
        guard let newest = OperationReading.deciding(readings) else {
            guard readings.allSatisfy({ $0.operation == nil }) else { return [] }
            return AttemptWord.facts(message, context)
        }
        switch newest.ending {
        case .none: return []
        case .cancelled: return [.attempt(.closed(.cancelled))]
        case .expired: return [.attempt(.closed(.expired))]
        case .refusedByForm: return [.attempt(.notRegistered)]
        case .declined(let decline): return AttemptWord.factsAfterDecline(decline, message, context)
        }
    }

    /// A message without payment and operation is about a token or a series.
    private static func tokenNotice(_ message: Message, _ context: InterpretContext) -> [Fact] {
        guard let instrument = InstrumentReading.fact(message) else { return [] }
        if let ours = context.terms.customer, let theirs = message.customerId, Array(ours.utf8) != Array(theirs.utf8) {
            return [.contradiction(.identity, detail: "customer of a token")]
        }
        guard context.terms.mode == .tokenize else { return [instrument] }
        let saved = ProviderOperation(
            providerId: message.requestId ?? "token",
            kind: .tokenize,
            outcome: .succeeded,
            amount: .absent
        )
        return [.operation(saved), instrument]
    }

    /// A status, code or type that no table knows.
    static func unrecognised(_ what: String, _ value: String?) -> Fact {
        .unrecognised(what: what, value: String((value ?? "").prefix(Limits.valueCharacters)))
    }
}

extension Answer {
    /// Parses the body and reads the answer.
    package static func read(_ status: Int, _ body: [UInt8], isQuery: Bool) -> (verdict: Answer, body: Json?) {
        let json = try? Json(body)
        return (Answer(status: status, body: json, isQuery: isQuery), json)
    }
}
