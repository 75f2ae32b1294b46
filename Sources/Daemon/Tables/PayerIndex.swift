import Engine
import EventSourcing
import Kernel
import Store

/// Writes down who gave which e-mail address, many at once; what was noted lately is not written again.
final class PayerIndex: Sendable {
    private static let kept = 20_000
    private static let batch = 64

    private let noted = Locked(GenerationCache<Uuid, [UInt8]>(capacity: PayerIndex.kept))
    private let batches: Batcher<NotedPayer, Bool>

    init(_ store: PostgresStore) {
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
        if noted.withLock({ $0.find(payer.subject) }) == payer.code { return true }
        guard await batches.submit(payer) == true else { return false }
        noted.withLock { $0.keep(payer.code, of: payer.subject) }
        return true
    }
}
