package import EventSourcing
package import Kernel
package import Projections
package import Settlement

/// What the API reads and writes of providers' settlement files.
package protocol SettlementTables: Sendable {
    /// Imports a file that is held whole, in one transaction.
    func importFile(_ request: SettlementImport, as id: SettlementFileId, _ bytes: [UInt8]) async throws(StoreFailure)
        -> SettlementOutcome
    /// The newest mapping that is kept for an account, with its version; `nil` where it has none of its own.
    func mapping(of account: Uuid, _ merchant: MerchantNumber) async throws(StoreFailure)
        -> (version: Int32, mapping: SettlementMapping)?
    /// Keeps a mapping as the next version, unless the newest one says the same; `nil` where PostgreSQL knows no such zone.
    func keep(_ request: SettlementImport) async throws(StoreFailure) -> Int32?
    func files(of merchant: MerchantNumber, account: Uuid?, behind cursor: PageCursor?, limit: Int)
        async throws(StoreFailure) -> RowPage
    func file(_ id: SettlementFileId, of merchant: MerchantNumber) async throws(StoreFailure) -> Json?
    func exceptions(_ query: ExceptionQuery, of merchant: MerchantNumber) async throws(StoreFailure) -> RowPage
    func exception(_ id: SettlementExceptionId, of merchant: MerchantNumber) async throws(StoreFailure) -> Json?
    func assign(
        _ id: SettlementExceptionId,
        to owner: String?,
        by actor: String,
        as act: Uuid,
        of merchant: MerchantNumber
    ) async throws(StoreFailure) -> ExceptionStep
    func propose(
        _ verdict: ExceptionVerdict,
        for id: SettlementExceptionId,
        because reason: String,
        by actor: String,
        as act: Uuid,
        of merchant: MerchantNumber
    ) async throws(StoreFailure) -> ExceptionStep
    func approve(
        _ proposal: Int32,
        for id: SettlementExceptionId,
        by actor: String,
        as act: Uuid,
        of merchant: MerchantNumber
    ) async throws(StoreFailure) -> ExceptionStep
}
