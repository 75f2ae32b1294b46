package import EventSourcing
package import Kernel
package import Postgres

extension PostgresStore: EventStore {
    package func commit(_ units: [CommitUnit], epoch: RecoveryEpoch?) async throws(StoreFailure) -> [CommitOutcome] {
        precondition(Set(units.map(\.stream)).count == units.count, "at most one unit per stream and call")
        var outcomes = [CommitOutcome?](repeating: nil, count: units.count)
        for round in Self.rounds(units) {
            let results = try await commitTogether(round.map { units[$0] }, epoch)
            for (index, outcome) in zip(round, results) { outcomes[index] = outcome }
        }
        return outcomes.compactMap { $0 }
    }

    /// Sorts the units by stream and parts those that share an input or a reference: the later meets the earlier's rows.
    ///
    /// Nearly always one round.
    static func rounds(_ units: [CommitUnit]) -> [[Int]] {
        var waiting = units.indices.sorted { units[$0].stream < units[$1].stream }
        var rounds: [[Int]] = []
        while !waiting.isEmpty {
            var inputs: Set<MerchantKey> = []
            var references: Set<MerchantReference> = []
            var round: [Int] = []
            var later: [Int] = []
            for index in waiting {
                let unit = units[index]
                let merchant = unit.stream.merchant
                let key = MerchantKey(merchant: merchant, id: unit.input.id)
                let own = Set(unit.references.map { MerchantReference(merchant: merchant, reference: $0) })
                guard !inputs.contains(key), references.isDisjoint(with: own) else {
                    later.append(index)
                    continue
                }
                inputs.insert(key)
                references.formUnion(own)
                round.append(index)
            }
            rounds.append(round)
            waiting = later
        }
        return rounds
    }

    /// The commit as a statement, for a transaction of the caller's own; its values come from `commitValues`.
    package static let commitCall = "SELECT * FROM paystream.commit(\(parameterMarks(48)))"

    /// The parameters of `commitCall`: units sorted by stream, with no input and no reference twice.
    package static func commitValues(_ units: [CommitUnit], epoch: RecoveryEpoch? = nil) -> [PostgresValue] {
        values(CommitColumns(units), epoch)
    }

    private static func values(_ columns: CommitColumns, _ epoch: RecoveryEpoch?) -> [PostgresValue] {
        [.timestamp(epoch?.begunAt)] + columns.values
    }

    private func commitTogether(_ units: [CommitUnit], _ epoch: RecoveryEpoch?) async throws(StoreFailure)
        -> [CommitOutcome]
    {
        let columns = CommitColumns(units)
        let references = columns.referenceList
        let answers = try await write(Self.commitCall, Self.values(columns, epoch)) { row throws(PostgresFailure) in
            Answer(
                code: try row.int32(0),
                version: try row.int32(1),
                position: try row.optional(2) { row, column throws(PostgresFailure) in try row.int64(column) },
                reference: try row.optional(3) { row, column throws(PostgresFailure) in try row.int32(column) },
                owner: try row.optional(4) { row, column throws(PostgresFailure) in try row.uuid(column) },
                ownerKind: try row.optional(5) { row, column throws(PostgresFailure) in try row.int16(column) },
                at: try row.timestamp(6),
                places: try row.int64s(7),
                fences: try row.int64s(8)
            )
        }
        guard answers.count == units.count else {
            throw StoreFailure(.corrupt, detail: "\(answers.count) answers for \(units.count) units")
        }
        var outcomes: [CommitOutcome] = []
        for (answer, unit) in zip(answers, units) {
            outcomes.append(try answer.outcome(of: unit, references: references))
        }
        return outcomes
    }

    package func admit(_ inputs: [InputRecord]) async throws(StoreFailure) -> [Bool] {
        guard !inputs.isEmpty else { return [] }
        let sql = "SELECT * FROM paystream.admit(\(parameterMarks(9)))"
        let fresh = try await write(sql, InputRecord.columns(inputs)) { row throws(PostgresFailure) in
            MerchantKey(merchant: MerchantNumber(try row.int32(0)), id: try row.uuid(1))
        }
        var left = Set(fresh)
        return inputs.map { left.remove(MerchantKey(merchant: $0.stream.merchant, id: $0.id)) != nil }
    }

    /// The version of a stream's newest event; 0 where there is none.
    package func version(of stream: StreamName) async throws(StoreFailure) -> Int32 {
        try await read(
            "SELECT ver FROM paystream.stream WHERE merchant = $1 AND id = $2",
            [.int32(stream.merchant.value), .uuid(stream.id)]
        ) { row throws(PostgresFailure) in try row.int32(0) }.first ?? 0
    }

    package func load(_ streams: [(name: StreamName, after: Int32)], atMost count: Int) async throws(StoreFailure)
        -> [[RecordedEvent]]
    {
        guard !streams.isEmpty else { return [] }
        let names = streams.map(\.name)
        let rows = try await read(
            "SELECT unit, ver, pos, type, cause, at, data, kind FROM paystream.load_streams($1, $2, $3, $4, $5)",
            [
                .int32s(names.map(\.merchant.value)), .int32s(names.map { Int32($0.kind.rawValue) }),
                .uuids(names.map(\.id)), .int32s(streams.map(\.after)), .int32(Int32(clamping: count)),
            ]
        ) { row throws(PostgresFailure) in
            let unit = Int(try row.int32(0)) - 1
            let event = RecordedEvent(
                stream: StreamName(names[unit].merchant, try row.streamKind(7), names[unit].id),
                version: try row.int32(1),
                position: try row.int64(2),
                type: try row.text(3),
                cause: try row.uuid(4),
                recordedAt: try row.timestamp(5),
                data: try row.bytes(6)
            )
            return (unit, event)
        }
        var out = [[RecordedEvent]](repeating: [], count: streams.count)
        for (unit, event) in rows { out[unit].append(event) }
        return out
    }

    package func inputs(_ named: [(id: Uuid, merchant: MerchantNumber)]) async throws(StoreFailure) -> [InputRecord] {
        let sql = """
            SELECT merchant, stream_kind, stream, id, kind, name, meta, body, received_at
              FROM unnest($1::int[], $2::uuid[]) AS named (merchant, id) JOIN paystream.input USING (merchant, id)
            """
        let values: [PostgresValue] = [.int32s(named) { $0.merchant.value }, .uuids(named) { $0.id }]
        return try await read(sql, values) { row throws(PostgresFailure) in
            try row.input(at: 3, of: try row.stream(at: 0))
        }
    }

    package func decision(_ input: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> RecordedDecision? {
        let sql = "SELECT \(Self.decisionColumns) FROM paystream.decision WHERE merchant = $1 AND input = $2"
        return try await read(sql, [.int32(merchant.value), .uuid(input)]) { row throws(PostgresFailure) in
            try row.decision()
        }.first
    }

    package func command(_ input: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> KnownCommand? {
        let sql = """
            SELECT mac, stream_kind, stream, version FROM paystream.idempotency
             WHERE merchant = $1 AND input = $2 AND version IS NOT NULL
            """
        return try await read(sql, [.int32(merchant.value), .uuid(input)]) { row throws(PostgresFailure) in
            KnownCommand(
                mac: try row.bytes(0),
                stream: try row.stream(merchant, kind: 1, id: 2),
                version: try row.int32(3)
            )
        }.first
    }

    package func resolve(_ references: [Reference], merchant: MerchantNumber) async throws(StoreFailure)
        -> [Reference: StreamName]
    {
        // Each by the index of its own, whatever the planner takes so many for.
        let sql = """
            SELECT w.number - 1, r.stream_kind, r.stream
              FROM unnest($2::uuid[], $3::text[], $4::text[]) WITH ORDINALITY AS w (account, kind, value, number)
             CROSS JOIN LATERAL (
                   SELECT stream_kind, stream FROM paystream.reference f
                    WHERE f.merchant = $1 AND f.account = w.account AND f.kind = w.kind AND f.value = w.value LIMIT 1) r
            """
        let keys: [PostgresValue] = [
            .int32(merchant.value), .uuids(references.map(\.account)), .texts(references.map(\.kind)),
            .texts(references.map(\.value)),
        ]
        let rows = try await read(sql, keys) { row throws(PostgresFailure) in
            (references[Int(try row.int64(0))], try row.stream(merchant, kind: 1, id: 2))
        }
        return Dictionary(rows) { first, _ in first }
    }

    package func awaits(_ stream: StreamName, _ names: [String], before input: Uuid?) async throws(StoreFailure) -> Bool
    {
        let sql = "SELECT paystream.awaits_mail($1, $2, $3, $4)"
        let values: [PostgresValue] = [
            .int32(stream.merchant.value), .uuid(stream.id), .texts(names), .uuid(input),
        ]
        return try await read(sql, values) { row throws(PostgresFailure) in try row.bool(0) }.first ?? false
    }
}

/// One row of what `paystream.commit` answers.
private struct Answer: Sendable {
    let code: Int32
    let version: Int32
    let position: Int64?
    let reference: Int32?
    let owner: Uuid?
    let ownerKind: Int16?
    let at: Timestamp
    /// The positions of the unit's events.
    let places: [Int64]
    /// The fences of the messages that the unit created.
    let fences: [Int64]

    func outcome(of unit: CommitUnit, references: [Reference]) throws(StoreFailure) -> CommitOutcome {
        switch code {
        case 0:
            if let position, places.count == unit.events.count, let ready = ready(unit) {
                return .committed(version: version, position: position, events: recorded(unit), ready: ready)
            }
        case 1: return .duplicate(version: version)
        case 2: return .conflict(version: version)
        case 3: return .busy
        case 4: return .fenced
        case 5:
            if let reference, references.indices.contains(Int(reference) - 1), let owner,
                let kind = ownerKind.flatMap({ StreamKind(rawValue: $0) })
            {
                let stream = StreamName(unit.stream.merchant, kind, owner)
                return .referenceTaken(references[Int(reference) - 1], by: stream)
            }
        case 6: if let kind = ownerKind.flatMap({ StreamKind(rawValue: $0) }) { return .foreign(kind) }
        default: break
        }
        throw StoreFailure(.corrupt, detail: "a commit answered \(code), which this version does not know")
    }

    /// The messages that the unit created, under their fences.
    private func ready(_ unit: CommitUnit) -> [LeasedEffect]? {
        let created = unit.effects.net.compactMap { if case .create(let effect) = $0 { effect } else { nil } }
        guard created.count == fences.count else { return nil }
        return zip(created, fences).map { effect, fence in
            LeasedEffect(
                lease: EffectLease(stream: unit.stream, id: effect.id, fence: fence),
                effect: effect,
                leaseUntil: effect.notBefore
            )
        }
    }

    private func recorded(_ unit: CommitUnit) -> [RecordedEvent] {
        zip(unit.events, places).enumerated().map { index, pair in
            RecordedEvent(
                stream: unit.stream,
                version: unit.record.baseVersion + Int32(index) + 1,
                position: pair.1,
                type: pair.0.type,
                cause: unit.input.id,
                recordedAt: at,
                data: pair.0.data
            )
        }
    }
}

/// An id inside one merchant, as every key of the store is.
struct MerchantKey: Hashable, Sendable {
    let merchant: MerchantNumber
    let id: Uuid
}

/// A reference inside one merchant.
struct MerchantReference: Hashable, Sendable {
    let merchant: MerchantNumber
    let reference: Reference
}
