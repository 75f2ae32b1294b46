package import EventSourcing
import Kernel
import Payments
import Postgres
package import Projections
import Settlement

/// Imports settlement files: reads them by their mapping and keeps them in one transaction, whole or not at all.
package struct SettlementImporter: Sendable {
    /// What of a file was read so far.
    package struct Progress: Hashable, Sendable {
        package let bytes: Int64
        package let lines: Int
        /// Whether everything is read, and what is left is to match it.
        package let isRead: Bool
    }

    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// Imports the file that `next` gives piece by piece; it is called on the connection's thread, and `nil` ends the file.
    ///
    /// Other imports of the account wait. Pieces of some KiB keep memory flat.
    package func run(
        _ request: SettlementImport,
        as id: SettlementFileId,
        next: @escaping @Sendable () -> [UInt8]?,
        progress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) async throws(StoreFailure) -> SettlementOutcome {
        let end = Locked<SettlementOutcome?>(nil)
        do throws(PostgresFailure) {
            return try await store.pool.transaction { connection async throws(PostgresFailure) in
                let work = ImportWork(request: request, id: id, progress: progress)
                let outcome = try await work.run(on: connection, next)
                // What changes nothing is rolled back.
                guard case .imported = outcome else {
                    end.withLock { $0 = outcome }
                    throw PostgresFailure(.refused, detail: "nothing is imported")
                }
                return outcome
            }
        } catch {
            if let outcome = end.withLock({ $0 }) { return outcome }
            switch error.sqlState?.text {
            case "PS040": return .outsidePeriod
            case "PS041": return .correctsNothing
            default: throw StoreFailure(error, mayHaveCommitted: true)
            }
        }
    }
}

/// Why an import ends early.
private enum ImportStop: Error {
    case fault(SettlementFault)
    case failure(PostgresFailure)

    static func fault<Value>(_ body: () throws(SettlementFault) -> Value) throws(ImportStop) -> Value {
        do throws(SettlementFault) { return try body() } catch { throw .fault(error) }
    }

    static func failure<Value>(_ body: () async throws(PostgresFailure) -> Value) async throws(ImportStop) -> Value {
        do throws(PostgresFailure) { return try await body() } catch { throw .failure(error) }
    }
}

/// One import on its connection.
private struct ImportWork {
    let request: SettlementImport
    let id: SettlementFileId
    let progress: @Sendable (SettlementImporter.Progress) -> Void

    /// How long one statement of an import may take, which looks at every line, and the memory of each of its sorts.
    private var settings: String {
        "SET LOCAL statement_timeout = '\(request.statementSeconds)s'; SET LOCAL work_mem = '64MB'"
    }

    private var merchant: PostgresValue { .int32(request.merchant.value) }
    private var account: PostgresValue { .uuid(request.account.id) }

    func run(on connection: isolated PostgresConnection, _ next: () -> [UInt8]?) async throws(PostgresFailure)
        -> SettlementOutcome
    {
        try await connection.script(settings)
        let zones = try await connection.query(
            "SELECT EXISTS (SELECT FROM pg_timezone_names z WHERE z.name = $1)",
            [.text(request.mapping.zone)]
        ) { row throws(PostgresFailure) in try row.bool(0) }
        guard zones == [true] else { return .zoneUnknown }
        let (mapping, known, isElsewhere) = try await begin(on: connection)
        if let known {
            return isElsewhere ? .standsElsewhere(SettlementFileId(known)) : .known(SettlementFileId(known))
        }
        do throws(ImportStop) {
            let totals = try await read(on: connection, next)
            try await ImportStop.failure { () async throws(PostgresFailure) in
                try await finish(on: connection, mapping, totals)
            }
            return .imported(id)
        } catch {
            switch error {
            case .fault(let fault): return .refused(fault)
            case .failure(let failure): throw failure
            }
        }
    }

    private func begin(on connection: isolated PostgresConnection) async throws(PostgresFailure) -> (Int32, Uuid?, Bool)
    {
        let begun = try await connection.query(
            "SELECT mapping, known, is_apart FROM paystream.settlement_begin(\(parameterMarks(11)), $12::text::date, $13::text::date, $14)",
            request.beginning(to: request.isMappingOnce ? "once" : "follow")
                + [.text(request.period?.first), .text(request.period?.end), .bool(request.isAlone)]
        ) { row throws(PostgresFailure) in
            let known = try row.optional(1) { row, column throws(PostgresFailure) in try row.uuid(column) }
            return (try row.int32(0), known, try row.bool(2))
        }
        guard let first = begun.first else { throw PostgresFailure(.decode, detail: "an import did not begin") }
        return first
    }

    /// Reads the file and keeps its lines.
    private func read(on connection: isolated PostgresConnection, _ next: () -> [UInt8]?) async throws(ImportStop)
        -> SettlementTotals
    {
        var reader = try newReader()
        var lines: [SettlementLine] = []
        var bytes: Int64 = 0
        while let piece = next() {
            bytes += Int64(piece.count)
            guard bytes <= SettlementLimits.fileBytes else { throw .fault(SettlementFault(.fileTooLarge)) }
            do throws(SettlementFault) { lines += try reader.take(piece) } catch { throw .fault(error) }
            guard lines.count >= SettlementLimits.batchLines else { continue }
            try await keep(lines, on: connection)
            lines.removeAll(keepingCapacity: true)
            progress(SettlementImporter.Progress(bytes: bytes, lines: reader.totals.lines, isRead: false))
        }
        do throws(SettlementFault) { lines += try reader.end() } catch { throw .fault(error) }
        if !lines.isEmpty { try await keep(lines, on: connection) }
        progress(SettlementImporter.Progress(bytes: bytes, lines: reader.totals.lines, isRead: true))
        return reader.totals
    }

    private func newReader() throws(ImportStop) -> SettlementReader {
        do throws(SettlementFault) {
            return try SettlementReader(
                request.mapping,
                contentBytes: request.contentBytes,
                mostLines: request.mostLines
            )
        } catch { throw .fault(error) }
    }

    private func keep(_ lines: [SettlementLine], on connection: isolated PostgresConnection) async throws(ImportStop) {
        try await ImportStop.failure { () async throws(PostgresFailure) in
            let shown = try await ReferenceScreen(request: request).shown(lines, on: connection)
            try await connection.execute(
                "SELECT paystream.settlement_lines(\(parameterMarks(15)))",
                [
                    merchant, .uuid(id.uuid), .text(request.mapping.zone), .bool(lines.first?.isLocal ?? false),
                    .int32s(lines) { $0.number }, .texts(lines) { $0.kind?.rawValue },
                    .texts(lines) { $0.kind == nil ? $0.word : nil }, .int64s(lines) { $0.amount },
                    .int32s(lines) { Int32($0.kind?.side ?? 0) }, .texts(lines) { $0.currency.code },
                    .int64s(lines) { $0.kind == nil ? 0 : $0.fee ?? 0 }, .int64s(lines) { $0.expectedFee },
                    .texts(lines) { $0.providerReference.map(shown) }, .texts(lines) { $0.reference.map(shown) },
                    .timestamps(lines) { $0.at },
                ]
            )
        }
    }

    private func finish(
        on connection: isolated PostgresConnection,
        _ mapping: Int32,
        _ totals: SettlementTotals
    ) async throws(PostgresFailure) {
        try await connection.execute(
            "SELECT paystream.settlement_finish($1, $2, $3, $4, $5, $6, $7, $8, $9::text::date, $10::text::date, $11, $12, $13, $14, $15, $16)",
            [
                merchant, account, .uuid(id.uuid), .bytes(request.digest), .int32(mapping),
                .int32(Int32(clamping: totals.lines)), .json(totals.json.canonical), .text(request.mapping.zone),
                .text(request.period?.first), .text(request.period?.end), .uuid(request.corrects?.uuid),
                .int32(Int32(request.mapping.windowDays)), .text(request.mapping.byAmount.rawValue),
                .text(request.actor), .int32(Int32(request.mapping.rounding)), .bool(request.isAlone),
            ]
        )
    }
}

extension SettlementImport {
    /// The parameters of `settlement_begin`, which keeps the mapping, follows it, or takes it once.
    func beginning(to use: String) -> [PostgresValue] {
        [
            .int32(merchant.value), .uuid(account.id), .text(account.name), .text(account.mode.rawValue),
            .text(account.provider), .bytes(digest), .json(mapping.json.canonical),
            .int32(Int32(mapping.delayDays)), .text(actor), .uuid(corrects?.uuid), .text(use),
        ]
    }
}
