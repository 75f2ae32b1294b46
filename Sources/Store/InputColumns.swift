import EventSourcing
import Kernel
import Postgres

extension InputRecord {
    /// Inputs as the nine arrays that `paystream.admit` and its neighbours take.
    static func columns(_ records: [InputRecord]) -> [PostgresValue] {
        [
            .int32s(records) { $0.stream.merchant.value }, .uuids(records) { $0.stream.id },
            .int32s(records) { Int32($0.stream.kind.rawValue) }, .uuids(records) { $0.id },
            .int32s(records) { Int32($0.kind.rawValue) }, .texts(records) { $0.name }, .jsons(records) { $0.meta },
            .byteArrays(records) { $0.body }, .timestamps(records) { $0.receivedAt },
        ]
    }
}

extension PostgresRow {
    /// Reads a stream's name from its kind and id.
    func stream(_ merchant: MerchantNumber, kind: Int32, id: Int32) throws(PostgresFailure) -> StreamName {
        StreamName(merchant, try streamKind(kind), try uuid(id))
    }

    /// Reads merchant, stream kind and stream id from three columns in a row.
    func stream(at column: Int32) throws(PostgresFailure) -> StreamName {
        try stream(MerchantNumber(try int32(column)), kind: column + 1, id: column + 2)
    }

    /// Reads id, kind, name, meta, body and arrival from six columns in a row.
    func input(at column: Int32, of stream: StreamName) throws(PostgresFailure) -> InputRecord {
        guard let kind = InputKind(rawValue: try int16(column + 1)) else {
            throw PostgresFailure(.decode, detail: "an input of a kind that this version does not know")
        }
        return InputRecord(
            id: try uuid(column),
            stream: stream,
            kind: kind,
            name: try text(column + 2),
            meta: try bytes(column + 3),
            body: try bytes(column + 4),
            receivedAt: try timestamp(column + 5)
        )
    }

    func streamKind(_ column: Int32) throws(PostgresFailure) -> StreamKind {
        guard let kind = StreamKind(rawValue: try int16(column)) else {
            throw PostgresFailure(.decode, detail: "a stream of a kind that this version does not know")
        }
        return kind
    }
}
