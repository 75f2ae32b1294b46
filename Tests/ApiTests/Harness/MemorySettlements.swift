import Api
import EventSourcing
import Kernel
import Payments
import Projections
import Settlement

/// Settlement files in memory, read and not matched: what they come to is PostgreSQL's to tell.
final class MemorySettlements: SettlementTables {
    private let mappings = Locked<[Uuid: [SettlementMapping]]>([:])
    private let imported = Locked<[(merchant: MerchantNumber, id: SettlementFileId, json: Json, digest: [UInt8])]>([])

    func importFile(_ request: SettlementImport, as id: SettlementFileId, _ bytes: [UInt8]) async throws(StoreFailure)
        -> SettlementOutcome
    {
        let known = imported.withLock { $0.first { $0.merchant == request.merchant && $0.digest == request.digest } }
        if let known { return .known(known.id) }
        let totals: SettlementTotals
        do throws(SettlementFault) {
            var reader = try SettlementReader(request.mapping, contentBytes: request.contentBytes)
            _ = try reader.take(bytes)
            _ = try reader.end()
            totals = reader.totals
        } catch { return .refused(error) }
        let json: Json = [
            "object": "settlement_file", "id": .string("\(id)"), "account": .string(request.account.name),
            "digest": .string(Hex.encode(request.digest)), "mapping": 1, "from": "2026-11-21T00:00:00Z",
            "before": "2026-11-22T00:00:00Z", "lines": .integer(Int64(totals.lines)), "matched": 0, "repeated": 0,
            "exceptions": 0,
            "totals": totals.json, "position": 1, "importedAt": "2026-11-22T00:00:00Z",
        ]
        imported.withLock { $0.append((request.merchant, id, json, request.digest)) }
        return .imported(id)
    }

    func mapping(of account: Uuid, _: MerchantNumber) async throws(StoreFailure)
        -> (version: Int32, mapping: SettlementMapping)?
    {
        mappings.withLock { mappings in
            mappings[account].flatMap { kept in kept.last.map { (Int32(kept.count), $0) } }
        }
    }

    func keep(_ request: SettlementImport) async throws(StoreFailure) -> Int32? {
        guard request.mapping.zone != "Europe/Nowhere" else { return nil }
        return mappings.withLock { mappings in
            if mappings[request.account.id]?.last != request.mapping {
                mappings[request.account.id, default: []].append(request.mapping)
            }
            return Int32(mappings[request.account.id]?.count ?? 0)
        }
    }

    func files(of merchant: MerchantNumber, account _: Uuid?, behind _: PageCursor?, limit: Int)
        async throws(StoreFailure) -> RowPage
    { (imported.withLock { $0.filter { $0.merchant == merchant }.prefix(limit).map(\.json) }, nil) }

    func file(_ id: SettlementFileId, of merchant: MerchantNumber) async throws(StoreFailure) -> Json? {
        imported.withLock { $0.first { $0.merchant == merchant && $0.id == id }?.json }
    }

    /// An exception of everybody's that is open, and one that is resolved.
    static let open = SettlementExceptionId(Uuid(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0011))
    static let ended = SettlementExceptionId(Uuid(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0012))

    func exceptions(_: ExceptionQuery, of _: MerchantNumber) async throws(StoreFailure) -> RowPage { ([], nil) }

    func exception(_ id: SettlementExceptionId, of _: MerchantNumber) async throws(StoreFailure) -> Json? {
        guard id == Self.open || id == Self.ended else { return nil }
        return [
            "object": "settlement_exception", "id": .string("\(id)"), "class": "amount", "account": "ecommpay-eur",
            "amount": ["value": -5, "currency": "EUR"], "at": "2026-11-21T10:00:00Z", "since": "2026-11-22T00:00:00Z",
        ]
    }

    private func step(_ id: SettlementExceptionId) -> ExceptionStep {
        id == Self.open ? .ok : id == Self.ended ? .ended : .unknown
    }

    func assign(_ id: SettlementExceptionId, to _: String?, by _: String, as _: Uuid, of _: MerchantNumber)
        async throws(StoreFailure) -> ExceptionStep
    { step(id) }

    func propose(
        _: ExceptionVerdict,
        for id: SettlementExceptionId,
        because _: String,
        by _: String,
        as _: Uuid,
        of _: MerchantNumber
    ) async throws(StoreFailure) -> ExceptionStep { step(id) }

    func approve(_: Int32, for id: SettlementExceptionId, by _: String, as _: Uuid, of _: MerchantNumber)
        async throws(StoreFailure) -> ExceptionStep
    { step(id) }
}
