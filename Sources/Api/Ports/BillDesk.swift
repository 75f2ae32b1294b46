package import EventSourcing
package import Kernel
package import Payments
package import ProviderKit

/// What the API asks and orders about bills beside commands.
package protocol BillDesk: Sendable {
    /// Takes a page of an upload as it came.
    func submitPage(
        _ bytes: [UInt8],
        number: Int,
        batch: BillBatchId,
        merchant: MerchantNumber,
        actor: Actor
    ) async -> SubmissionOutcome

    func batch(_ id: BillBatchId, merchant: MerchantNumber) async throws(ReadFailure) -> BillBatch?

    func chunk(_ id: Uuid, merchant: MerchantNumber) async throws(ReadFailure) -> Chunk?

    /// A bill of an account with the version of its stream; `nil` where no batch ever named it.
    func bill(_ id: String, account: Uuid, merchant: MerchantNumber) async throws(ReadFailure) -> Bill?

    func list(_ query: BillQuery, merchant: MerchantNumber) async throws(ReadFailure) -> BillRows

    /// Batches by the read model, newest first.
    func batches(limit: Int, merchant: MerchantNumber) async throws(ReadFailure) -> [Json]

    /// What the payer's device needs: the SDK's object, or what a bank's step needs; opened for this moment.
    func handover(_ chunk: Chunk, merchant: MerchantNumber) async -> Result<Json, HandoverRefusal>

    /// Keeps who was given that.
    func recordAccess(_ what: String, _ batch: BillBatchId, merchant: MerchantNumber, key: String)
        async throws(ReadFailure)

    /// Asks the provider something that moves no money; nothing of it is written down here.
    func ask(_ question: BillQuestion, account: Uuid, merchant: MerchantNumber) async throws(ReadFailure)
        -> BillQuestionAnswer

    /// Opens a sealed token for such a question.
    func open(_ sealed: Json, merchant: MerchantNumber) async throws(ReadFailure) -> Secret?

    /// Tells credentials of one login from those of another without showing it.
    func fingerprint(_ login: String, account: Uuid) -> String
}

/// Which bills of a batch are wanted.
package struct BillQuery: Hashable, Sendable {
    package let batch: BillBatchId
    package var outcome: BillWord?
    /// The place of the last bill that the reader has.
    package var after = 0
    package var limit = Limits.pageRows

    package init(batch: BillBatchId) { self.batch = batch }
}

/// A page of bills, and the place behind which the next one begins.
package struct BillRows: Hashable, Sendable {
    package let rows: [Json]
    package let next: Int?

    package init(rows: [Json], next: Int?) {
        self.rows = rows
        self.next = next
    }
}
