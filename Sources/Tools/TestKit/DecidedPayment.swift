import Decisions
import Engine
import EventSourcing
package import Kernel
package import Payments
package import ProviderKit

/// One payment driven through an adapter and the production decider, without store, vault or wire: the test answers each
/// message as it likes.
package struct DecidedPayment {
    package private(set) var payment: Payment
    package var now: Timestamp
    /// Every alarm so far, as `excess: …`.
    package private(set) var alarms: [String] = []
    private let stream: StreamName
    private let account: ConfiguredAccount
    private let decider: PaymentDecider
    private let capabilities: Capabilities
    private var history: [RecordedEvent] = []
    /// Messages that the store has a row of.
    private var rows: Set<Uuid> = []
    private var inputs: UInt64 = 0

    package init(_ adapter: any Adapter, _ settings: AccountSettings, at now: Timestamp) throws {
        stream = StreamName(MerchantNumber(1), .payment, Uuid(high: 0xB00C, low: 1))
        payment = Payment(id: PaymentId(stream.id))
        self.now = now
        account = ConfiguredAccount(
            merchant: MerchantNumber(1),
            facts: settings.account,
            values: settings.values,
            sealedSecrets: [:]
        )
        decider = PaymentDecider(adapters: AdapterRegistry([adapter]))
        capabilities = try adapter.capabilities(settings)
    }

    /// A command that was refused.
    package struct Refused: Error {
        package let code: String
    }

    package mutating func command(_ command: PaymentCommand) throws {
        let meta = InputMeta.command(
            actor: Actor(id: "shop", isOperator: false),
            account: account.facts.id,
            traceparent: nil,
            correlation: nil
        )
        let outcome = try decide(.command, command.name.rawValue, meta, command.canonical)
        if case .rejected(let code, _) = outcome { throw Refused(code: code) }
    }

    /// Answers a message, the newest under way unless another is named.
    package mutating func answer(_ body: [UInt8], status: Int = 200, to license: DispatchLicense? = nil) throws {
        try observe(.answered, license, [("headers", [:]), ("status", .integer(Int64(status)))], body)
    }

    package mutating func lose(_ license: DispatchLicense? = nil) throws {
        try observe(.noAnswer, license, [("reason", "deadline")], [])
    }

    /// Asks, some time later, and takes `body` for the answer.
    package mutating func look(_ body: [UInt8], after seconds: Int64 = 600, status: Int = 200) throws {
        now = now.adding(.seconds(seconds))
        if !open.contains(where: { $0.purpose == .query }) { try command(.sync) }
        let question = open.last { $0.purpose == .query }
        now = max(now, question?.notBefore ?? now)
        try answer(body, status: status, to: question)
    }

    /// Gives a command; a look that it waits for finds `body`.
    package mutating func command(_ command: PaymentCommand, baseline body: [UInt8]) throws {
        now = now.adding(.seconds(600))
        try self.command(command)
        while let question = open.last, question.purpose == .query {
            now = max(now, question.notBefore)
            try answer(body, to: question)
        }
    }

    /// Messages that have no outcome yet.
    package var open: [DispatchLicense] {
        (payment.operations.flatMap(\.dispatches) + payment.queries).filter(\.isInFlight).map(\.license)
    }

    package var reference: String { payment.attempt?.reference ?? "" }

    package var obligations: [Obligation] { payment.obligations(capabilities, at: now) }

    /// Obligations of an operator, by kind and reason.
    package var operatorOwes: [String] {
        obligations.filter { $0.owner == .operator }.map { "\($0.kind.rawValue): \($0.reason)" }
    }

    /// Operations of a kind as `commanded succeeded 500`.
    package func operations(_ kind: OperationKind) -> [String] {
        guard let currency = payment.currency else { return [] }
        return payment.operations.filter { $0.kind == kind }.map { operation in
            let state = "\(operation.state)".prefix { $0 != "(" }
            return "\(operation.origin.rawValue) \(state) \(operation.booked(in: currency))"
        }
    }

    private mutating func observe(
        _ name: AnswerName,
        _ license: DispatchLicense?,
        _ more: [(String, Json)],
        _ body: [UInt8]
    ) throws {
        guard let license = license ?? open.last else { throw Refused(code: "nothing_under_way") }
        let meta = Json.object(
            JsonObject(
                [("effect", license.effect.json), ("fence", 1), ("ordinal", .integer(Int64(license.ordinal)))] + more
            )
        )
        _ = try decide(.answer, name.rawValue, meta.canonical, body)
    }

    private mutating func decide(_ kind: InputKind, _ name: String, _ meta: [UInt8], _ body: [UInt8]) throws
        -> DecisionOutcome
    {
        inputs += 1
        let input = InputRecord(
            id: Uuid(high: 0x1A, low: inputs),
            stream: stream,
            kind: kind,
            name: name,
            meta: meta,
            body: body,
            receivedAt: now
        )
        let context = DecisionContext(
            now: now,
            publicUrl: "https://pay.example",
            account: account,
            instrument: nil
        )
        let decided = try decider.decide(History(history), input, context)
        for change in decided.effects {
            switch change {
            case .create(let effect): rows.insert(effect.id)
            case .remove(let id): rows.remove(id)
            case .resend(let id, _, _, _): guard rows.contains(id) else { throw Refused(code: "row_gone") }
            case .revoke: break
            }
        }
        for draft in decided.events {
            history.append(
                RecordedEvent(
                    stream: stream,
                    version: Int32(history.count + 1),
                    position: Int64(history.count + 1),
                    type: draft.type,
                    cause: input.id,
                    recordedAt: now,
                    data: draft.data
                )
            )
        }
        for case .alarm(let alarm) in decided.notices { alarms.append("\(alarm.what.rawValue): \(alarm.detail)") }
        payment = try Payment.fold(stream, history)
        return decided.outcome
    }
}
