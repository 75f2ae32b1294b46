package import EventSourcing
package import Kernel
import Postgres

extension PostgresStore: WorkQueue {
    package func now() async throws(StoreFailure) -> Timestamp {
        let rows = try await read("SELECT clock_timestamp()") { row throws(PostgresFailure) in try row.timestamp(0) }
        guard let now = rows.first else { throw StoreFailure(.corrupt, detail: "no clock") }
        return now
    }

    package func claimMail(owner: String, lease: Duration, done: [MailLease], after: MerchantNumber)
        async throws(StoreFailure) -> [MailLease]
    {
        try await write(
            "SELECT merchant, stream_kind, stream, fence, attempts FROM paystream.claim_mail($1, $2, $3, $4, $5, $6)",
            [.text(owner), .int64(lease.wholeMicroseconds)] + done.columns + [.int32(after.value)]
        ) { row throws(PostgresFailure) in
            MailLease(stream: try row.stream(at: 0), fence: try row.int64(3), attempts: try row.int32(4))
        }
    }

    package func undecided(_ leases: [MailLease], limit: Int) async throws(StoreFailure) -> [[InputRecord]] {
        guard !leases.isEmpty else { return [] }
        let sql = """
            SELECT unit, id, kind, name, meta, body, received_at FROM paystream.read_undecided($1, $2, $3, $4)
            """
        let rows = try await read(sql, leases.columns + [.int32(Int32(clamping: limit))]) {
            row throws(PostgresFailure) in
            let unit = Int(try row.int32(0)) - 1
            return (unit, try row.input(at: 1, of: leases[unit].stream))
        }
        var out = [[InputRecord]](repeating: [], count: leases.count)
        for (unit, input) in rows { out[unit].append(input) }
        return out
    }

    package func suspect(_ leases: [MailLease]) async throws(StoreFailure) {
        guard !leases.isEmpty else { return }
        try await write(
            "SELECT FROM paystream.suspect_mail($1, $2, $3, $4)",
            leases.columns + [.int32s(leases.map(\.attempts))]
        )
    }

    package func release(_ leases: [MailLease], after delay: Duration) async throws(StoreFailure) {
        guard !leases.isEmpty else { return }
        try await write(
            "SELECT FROM paystream.release_mail($1, $2, $3, $4)",
            leases.columns + [.int64(delay.wholeMicroseconds)]
        )
    }

    package func quarantine(_ input: Uuid, lease: MailLease, reason: String) async throws(StoreFailure) {
        try await write(
            "SELECT FROM paystream.quarantine_input($1, $2, $3, $4, $5)",
            [
                .int32(lease.stream.merchant.value), .uuid(lease.stream.id), .int64(lease.fence), .uuid(input),
                .text(reason),
            ]
        )
    }

    package func dueTimers(limit: Int, after: MerchantNumber) async throws(StoreFailure) -> [DueTimer] {
        try await read(
            "SELECT merchant, stream_kind, stream, clock, at FROM paystream.due_timers($1, $2)",
            [.int32(Int32(clamping: limit)), .int32(after.value)]
        ) { row throws(PostgresFailure) in
            let clock: DueTimer.Clock = try row.int32(3) == 0 ? .machine : .business
            return DueTimer(stream: try row.stream(at: 0), clock: clock, at: try row.timestamp(4))
        }
    }

    package func fire(_ timers: [(timer: DueTimer, input: InputRecord)]) async throws(StoreFailure) {
        guard !timers.isEmpty else { return }
        try await write(
            "SELECT FROM paystream.fire_timers(\(parameterMarks(11)))",
            [
                .int32s(timers.map { Int32($0.timer.clock.rawValue) }),
                .timestamps(timers.map(\.timer.at)),
            ] + InputRecord.columns(timers.map(\.input))
        )
    }

    package func claimEffects(owner: String, lease: Duration, _ wish: EffectWish) async throws(StoreFailure)
        -> [LeasedEffect]
    {
        let sql = """
            SELECT merchant, stream_kind, stream, id, fence, account, ordinal, template, not_before, send_before,
                   deadline_us, lease_until
              FROM paystream.claim_effects(\(parameterMarks(8)))
            """
        let rooms = Array(wish.rooms)
        let values: [PostgresValue] = [
            .text(owner), .int64(lease.wholeMicroseconds), .int32(Int32(clamping: wish.most)),
            .int32(Int32(clamping: wish.room)), .uuids(rooms.map(\.key)),
            .int32s(rooms.map { Int32(clamping: $0.value) }), .uuid(wish.after), .int32s(wish.full.map(\.value)),
        ]
        return try await write(sql, values) { row throws(PostgresFailure) in
            let id = try row.uuid(3)
            let lease = EffectLease(stream: try row.stream(at: 0), id: id, fence: try row.int64(4))
            let effect = NewEffect(
                id: id,
                account: try row.uuid(5),
                ordinal: try row.int32(6),
                template: try row.bytes(7),
                notBefore: try row.timestamp(8),
                sendBefore: try row.timestamp(9),
                deadline: .microseconds(try row.int64(10))
            )
            return LeasedEffect(lease: lease, effect: effect, leaseUntil: try row.timestamp(11))
        }
    }

    package func pace(
        _ leases: [EffectLease],
        account: Uuid,
        spacing: Duration,
        burst: Int64
    ) async throws(StoreFailure) -> [Bool] {
        guard let merchant = leases.first?.stream.merchant else { return [] }
        let passed = try await write(
            "SELECT unit FROM paystream.pace_effects($1, $2, $3, $4, $5, $6)",
            [
                .int32(merchant.value), .uuid(account), .uuids(leases.map(\.id)), .int64s(leases.map(\.fence)),
                .int64(spacing.wholeMicroseconds), .int32(Int32(clamping: burst)),
            ]
        ) { row throws(PostgresFailure) in Int(try row.int32(0)) - 1 }
        var mayLeave = [Bool](repeating: false, count: leases.count)
        for unit in passed { mayLeave[unit] = true }
        return mayLeave
    }

    package func giveBack(_ leases: [EffectLease]) async throws(StoreFailure) {
        guard !leases.isEmpty else { return }
        _ = try await write(
            "SELECT paystream.give_back_effects($1, $2, $3)",
            [.int32s(leases.map(\.stream.merchant.value)), .uuids(leases.map(\.id)), .int64s(leases.map(\.fence))]
        ) { _ throws(PostgresFailure) in () }
    }

    package func markSending(_ leases: [EffectLease], margin: Duration) async throws(StoreFailure) -> [Bool] {
        guard !leases.isEmpty else { return [] }
        let taken = try await write(
            "SELECT unit FROM paystream.mark_sending($1, $2, $3, $4)",
            [
                .int32s(leases.map(\.stream.merchant.value)), .uuids(leases.map(\.id)), .int64s(leases.map(\.fence)),
                .int64(margin.wholeMicroseconds),
            ]
        ) { row throws(PostgresFailure) in Int(try row.int32(0)) - 1 }
        var marks = [Bool](repeating: false, count: leases.count)
        for unit in taken { marks[unit] = true }
        return marks
    }

    package func observe(_ observations: [(lease: EffectLease, input: InputRecord)]) async throws(StoreFailure) {
        guard !observations.isEmpty else { return }
        try await write(
            "SELECT FROM paystream.observe(\(parameterMarks(12)))",
            [
                .int32s(observations.map(\.lease.stream.merchant.value)), .uuids(observations.map(\.lease.id)),
                .int64s(observations.map(\.lease.fence)),
            ] + InputRecord.columns(observations.map(\.input))
        )
    }

    package func reclaimEffects() async throws(StoreFailure) -> Int {
        let rows = try await write("SELECT paystream.reclaim_effects()", []) { row throws(PostgresFailure) in
            Int(try row.int32(0))
        }
        return rows.first ?? 0
    }

    package func lostEffects(grace: Duration, limit: Int) async throws(StoreFailure) -> [LostEffect] {
        let sql = "SELECT \(Self.lostColumns) FROM paystream.lost_effects($1)"
        let lost = try await read(sql, [.int64(grace.wholeMicroseconds)]) { row throws(PostgresFailure) in
            try row.lostEffect()
        }
        return Array(lost.prefix(limit))
    }

    package func expiredEffects(limit: Int) async throws(StoreFailure) -> [LostEffect] {
        let sql = "SELECT \(Self.lostColumns) FROM paystream.expired_effects()"
        let expired = try await read(sql) { row throws(PostgresFailure) in try row.lostEffect() }
        return Array(expired.prefix(limit))
    }

    private static let lostColumns = "merchant, stream_kind, stream, id, fence, ordinal, account"
}

extension [MailLease] {
    fileprivate var columns: [PostgresValue] {
        [.int32s(map(\.stream.merchant.value)), .uuids(map(\.stream.id)), .int64s(map(\.fence))]
    }
}

extension PostgresRow {
    fileprivate func lostEffect() throws(PostgresFailure) -> LostEffect {
        LostEffect(
            lease: EffectLease(stream: try stream(at: 0), id: try uuid(3), fence: try int64(4)),
            ordinal: try int32(5),
            account: try uuid(6)
        )
    }
}
