package import EventSourcing
package import Kernel
package import Payments
package import Projections
package import Schedules

/// A stream's fold at a version, with its events.
package struct PaymentSnapshot: Sendable {
    package let payment: Payment
    package let events: [RecordedEvent]
    /// What is owed, with the deadlines that the account's lifetimes give where it is known.
    package let obligations: [Obligation]

    package init(payment: Payment, events: [RecordedEvent], obligations: [Obligation]? = nil) {
        self.payment = payment
        self.events = events
        self.obligations = obligations ?? payment.obligations
    }
}

/// A read that could not be made now.
package struct ReadFailure: Error, Hashable, Sendable {
    package let detail: String

    package init(_ detail: String) { self.detail = detail }
}

/// Reads what the pages of the API show.
package protocol Reader: Sendable {
    /// Folds a payment's or transfer's stream, up to `version` where one is given; `nil` where there is none.
    func payment(_ stream: StreamName, upTo version: Int32?) async throws(ReadFailure) -> PaymentSnapshot?

    /// Waits until a stream is past a version or the time is over.
    func wait(for stream: StreamName, past version: Int32, atMost time: Duration) async

    /// Lists payments by the read model, newest first.
    func payments(_ query: PaymentQuery, merchant: MerchantNumber) async throws(ReadFailure) -> PaymentPage

    /// What is unresolved and no payment's, at most so many of each kind, the newest first.
    func openItems(merchant: MerchantNumber, limit: Int) async throws(ReadFailure) -> [OpenItem]

    /// The read model's row of one payment or transfer; `nil` where it has none, or has one of the other kind.
    func row(_ stream: StreamName) async throws(ReadFailure) -> Json?

    /// Lists saved instruments by the read model, newest first; each names its account by its id.
    func instruments(_ query: InstrumentQuery, merchant: MerchantNumber) async throws(ReadFailure) -> PaymentPage

    func instrument(_ id: InstrumentId, merchant: MerchantNumber) async throws(ReadFailure) -> Instrument?

    /// The merchant's accounts, in the order of their names; as known for at most a second, or asked now.
    func accounts(merchant: MerchantNumber, isAsked: Bool) async throws(ReadFailure) -> [Account]
    func routing(merchant: MerchantNumber) async throws(ReadFailure) -> Routing

    /// Lists schedules by the read model.
    func schedules(_ query: ScheduleQuery, merchant: MerchantNumber) async throws(ReadFailure) -> PaymentPage

    func schedule(_ id: ScheduleId, merchant: MerchantNumber) async throws(ReadFailure) -> ScheduleSnapshot?
    /// The time zone data that holds for a name; `nil` where there is no such zone.
    func zone(named name: String) async throws(ReadFailure) -> ZoneData?
    /// The table of holidays that holds for a name; `nil` where there is none.
    func businessCalendar(named name: String) async throws(ReadFailure) -> BusinessCalendar?

    /// The number of the merchant of that name; `nil` where there is none.
    func merchant(named name: String) async throws(ReadFailure) -> MerchantNumber?

    /// What became of a command from the SQL entrance, by its inbox id.
    func inboxOutcome(_ id: Uuid, merchant: MerchantNumber) async throws(ReadFailure) -> Json?
}

/// A page of rows of the read model, and where the next one begins.
package struct PaymentPage: Hashable, Sendable {
    package let rows: [Json]
    package let next: PageCursor?

    package init(rows: [Json], next: PageCursor?) {
        self.rows = rows
        self.next = next
    }
}

extension Reader {
    /// The merchant's accounts, as known for at most a second.
    package func accounts(merchant: MerchantNumber) async throws(ReadFailure) -> [Account] {
        try await accounts(merchant: merchant, isAsked: false)
    }

    /// The same for a call that names one: another daemon may have made it a moment ago.
    func accounts(merchant: MerchantNumber, naming name: String) async throws(ReadFailure) -> [Account] {
        let known = try await accounts(merchant: merchant)
        let isKnown = known.contains { $0.configuration?.name == name || $0.id == Uuid(name) }
        return isKnown ? known : try await accounts(merchant: merchant, isAsked: true)
    }
}
