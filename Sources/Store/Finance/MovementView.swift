package import EventSourcing
import Kernel
import Payments
import Postgres
import Projections

/// The read model `movement`: every change of money, followed by position, the ground of ledger and reports.
package struct MovementView: FollowedView {
    package var follower: ViewFollower

    package init(_ store: PostgresStore, streamCache: any HistoryReader, folds: FoldCache) {
        follower = ViewFollower(
            store: store,
            streamCache: streamCache,
            folds: folds,
            name: "movement",
            version: Movement.version,
            kinds: StreamKind.allCases.filter { $0.isPayment || $0 == .chunk },
            tables: [ViewFollower.Table(name: "movement", key: "merchant, stream, version, number")]
        )
    }

    package func write(_ page: ViewPage) async throws(StoreFailure) -> Bool {
        var movements: [Movement] = []
        let accounts = try await accounts(of: page)
        for stream in page.streams {
            try readable(stream.name) { () throws(CodecFailure) in
                if stream.name.kind == .chunk {
                    let _: Chunk = try stream.fold(follower.folds) { event, before, after in
                        let account = after.head.flatMap { accounts[$0.account] }
                        movements += Movement.all(event, from: before, to: after, account: account)
                    }
                } else {
                    let mayMove = Movement.mayBe(in: stream.history)
                    guard stream.events.contains(where: mayMove) else { return }
                    let _: Payment = try stream.fold(follower.folds, where: mayMove) { event, before, after in
                        movements += Movement.all(event, from: before, to: after)
                    }
                }
            }
        }
        let parameters = [.int64(page.from), .int64(page.to), .int32(Movement.version)] + Self.columns(movements)
        return try await follower.store.write(
            "SELECT \(follower.schema).movement_apply(\(parameterMarks(parameters.count)))",
            parameters
        ) { row throws(PostgresFailure) in try row.bool(0) }.first ?? false
    }

    /// The accounts of a page's chunks: a provider and a mode, which an account keeps for good.
    private func accounts(of page: ViewPage) async throws(StoreFailure) -> [Uuid: AccountFacts] {
        var names: Set<StreamName> = []
        for stream in page.streams where stream.name.kind == .chunk {
            var chunk = Chunk(id: stream.name.id)
            // Its head is its beginning.
            guard let first = stream.history.first else { continue }
            try readable(stream.name) { () throws(CodecFailure) in try chunk.evolve(CollectionOfOne(first)) }
            if let head = chunk.head { names.insert(StreamName(stream.name.merchant, .account, head.account)) }
        }
        guard !names.isEmpty else { return [:] }
        let sorted = names.sorted()
        var known: [Uuid: AccountFacts] = [:]
        for (name, history) in zip(sorted, try await follower.store.load(sorted.map { ($0, 0) })) {
            known[name.id] = Account.fold(name.id, try history.read(AccountEvent.self)).facts
        }
        return known
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
            .uuids(movements) { $0.event.cause },
        ]
    }
}
