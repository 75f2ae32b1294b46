package import Engine
package import EventSourcing
package import Http
package import Kernel
package import Payments
package import Projections
import ProviderKit
package import Schedules

/// Rows of a list, and where the next page begins.
package typealias RowPage = (rows: [Json], next: PageCursor?)

/// Everything that the API reads beside the log, and the few rows that it keeps there itself.
package protocol ApiTables: Sendable {
    // MARK: Read models

    /// Lists payments and transfers, newest first; a page may hold fewer than it could where another follows.
    func payments(_ query: PaymentQuery, merchant: MerchantNumber) async throws(StoreFailure) -> RowPage
    /// The row of one payment or transfer; `nil` where it has none, or has one of the other kind.
    func row(_ stream: StreamName) async throws(StoreFailure) -> Json?
    /// Lists saved instruments, newest first; each names its account by its id.
    func instruments(_ query: InstrumentQuery, merchant: MerchantNumber) async throws(StoreFailure) -> RowPage
    func schedules(_ query: ScheduleQuery, merchant: MerchantNumber) async throws(StoreFailure) -> RowPage
    /// A batch's bills, and the place behind which the next page begins.
    func bills(_ query: BillQuery, merchant: MerchantNumber) async throws(StoreFailure) -> (rows: [Json], next: Int?)
    /// Lists batches of bills, newest first.
    func batches(behind: PageCursor?, limit: Int, merchant: MerchantNumber) async throws(StoreFailure) -> RowPage
    /// Where payment links stand in their list, the newest first, behind a place.
    func paymentLinks(of merchant: MerchantNumber, behind: PageCursor?, limit: Int) async throws(StoreFailure)
        -> [PageCursor]
    /// Lists open items that are no payment's, at most so many of each kind, the newest first.
    func openItems(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [OpenItem]

    /// Reads a page of a merchant's public events, and where the log stands.
    func events(_ query: EventQuery, of merchant: MerchantNumber) async throws(StoreFailure) -> EventPage
    /// The bytes of one public event; `nil` where there is none.
    func event(_ id: PublicEventId, of merchant: MerchantNumber) async throws(StoreFailure) -> [UInt8]?
    /// Whether anything was recorded of a stream.
    func exists(_ stream: StreamName) async throws(StoreFailure) -> Bool

    /// Makes a report of what moved; `nil` where it is asked for as of a position that the movements have not come to. Fails with
    /// SQLSTATE 22023 where there is no such zone.
    func report(_ report: Report, _ query: ReportQuery, as form: ReportForm, of merchant: MerchantNumber)
        async throws(StoreFailure) -> ToldReport?

    /// Counts what became of the payments that began in a period. Fails with SQLSTATE 22023 where there is no such zone.
    func activity(_ query: ActivityQuery, of merchant: MerchantNumber) async throws(StoreFailure) -> Activity

    /// Months of the books that are closed, newest first.
    func periods(of merchant: MerchantNumber) async throws(StoreFailure) -> [ClosedPeriod]
    /// Closes a month, as `2026-10`; `nil` where it is closed now, whether or not it was before.
    func close(_ month: String, by actor: String, note: String?, of merchant: MerchantNumber) async throws(StoreFailure)
        -> ClosedPeriod.Refusal?

    // MARK: Settlement

    var settlements: any SettlementTables { get }

    // MARK: Webhooks

    var webhooks: any WebhookTables { get }

    // MARK: Registers

    var access: any AccessTables { get }
    var requests: any RequestTables { get }

    /// Proves an API key; `nil` for an unknown, expired or revoked one.
    func caller(_ token: Secret) async throws(StoreFailure) -> Caller?
    func accounts(of merchant: MerchantNumber) async throws(StoreFailure) -> [Uuid]
    /// The number of the merchant of that name; `nil` where there is none.
    func merchant(named name: String) async throws(StoreFailure) -> MerchantNumber?
    /// Reads the outcome of a command from the SQL entrance, by its inbox id.
    func inboxOutcome(_ id: Uuid, _ merchant: MerchantNumber) async throws(StoreFailure) -> Json?
    /// Reads what came in, as it is kept.
    func input(_ id: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> InputRecord?
    /// Keeps who was given what of a stream.
    func recordAccess(_ what: String, _ stream: StreamName, key: String) async throws(StoreFailure)

    /// Keeps a file about a dispute, and gives the one that is kept of its digest; `nil` where the dispute has as many as it may.
    func keep(_ evidence: DisputeEvidence, content: Json, of merchant: MerchantNumber) async throws(StoreFailure)
        -> DisputeEvidence?
    /// Lists the files about a dispute, the oldest first.
    func evidence(of dispute: DisputeId, _ merchant: MerchantNumber) async throws(StoreFailure) -> [DisputeEvidence]
    /// A file about a dispute with its sealed content.
    func evidence(_ id: Uuid, of dispute: DisputeId, _ merchant: MerchantNumber) async throws(StoreFailure)
        -> (evidence: DisputeEvidence, content: Json)?

    /// Keeps who gave an e-mail address, so that it is found again; false where that can't be done now.
    func note(_ payer: NotedPayer) async -> Bool

    // MARK: Schedules

    /// Every zone that was asked for, in the order of their names.
    func zones() async throws(StoreFailure) -> [PlannedZone]
    /// Every business calendar in the version that holds, in the order of their names.
    func calendars() async throws(StoreFailure) -> [KeptCalendar]
    func clock(of merchant: MerchantNumber) async throws(StoreFailure) -> ClockState?
    /// Gives a merchant in test mode a clock; false where it has one.
    func own(_ merchant: MerchantNumber, from start: Timestamp) async throws(StoreFailure) -> Bool
    /// Sends a clock on its way; false where it is past that moment or travels further.
    func send(_ merchant: MerchantNumber, to target: Timestamp) async throws(StoreFailure) -> Bool
    /// The newest version of each dunning policy, in the order of their names.
    func policies(of merchant: MerchantNumber) async throws(StoreFailure) -> [DunningPolicy]
    /// Keeps the next version of a name; false where another was kept under its number.
    func keep(_ policy: DunningPolicy, by actor: String, of merchant: MerchantNumber) async throws(StoreFailure) -> Bool
}

/// Selects bills of a batch.
package struct BillQuery: Hashable, Sendable {
    package let batch: BillBatchId
    package var outcome: BillWord?
    /// The place of the last bill that the reader has.
    package var after = 0
    package var limit = Limits.pageRows

    package init(batch: BillBatchId) { self.batch = batch }
}

/// A report in one of its forms, in memory or in a file.
package struct ToldReport: Sendable {
    package let head: ReportHead
    package let body: [UInt8]
    package let file: ResponseFile?

    package init(head: ReportHead, body: [UInt8], file: ResponseFile?) {
        self.head = head
        self.body = body
        self.file = file
    }
}
