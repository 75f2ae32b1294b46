package import EventSourcing
package import Kernel
import Payments
import Postgres
package import Projections

/// The read model `payment_view`: followed by position, read by lists and searches.
package struct PaymentView: FollowedView {
    package var follower: ViewFollower

    package init(_ store: PostgresStore, streamCache: any HistoryReader, folds: FoldCache) {
        follower = ViewFollower(
            store: store,
            streamCache: streamCache,
            folds: folds,
            name: "payment_view",
            version: PaymentRow.version,
            kinds: StreamKind.allCases.filter(\.isPayment),
            tables: ["payment_view", "payment_label"],
            counts: [ViewFollower.Table("payment_count", where: "payments <> 0")]
        )
    }

    package func write(_ page: ViewPage) async throws(StoreFailure) -> Bool {
        var rows: [PaymentRow] = []
        for stream in page.streams {
            guard let first = stream.history.first, let last = stream.history.last else { continue }
            let payment: Payment = try readable(stream.name) { () throws(CodecFailure) in
                try follower.folds.fold(stream.name, stream.history)
            }
            if let row = PaymentRow(payment, first: first, last: last) { rows.append(row) }
        }
        let parameters: [PostgresValue] = [
            .int64(page.from), .int64(page.to), .int32(PaymentRow.version), .int32s(rows) { $0.merchant.value },
            .uuids(rows) { $0.id.uuid }, .int32s(rows) { $0.version }, .int64s(rows) { $0.position },
            .texts(rows) { $0.status.rawValue }, .texts(rows) { $0.currency?.code }, .int64s(rows) { $0.amount },
            .texts(rows) { $0.reference }, .texts(rows) { $0.customer }, .uuids(rows) { $0.account.id },
            .texts(rows) { $0.account.mode.rawValue }, .bools(rows) { $0.needsOperator },
            .bools(rows) { $0.hasObligations }, .timestamps(rows) { $0.createdAt },
            .timestamps(rows) { $0.updatedAt }, .jsons(rows) { $0.document },
            .int32s(rows) { Int32($0.kind.rawValue) }, .bools(rows) { $0.isDisputed },
            .texts(rows) { $0.account.provider }, .int64s(rows) { $0.amounts.captured },
            .int64s(rows) { $0.amounts.refunded }, .int64s(rows) { $0.amounts.transferred },
            .int64s(rows) { $0.amounts.held }, .int64s(rows) { $0.amounts.disputed },
            .int64s(rows) { $0.amounts.chargedBack }, .texts(rows) { $0.method.rawValue },
            .uuids(rows) { $0.instrument?.uuid },
            .texts(rows) { row in
                row.labels.isEmpty ? nil : "{\(row.labels.map(\.description).joined(separator: ","))}"
            },
        ]
        return try await follower.store.write(
            "SELECT \(follower.schema).payment_view_apply(\(parameterMarks(parameters.count)))",
            parameters
        ) { row throws(PostgresFailure) in try row.bool(0) }.first ?? false
    }
}

extension PaymentView {
    /// Rows newest first, behind the cursor; a page may hold fewer than it could where another follows.
    package func list(_ filter: PaymentQuery, merchant: MerchantNumber) async throws(StoreFailure)
        -> (rows: [Json], next: PageCursor?)
    { try await PaymentSearch.page(filter, follower.store, merchant) }

    /// One payment's row, and the position that it has come to.
    package func row(_ stream: StreamName) async throws(StoreFailure) -> Json? {
        try await follower.store.read(
            "SELECT document, pos FROM paystream.payment_view WHERE merchant = $1 AND id = $2 AND kind = $3",
            [.int32(stream.merchant.value), .uuid(stream.id), .int32(Int32(stream.kind.rawValue))]
        ) { row throws(PostgresFailure) -> Json? in
            guard case .object(var document)? = try? Json(try row.bytes(0)) else { return nil }
            document["position"] = .integer(try row.int64(1))
            return .object(document)
        }.first ?? nil
    }
}
