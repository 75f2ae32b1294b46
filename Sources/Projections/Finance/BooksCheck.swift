package import EventSourcing
import Kernel
package import Payments

/// Holds the movements of a log against the payments and bills that they come from: each sum of money is the sum of its movements.
package enum BooksCheck {
    /// What stands booked of one stream, in minor units of its currency.
    package struct Booked: Hashable, Sendable {
        package var movements: [MovementKind: Int64] = [:]
        /// By account of the ledger; a debit is above zero.
        package var postings: [String: Int64] = [:]
        /// Codes of the currencies that stand there.
        package var currencies: Set<String> = []

        package init() {}
    }

    /// A sum by two ways.
    private typealias Compared = (name: String, booked: Int64, fold: Int64)

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
        if stream.kind.isPayment {
            let payment: Payment = try FoldCache().fold(stream, History(history), behind: 0) { event, before, after in
                for movement in Movement.all(event, from: before, to: after) {
                    moved[movement.kind, default: 0] &+= movement.amount.minor
                }
            }
            return unequal(stream, sums(moved, payment))
        }
        guard stream.kind == .chunk else { return [] }
        var account: AccountFacts?
        let chunk: Chunk = try FoldCache().fold(stream, History(history), behind: 0) { event, before, after in
            account =
                account
                ?? after.head.map { AccountFacts(id: $0.account, name: "", provider: "", mode: .test, version: 0) }
            for movement in Movement.all(event, from: before, to: after, account: account) {
                moved[movement.kind, default: 0] &+= movement.amount.minor
            }
        }
        return unequal(stream, sums(moved, chunk))
    }

    /// What differs between one stream that is given whole and what stands booked of it, and what its accounts of the ledger come to.
    package static func differences(of stream: StreamName, _ history: [RecordedEvent], booked: Booked)
        throws(CodecFailure) -> (differences: [String], accounts: [String: Int64], currency: String)
    {
        let compared: [Compared]
        let accounts: [String: Int64]
        let currency: String
        if stream.kind.isPayment {
            let payment: Payment = try FoldCache().fold(stream, History(history), behind: 0) { _, _, _ in }
            compared = sums(booked.movements, payment)
            accounts = Self.accounts(payment, booked.movements)
            currency = payment.currency?.code ?? ""
        } else {
            let chunk: Chunk = try FoldCache().fold(stream, History(history), behind: 0) { _, _, _ in }
            compared = sums(booked.movements, chunk)
            let charged = chunk.tally?.charged.minor ?? 0
            accounts = ["provider": charged, "customers": -charged]
            currency = chunk.head?.currency.code ?? ""
        }
        let names = Set(accounts.keys).union(booked.postings.keys).sorted()
        let posted: [Compared] = names.map { ("account \($0)", booked.postings[$0] ?? 0, accounts[$0] ?? 0) }
        let strange = booked.currencies.subtracting([currency]).sorted().map {
            "\(stream) is booked in \($0), the stream is in \(currency)"
        }
        return (unequal(stream, compared + posted) + strange, accounts, currency)
    }

    private static func unequal(_ stream: StreamName, _ compared: [Compared]) -> [String] {
        compared.filter { $0.booked != $0.fold }.map {
            "\(stream) \($0.name): movements say \($0.booked), the stream \($0.fold)"
        }
    }

    private static func sums(_ moved: [MovementKind: Int64], _ chunk: Chunk) -> [Compared] {
        let (captured, refunded) = (moved[.captured, default: 0], moved[.refunded, default: 0])
        return [
            ("charged", captured &- refunded, chunk.tally?.charged.minor ?? 0),
            ("commission", moved[.payerCommission, default: 0], chunk.tally?.commission.minor ?? 0),
        ]
    }

    private static func sums(_ moved: [MovementKind: Int64], _ payment: Payment) -> [Compared] {
        func sum(_ kinds: MovementKind..., less: MovementKind...) -> Int64 {
            kinds.reduce(0) { $0 &+ moved[$1, default: 0] } &- less.reduce(0) { $0 &+ moved[$1, default: 0] }
        }
        let amounts = payment.amounts
        return [
            ("captured", sum(.captured), amounts.captured), ("transferred", sum(.transferred), amounts.transferred),
            ("refunded", max(0, sum(.refunded, less: .refundReversed)), amounts.refunded),
            ("authorised", sum(.authorised), amounts.authorized),
            ("held", sum(.authorised, less: .holdCaptured, .holdReleased, .holdExpired), amounts.held),
            ("disputed", sum(.disputed, less: .disputeWon, .disputeLost), amounts.disputed),
            ("chargedBack", sum(.disputeLost), amounts.chargedBack),
            ("fee", sum(.fee), own(payment.fee, payment)),
            ("commission", sum(.payerCommission), own(payment.commission, payment)),
        ]
    }

    private static func own(_ sum: Money?, _ payment: Payment) -> Int64 {
        sum?.currency == payment.currency ? sum?.minor ?? 0 : 0
    }

    /// What a payment's own sums make of each account of the ledger.
    ///
    /// Refunds that are taken back beyond what was given are in no sum of a payment: for them the movements speak.
    private static func accounts(_ payment: Payment, _ moved: [MovementKind: Int64]) -> [String: Int64] {
        let amounts = payment.amounts
        let beyond = min(0, moved[.refunded, default: 0] &- moved[.refundReversed, default: 0])
        let taken = amounts.captured &- amounts.refunded &- beyond
        let fee = own(payment.fee, payment)
        return [
            "provider": taken &- amounts.disputed &- amounts.chargedBack &- fee, "customers": -taken,
            "disputed": amounts.disputed, "chargebacks": amounts.chargedBack, "fees": fee,
            "authorised": amounts.held, "authorisedContra": -amounts.held, "passedOn": amounts.transferred,
            "passedOnContra": -amounts.transferred,
        ]
    }
}
