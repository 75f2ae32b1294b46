import Engine
import EventSourcing
import Kernel
import Store

/// Writes down who gave which e-mail address, many at once; what was noted lately is not written again.
final class PayerIndex: Sendable {
    private static let kept = 20_000
    private static let batch = 64

    private let epoch: @Sendable () async throws(StoreFailure) -> RecoveryEpoch?
    private let noted: EpochCache<Uuid, [UInt8]>
    private let batches: Batcher<NotedPayer, Bool>

    init(_ store: PostgresStore, epoch: @escaping @Sendable () async throws(StoreFailure) -> RecoveryEpoch?) {
        self.epoch = epoch
        noted = EpochCache(capacity: Self.kept, epoch: epoch)
        let rows = PayerRows(store)
        batches = Batcher(limit: Self.batch, lanes: 1) { payers in
            do throws(StoreFailure) {
                try await rows.note(
                    payers.map(\.merchant),
                    codes: payers.map(\.code),
                    subjects: payers.map(\.subject),
                    customers: payers.map(\.customer),
                    payments: payers.map(\.payment)
                )
                return payers.map { _ in true }
            } catch {
                return payers.map { _ in false }
            }
        }
    }

    /// Answers once it is written; false where it can't be.
    func note(_ payer: NotedPayer) async -> Bool {
        do throws(StoreFailure) {
            let epoch = try await epoch()
            if try await noted.value(of: payer.subject, { nil }) == payer.code { return true }
            guard await batches.submit(payer) == true else { return false }
            noted.keep(payer.code, of: payer.subject, in: epoch)
            return true
        } catch {
            return false
        }
    }
}
