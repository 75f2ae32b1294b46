package import EventSourcing
import Kernel
import Payments
import Postgres
import Projections
import Schedules

/// The read model `movement`: every change of money, and the facts that rates are made of, followed by position; the ground of ledger and
/// reports.
package struct MovementView: FollowedView {
    package var follower: ViewFollower

    package init(_ store: PostgresStore, streamCache: any HistoryReader, folds: FoldCache) {
        follower = ViewFollower(
            store: store,
            streamCache: streamCache,
            folds: folds,
            name: "movement",
            version: Movement.version,
            kinds: StreamKind.allCases.filter { $0.isPayment || $0 == .chunk || $0 == .schedule },
            tables: ["movement", "fact"],
            counts: [
                ViewFollower.Table("delay_count", where: "cases <> 0"),
                ViewFollower.Table("money_count", where: "is_movement AND amount <> 0"),
            ],
            carriers: ("settlement_carry", "settlement_carried")
        )
    }

    package func write(_ page: ViewPage) async throws(StoreFailure) -> Bool {
        var movements: [Movement] = []
        var facts: [FinanceFact] = []
        let accounts = try await accounts(of: page)
        for stream in page.streams {
            try readable(stream.name) { () throws(CodecFailure) in
                if stream.name.kind == .chunk {
                    let _: Chunk = try stream.fold(follower.folds) { event, before, after in
                        let account = after.head.flatMap { accounts[$0.account] }
                        movements += Movement.all(event, from: before, to: after, account: account)
                    }
                } else if stream.name.kind == .schedule {
                    let _: Schedule = try stream.fold(follower.folds) { event, before, after in
                        let account = after.terms.flatMap { accounts[$0.account] }
                        facts += FinanceFact.all(event, from: before, to: after, account: account)
                    }
                } else {
                    let isTold = Movement.isTold(in: stream.history)
                    guard stream.events.contains(where: isTold) else { return }
                    let _: Payment = try stream.fold(follower.folds, where: isTold) { event, before, after in
                        movements += Movement.all(event, from: before, to: after)
                        facts += FinanceFact.all(event, from: before, to: after)
                    }
                }
            }
        }
        let parameters =
            [.int64(page.from), .int64(page.to), .int32(Movement.version)] + Self.columns(movements)
            + Self.columns(facts)
        return try await follower.store.write(
            "SELECT \(follower.schema).movement_apply(\(parameterMarks(parameters.count)))",
            parameters
        ) { row throws(PostgresFailure) in try row.bool(0) }.first ?? false
    }

    /// The accounts of a page's chunks and schedules: a provider and a mode, which an account keeps for good.
    private func accounts(of page: ViewPage) async throws(StoreFailure) -> [Uuid: AccountFacts] {
        var names: Set<StreamName> = []
        for stream in page.streams where stream.name.kind == .chunk || stream.name.kind == .schedule {
            guard let first = stream.history.first else { continue }
            // Its beginning names it.
            let account = try readable(stream.name) { () throws(CodecFailure) -> Uuid? in
                if stream.name.kind == .schedule {
                    var schedule = Schedule(id: ScheduleId(stream.name.id))
                    try schedule.evolve(CollectionOfOne(first))
                    return schedule.terms?.account
                }
                var chunk = Chunk(id: stream.name.id)
                try chunk.evolve(CollectionOfOne(first))
                return chunk.head?.account
            }
            if let account { names.insert(StreamName(stream.name.merchant, .account, account)) }
        }
        return try await follower.accounts(names)
    }

    private static func columns(_ movements: [Movement]) -> [PostgresValue] {
        [
            .int32s(movements) { $0.event.stream.merchant.value }, .uuids(movements) { $0.event.stream.id },
            .int32s(movements) { $0.event.version }, .int32s(movements) { Int32($0.number) },
            .int32s(movements) { Int32($0.event.stream.kind.rawValue) }, .int64s(movements) { $0.event.position },
            .texts(movements) { $0.kind.rawValue }, .int64s(movements) { $0.amount.minor },
            .texts(movements) { $0.amount.currency.code }, .int32s(movements) { $0.flow.items },
            .timestamps(movements) { $0.effectiveAt }, .timestamps(movements) { $0.event.recordedAt },
            .texts(movements) { $0.flow.key.part }, .texts(movements) { $0.flow.reference },
            .texts(movements) { $0.providerReference }, .texts(movements) { $0.reference },
            .texts(movements) { $0.customer }, .uuids(movements) { $0.account.id },
            .texts(movements) { $0.account.name },
            .texts(movements) { $0.account.mode.rawValue }, .texts(movements) { $0.account.provider },
            .texts(movements) { $0.method }, .texts(movements) { $0.country }, .texts(movements) { $0.flow.payee },
            .uuids(movements) { $0.schedule }, .uuids(movements) { $0.batch },
            .texts(movements) { $0.flow.evidence.rawValue }, .bools(movements) { $0.flow.isCommanded },
            .uuids(movements) { $0.event.cause }, .texts(movements) { $0.scheme },
        ]
    }

    private static func columns(_ facts: [FinanceFact]) -> [PostgresValue] {
        [
            .int32s(facts) { $0.event.stream.merchant.value }, .uuids(facts) { $0.event.stream.id },
            .int32s(facts) { $0.event.version }, .int32s(facts) { Int32($0.number) },
            .int32s(facts) { Int32($0.event.stream.kind.rawValue) }, .int64s(facts) { $0.event.position },
            .timestamps(facts) { $0.event.recordedAt }, .texts(facts) { $0.kind.rawValue }, .texts(facts) { $0.part },
            .int32s(facts) { $0.attempt.map { Int32(clamping: $0) } }, .texts(facts) { $0.declineClass },
            .texts(facts) { $0.declineCode }, .bools(facts) { $0.isFirst }, .bools(facts) { $0.isPaymentsFirst },
            .bools(facts) { $0.isLate }, .int32s(facts) { $0.items }, .int64s(facts) { $0.delay },
            .int64s(facts) { $0.amount?.minor }, .texts(facts) { $0.amount?.currency.code },
            .uuids(facts) { $0.account.id }, .texts(facts) { $0.account.name },
            .texts(facts) { $0.account.mode.rawValue }, .texts(facts) { $0.account.provider },
            .texts(facts) { $0.method }, .uuids(facts) { $0.schedule },
        ]
    }
}
