package import EventSourcing
package import Kernel
import Payments

/// Resolves what a decision may look at: for live work from the newest state, for replay from what its record names.
package struct Contexts: Sendable {
    let book: AccountBook
    let publicUrl: String
    private let clock: @Sendable () -> Timestamp

    package init(book: AccountBook, publicUrl: String, clock: @escaping @Sendable () -> Timestamp) {
        self.book = book
        self.publicUrl = publicUrl
        self.clock = clock
    }

    /// The context of an input that is decided now.
    package func now(_ history: [RecordedEvent], _ input: InputRecord) async throws(StoreFailure) -> DecisionContext {
        let merchant = input.stream.merchant
        let now = Self.reading(clock(), for: input)
        if let bills = try await bills(history, input, now) { return bills }
        guard input.stream.kind.isPayment else {
            return DecisionContext(now: now, publicUrl: publicUrl, account: nil, instrument: nil)
        }
        var account: ConfiguredAccount?
        if let id = Self.account(of: history) ?? (try? InputMeta(input))?.account {
            account = try await book.newest(id, merchant)
        }
        var instrument: Instrument?
        if let id = Self.instrument(of: history, input) { instrument = try await book.instrument(id, merchant) }
        return DecisionContext(now: now, publicUrl: publicUrl, account: account, instrument: instrument)
    }

    /// A timer is decided at its own time at the earliest: this node's clock may be a little behind the database's, and a
    /// timer that found nothing due would be armed for the same moment again.
    private static func reading(_ now: Timestamp, for input: InputRecord) -> Timestamp {
        guard input.kind == .timer, let at = (try? InputMeta(input))?.json["at"]?.text.flatMap({ Timestamp($0) }) else {
            return now
        }
        return max(now, at)
    }

    /// Takes note of what this process committed.
    func committed(_ stream: StreamName) { if stream.kind == .account { book.forget(stream.id) } }

    /// The context that a record kept.
    package func recorded(_ decision: RecordedDecision) async throws(StoreFailure) -> DecisionContext? {
        guard let json = try? Json(decision.record.context), let now = json["now"]?.text.flatMap({ Timestamp($0) }),
            let publicUrl = json["publicUrl"]?.text
        else { return nil }
        let merchant = decision.stream.merchant
        var account: ConfiguredAccount?
        if let id = json.at("account", "id")?.text.flatMap({ Uuid($0) }),
            let version = json.at("account", "version")?.integer
        {
            account = try await book.at(Int32(version), id, merchant)
        }
        var instrument: Instrument?
        if let id = json.at("instrument", "id")?.text.flatMap({ InstrumentId($0) }),
            let version = json.at("instrument", "version")?.integer
        {
            instrument = try await book.instrument(id, merchant, version: Int32(version))
        }
        var context = DecisionContext(now: now, publicUrl: publicUrl, account: account, instrument: instrument)
        return try await recordedBills(json, merchant, &context) ? context : nil
    }

    /// The account that the payment was created with.
    static func account(of history: [RecordedEvent]) -> Uuid? {
        guard case .created(_, let account)? = first(history) else { return nil }
        return account.id
    }

    private static func first(_ history: [RecordedEvent]) -> PaymentEvent? {
        history.first.flatMap { try? PaymentEvent(type: $0.type, data: $0.data) }
    }

    private static func instrument(of history: [RecordedEvent], _ input: InputRecord) -> InstrumentId? {
        if case .created(let terms, _)? = first(history) { return terms.instrument }
        guard input.name == PaymentCommand.Name.create.text(in: input.stream.kind), let body = try? Json(input.body)
        else { return nil }
        return body["instrument"]?.text.flatMap { InstrumentId($0) }
    }
}
