package import EventSourcing
import Kernel
import Postgres

extension PostgresStore {
    package func takeInbox(
        limit: Int,
        after: MerchantNumber,
        _ settle: @Sendable ([InboxCommand]) async -> [InboxSettlement]
    ) async throws(StoreFailure) -> Int {
        do throws(PostgresFailure) {
            return try await pool.transaction { connection async throws(PostgresFailure) in
                let commands = try await connection.query(
                    "SELECT id, merchant, key, name, body, at FROM paystream.take_inbox($1, $2)",
                    [.int32(Int32(clamping: limit)), .int32(after.value)]
                ) { row throws(PostgresFailure) in
                    InboxCommand(
                        id: try row.uuid(0),
                        merchant: MerchantNumber(try row.int32(1)),
                        key: try row.text(2),
                        name: try row.text(3),
                        body: try row.bytes(4),
                        enqueuedAt: try row.timestamp(5)
                    )
                }
                guard !commands.isEmpty else { return 0 }
                let settlements = await settle(commands)
                precondition(settlements.count == commands.count, "one settlement per row")
                let columns = SettlementColumns(Array(zip(commands, settlements)))
                try await connection.execute(
                    "SELECT FROM paystream.settle_inbox(\(parameterMarks(15)))",
                    columns.values
                )
                if let postponed = columns.postponed {
                    try await connection.execute("SELECT paystream.postpone_inbox(\(parameterMarks(6)))", postponed)
                }
                return columns.settled
            }
        } catch {
            throw StoreFailure(error, mayHaveCommitted: true)
        }
    }
}

/// Settled commands as the arrays that `paystream.settle_inbox` takes.
private struct SettlementColumns {
    private var refused: [Uuid?] = []
    private var refusedMerchants: [Int32?] = []
    private var codes: [String?] = []
    private var details: [String?] = []
    private var admitted: [Uuid?] = []
    private var macs: [[UInt8]?] = []
    private var inputs: [InputRecord] = []
    private var left: [InboxCommand] = []

    init(_ settled: [(InboxCommand, InboxSettlement)]) {
        for (command, settlement) in settled {
            switch settlement {
            case .refuse(let code, let detail):
                refused.append(command.id)
                refusedMerchants.append(command.merchant.value)
                codes.append(code)
                details.append(detail)
            case .admit(let record, let mac):
                admitted.append(command.id)
                macs.append(mac)
                inputs.append(record)
            case .later: left.append(command)
            }
        }
    }

    /// How many left the inbox.
    var settled: Int { refused.count + admitted.count }

    /// The arguments of `paystream.postpone_inbox`, if anything stays.
    var postponed: [PostgresValue]? {
        guard !left.isEmpty else { return nil }
        return [
            .uuids(left.map(\.id)), .int32s(left.map(\.merchant.value)), .texts(left.map(\.key)),
            .texts(left.map(\.name)), .jsons(left.map(\.body)), .timestamps(left.map(\.enqueuedAt)),
        ]
    }

    var values: [PostgresValue] {
        [
            .uuids(refused), .int32s(refusedMerchants), .texts(codes), .texts(details), .uuids(admitted),
            .byteArrays(macs),
        ] + InputRecord.columns(inputs)
    }
}
