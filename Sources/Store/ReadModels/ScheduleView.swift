package import EventSourcing
package import Kernel
import Postgres
package import Projections
import Schedules

/// The read model `schedule_view`: recurring payments by state, next run, instrument and customer.
package struct ScheduleView: FollowedView {
    package var follower: ViewFollower

    /// Its states hold each occurrence, as those of decisions don't: so they have a cache of their own.
    package init(_ store: PostgresStore, streamCache: any HistoryReader) {
        follower = ViewFollower(
            store: store,
            streamCache: streamCache,
            folds: FoldCache(capacity: FoldCache.capacity / 4),
            name: "schedule_view",
            version: ScheduleRow.version,
            kinds: [.schedule],
            tables: ["schedule_view", "occurrence_view"]
        )
    }

    package func write(_ page: ViewPage) async throws(StoreFailure) -> Bool {
        var rows: [ScheduleRow] = []
        var occurrences: [Json] = []
        for stream in page.streams {
            let known: OccurrenceHistory = try readable(stream.name) { () throws(CodecFailure) in
                try follower.folds.fold(stream.name, stream.history)
            }
            guard let first = stream.history.first, let last = stream.history.last,
                let row = ScheduleRow(known.schedule, first: first, last: last)
            else { continue }
            rows.append(row)
            for record in known.records where record.version > stream.known {
                occurrences.append(record.row(stream.name))
            }
        }
        let parameters: [PostgresValue] = [
            .int64(page.from), .int64(page.to), .int32(ScheduleRow.version), .int32s(rows.map(\.merchant.value)),
            .uuids(rows.map(\.id.uuid)), .int32s(rows.map(\.version)), .int64s(rows.map(\.position)),
            .texts(rows.map(\.status.rawValue)), .timestamps(rows.map(\.nextAt)), .texts(rows.map(\.customer)),
            .uuids(rows.map { $0.instrument?.uuid }), .uuids(rows.map { $0.fallback?.uuid }),
            .uuids(rows.map(\.account)), .texts(rows.map(\.reference)), .texts(rows.map(\.kind.rawValue)),
            .texts(rows.map(\.runner.rawValue)), .texts(rows.map { $0.amount?.currency.code }),
            .int64s(rows.map { $0.amount?.minor }), .int64s(rows.map(\.collected)), .int32s(rows.map(\.paid)),
            .timestamps(rows.map(\.createdAt)), .timestamps(rows.map(\.updatedAt)),
            .jsons(rows.map(\.document.canonical)), .json(Json.array(occurrences).canonical),
        ]
        return try await follower.store.write(
            "SELECT \(follower.schema).schedule_view_apply(\(parameterMarks(parameters.count)))",
            parameters
        ) { row throws(PostgresFailure) in try row.bool(0) }.first ?? false
    }

    // MARK: Reading

    /// Schedules of all merchants that are not over and whose rule lies in a zone.
    package func planned(inZone name: String) async throws(StoreFailure) -> [StreamName] {
        try await planned("document -> 'rule' ->> 'zone' = $1", name)
    }

    /// The same by the business calendar that their rule names.
    package func planned(byCalendar name: String) async throws(StoreFailure) -> [StreamName] {
        try await planned("document -> 'rule' -> 'businessDays' ->> 'calendar' = $1", name)
    }

    private func planned(_ condition: String, _ value: String) async throws(StoreFailure) -> [StreamName] {
        try await follower.store.read(
            """
            SELECT merchant, id FROM paystream.schedule_view
             WHERE status IN ('registered', 'active', 'paused') AND \(condition) ORDER BY merchant, id
            """,
            [.text(value)]
        ) { row throws(PostgresFailure) in
            StreamName(MerchantNumber(try row.int32(0)), .schedule, try row.uuid(1))
        }
    }

    /// Rows newest first, or those that wait for a moment, the soonest first; behind the cursor.
    package func schedules(_ filter: ScheduleQuery, merchant: MerchantNumber) async throws(StoreFailure)
        -> (rows: [Json], next: PageCursor?)
    {
        var list: ViewList
        switch filter.order {
        case .newest: list = ViewList("schedule_view", merchant, .newest("created_at"))
        case .nextRun:
            list = ViewList("schedule_view", merchant, .soonest("next_at"))
            list.add("next_at IS NOT NULL")
        }
        list.add("status = ?", filter.status.map { .text($0.rawValue) })
        list.add("customer = ?", filter.customer.map { .text($0) })
        list.add("(instrument = ? OR fallback = ?)", filter.instrument.map { .uuid($0.uuid) })
        list.add("account = ?", filter.account.map { .uuid($0) })
        list.add("reference = ?", filter.reference.map { .text($0) })
        list.add("next_at >= ?", filter.nextFrom.map { .timestamp($0) })
        list.add("next_at < ?", filter.nextBefore.map { .timestamp($0) })
        return try await list.page(follower.store, behind: filter.cursor, limit: filter.limit)
    }
}

extension OccurrenceRecord {
    /// The row as the function takes it.
    fileprivate func row(_ stream: StreamName) -> Json {
        var row = JsonObject([
            ("merchant", .integer(Int64(stream.merchant.value))), ("schedule", stream.id.json),
            ("ordinal", .integer(Int64(ordinal))), ("version", .integer(Int64(version))),
            ("state", .string(state.rawValue)), ("attempts", .integer(Int64(tries.count))), ("document", json),
        ])
        row["date"] = plan.map { .string($0.date.text) }
        row["due_at"] = plan?.dueAt.json
        row["start_at"] = startAt?.json
        row["currency"] = amount.map { .string($0.currency.code) }
        row["amount"] = amount.map { .integer($0.minor) }
        row["payment"] = payment?.uuid.json
        row["ended_at"] = endedAt?.json
        row["reason"] = reason.map(Json.string)
        row["policy"] = policy.map { .string($0.name) }
        row["policy_version"] = policy.map { .integer(Int64($0.version)) }
        return .object(row)
    }
}
