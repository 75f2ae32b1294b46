import EventSourcing
import Kernel
import Postgres

/// Inputs as the nine arrays that `paystream.admit` and its neighbours take.
struct InputColumns {
    private var merchants: [Int32?] = []
    private var streams: [Uuid?] = []
    private var streamKinds: [Int32?] = []
    private var ids: [Uuid?] = []
    private var kinds: [Int32?] = []
    private var names: [String?] = []
    private var metas: [[UInt8]?] = []
    private var bodies: [[UInt8]?] = []
    private var received: [Timestamp?] = []

    init(_ records: some Sequence<InputRecord> = []) {
        for record in records { append(record) }
    }

    mutating func append(_ record: InputRecord) {
        merchants.append(record.stream.merchant.value)
        streams.append(record.stream.id)
        streamKinds.append(Int32(record.stream.kind.rawValue))
        ids.append(record.id)
        kinds.append(Int32(record.kind.rawValue))
        names.append(record.name)
        metas.append(record.meta)
        bodies.append(record.body)
        received.append(record.receivedAt)
    }

    var values: [PostgresValue] {
        [
            .int32s(merchants), .uuids(streams), .int32s(streamKinds), .uuids(ids), .int32s(kinds), .texts(names),
            .jsons(metas), .byteArrays(bodies), .timestamps(received),
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
