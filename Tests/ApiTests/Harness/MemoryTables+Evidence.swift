import EventSourcing
import Kernel
import Payments
import Projections

/// Files about disputes, in memory.
extension MemoryTables {
    func keep(_ evidence: DisputeEvidence, content: Json, of _: MerchantNumber) async throws(StoreFailure)
        -> DisputeEvidence?
    {
        files.withLock { files in
            let own = files.map(\.evidence).filter { $0.dispute == evidence.dispute }
            if let known = own.first(where: { $0.digest == evidence.digest }) { return known }
            guard own.count < DisputeEvidence.perDispute else { return nil }
            files.append((evidence, content))
            return evidence
        }
    }

    func evidence(of dispute: DisputeId, _: MerchantNumber) async throws(StoreFailure) -> [DisputeEvidence] {
        files.withLock { $0.map(\.evidence).filter { $0.dispute == dispute } }
    }

    func evidence(_ id: Uuid, of dispute: DisputeId, _: MerchantNumber) async throws(StoreFailure)
        -> (evidence: DisputeEvidence, content: Json)?
    {
        files.withLock { files in files.first { $0.evidence.id == id && $0.evidence.dispute == dispute } }
    }
}
