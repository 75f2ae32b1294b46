import Api
import EventSourcing
import Kernel
import Projections
import Settlement
import Store

/// The tables of settlement in PostgreSQL.
struct StoreSettlements: SettlementTables {
    private let importer: SettlementImporter
    private let rows: SettlementRows

    /// Bytes that are read at once: some KiB can hold some MiB.
    private static let piece = 4096

    init(_ store: PostgresStore) {
        importer = SettlementImporter(store)
        rows = SettlementRows(store)
    }

    func importFile(_ request: SettlementImport, as id: SettlementFileId, _ bytes: [UInt8]) async throws(StoreFailure)
        -> SettlementOutcome
    {
        let place = Locked(0)
        return try await importer.run(request, as: id) {
            place.withLock { place -> [UInt8]? in
                guard place < bytes.count else { return nil }
                defer { place += Self.piece }
                return Array(bytes[place..<min(place + Self.piece, bytes.count)])
            }
        }
    }

    func mapping(of account: Uuid, _ merchant: MerchantNumber) async throws(StoreFailure)
        -> (version: Int32, mapping: SettlementMapping)?
    { try await rows.mapping(of: account, merchant) }

    func keep(_ request: SettlementImport) async throws(StoreFailure) -> Int32? { try await rows.keep(request) }

    func files(of merchant: MerchantNumber, account: Uuid?, behind cursor: PageCursor?, limit: Int)
        async throws(StoreFailure) -> RowPage
    { try await rows.files(of: merchant, account: account, behind: cursor, limit: limit) }

    func file(_ id: SettlementFileId, of merchant: MerchantNumber) async throws(StoreFailure) -> Json? {
        try await rows.file(id, of: merchant)
    }

    func exceptions(_ query: ExceptionQuery, of merchant: MerchantNumber) async throws(StoreFailure) -> RowPage {
        try await rows.exceptions(query, of: merchant)
    }

    func exception(_ id: SettlementExceptionId, of merchant: MerchantNumber) async throws(StoreFailure) -> Json? {
        try await rows.exception(id, of: merchant)
    }

    func assign(
        _ id: SettlementExceptionId,
        to owner: String?,
        by actor: String,
        as act: Uuid,
        of merchant: MerchantNumber
    ) async throws(StoreFailure) -> ExceptionStep {
        try await rows.assign(id, to: owner, by: actor, as: act, of: merchant)
    }

    func propose(
        _ verdict: ExceptionVerdict,
        for id: SettlementExceptionId,
        because reason: String,
        by actor: String,
        as act: Uuid,
        of merchant: MerchantNumber
    ) async throws(StoreFailure) -> ExceptionStep {
        try await rows.propose(verdict, for: id, because: reason, by: actor, as: act, of: merchant)
    }

    func approve(
        _ proposal: Int32,
        for id: SettlementExceptionId,
        by actor: String,
        as act: Uuid,
        of merchant: MerchantNumber
    ) async throws(StoreFailure) -> ExceptionStep {
        try await rows.approve(proposal, for: id, by: actor, as: act, of: merchant)
    }
}
