package import EventSourcing
import Kernel
import Payments

/// Holds the movements of a log against the payments and bills that they come from: each sum of money is the sum of its movements.
package enum BooksCheck {
    /// What differs in a whole log, in words.
    package static func differences(in log: [RecordedEvent]) throws(StoreFailure) -> [String] {
        var found: [String] = []
        for (stream, history) in Dictionary(grouping: log, by: \.stream).sorted(by: { $0.key < $1.key }) {
            do throws(CodecFailure) {
                found += try differences(of: stream, history)
            } catch {
                throw StoreFailure(.corrupt, detail: "\(stream) \(error.path)")
            }
        }
        return found
    }

    /// What differs in one stream that is given whole; a stream of another kind moves nothing.
    package static func differences(of stream: StreamName, _ history: [RecordedEvent]) throws(CodecFailure) -> [String]
    {
        var moved: [MovementKind: Int64] = [:]
        let told: [(name: String, movements: Int64, fold: Int64)]
        if stream.kind.isPayment {
            let payment: Payment = try FoldCache().fold(stream, History(history), behind: 0) { event, before, after in
                for movement in Movement.all(event, from: before, to: after) {
                    moved[movement.kind, default: 0] &+= movement.amount.minor
                }
            }
            told = sums(moved, payment)
        } else if stream.kind == .chunk {
            var account: AccountFacts?
            let chunk: Chunk = try FoldCache().fold(stream, History(history), behind: 0) { event, before, after in
                account =
                    account
                    ?? after.head.map {
                        AccountFacts(id: $0.account, name: "", provider: "", mode: .test, version: 0)
                    }
                for movement in Movement.all(event, from: before, to: after, account: account) {
                    moved[movement.kind, default: 0] &+= movement.amount.minor
                }
            }
            let (captured, refunded) = (moved[.captured, default: 0], moved[.refunded, default: 0])
            told = [
                ("charged", captured &- refunded, chunk.tally?.charged.minor ?? 0),
                ("commission", moved[.payerCommission, default: 0], chunk.tally?.commission.minor ?? 0),
            ]
        } else {
            return []
        }
        return told.filter { $0.movements != $0.fold }.map {
            "\(stream) \($0.name): movements say \($0.movements), the stream \($0.fold)"
        }
    }

    private static func sums(_ moved: [MovementKind: Int64], _ payment: Payment) -> [(String, Int64, Int64)] {
        func sum(_ kinds: MovementKind..., less: MovementKind...) -> Int64 {
            kinds.reduce(0) { $0 &+ moved[$1, default: 0] } &- less.reduce(0) { $0 &+ moved[$1, default: 0] }
        }
        func own(_ sum: Money?) -> Int64 { sum?.currency == payment.currency ? sum?.minor ?? 0 : 0 }
        let amounts = payment.amounts
        return [
            ("captured", sum(.captured), amounts.captured), ("transferred", sum(.transferred), amounts.transferred),
            ("refunded", max(0, sum(.refunded, less: .refundReversed)), amounts.refunded),
            ("authorised", sum(.authorised), amounts.authorized),
            ("held", sum(.authorised, less: .holdCaptured, .holdReleased, .holdExpired), amounts.held),
            ("disputed", sum(.disputed, less: .disputeWon, .disputeLost), amounts.disputed),
            ("chargedBack", sum(.disputeLost), amounts.chargedBack),
            ("fee", sum(.fee), own(payment.fee)), ("commission", sum(.payerCommission), own(payment.commission)),
        ]
    }
}
