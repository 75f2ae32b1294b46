package import Kernel

/// One parameter of a statement in PostgreSQL's binary form.
package struct PostgresValue: Sendable, Hashable {
    /// The type's object id, fixed for built-in types.
    let type: UInt32
    /// `nil` is SQL's NULL.
    let bytes: [UInt8]?

    private init(_ type: ElementType, _ bytes: [UInt8]?) {
        self.type = type.rawValue
        self.bytes = bytes
    }

    package init(_ array: ArrayWriter) {
        type = array.type.array
        bytes = array.bytes
    }

    // MARK: Scalars

    package static func bool(_ value: Bool?) -> PostgresValue {
        PostgresValue(.bool, value.map { [$0 ? 1 : 0] })
    }

    package static func int16(_ value: Int16?) -> PostgresValue {
        PostgresValue(.int16, value.map { integer in BinaryWriter.bytes { $0.integer(integer) } })
    }

    package static func int32(_ value: Int32?) -> PostgresValue {
        PostgresValue(.int32, value.map { integer in BinaryWriter.bytes { $0.integer(integer) } })
    }

    package static func int64(_ value: Int64?) -> PostgresValue {
        PostgresValue(.int64, value.map { integer in BinaryWriter.bytes { $0.integer(integer) } })
    }

    package static func text(_ value: String?) -> PostgresValue {
        PostgresValue(.text, value.map { Array($0.utf8) })
    }

    package static func bytes(_ value: [UInt8]?) -> PostgresValue { PostgresValue(.bytes, value) }

    /// Exact text that is JSON; the server checks its syntax and keeps every byte.
    package static func json(_ value: [UInt8]?) -> PostgresValue { PostgresValue(.json, value) }

    package static func uuid(_ value: Uuid?) -> PostgresValue {
        PostgresValue(.uuid, value.map { uuid in BinaryWriter.bytes { $0.uuid(uuid) } })
    }

    package static func timestamp(_ value: Timestamp?) -> PostgresValue {
        PostgresValue(.timestamp, value.map { time in BinaryWriter.bytes { $0.timestamp(time) } })
    }
}

/// Object ids of the built-in types that we speak.
package enum ElementType: UInt32, CaseIterable, Sendable {
    case bool = 16
    case bytes = 17
    case int64 = 20
    case int16 = 21
    case int32 = 23
    case text = 25
    case json = 114
    case timestamp = 1184
    case uuid = 2950

    /// The array type over this element type.
    var array: UInt32 {
        switch self {
        case .bool: 1000
        case .bytes: 1001
        case .int64: 1016
        case .int16: 1005
        case .int32: 1007
        case .text: 1009
        case .json: 199
        case .timestamp: 1185
        case .uuid: 2951
        }
    }
}

/// Writes PostgreSQL's binary forms: integers in network order.
struct BinaryWriter {
    private(set) var out: [UInt8] = []

    init(capacity: Int) { out.reserveCapacity(capacity) }

    static func bytes(_ write: (inout BinaryWriter) -> Void) -> [UInt8] {
        var writer = BinaryWriter(capacity: 16)
        write(&writer)
        return writer.out
    }

    mutating func integer(_ value: some FixedWidthInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            out.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    mutating func raw(_ bytes: some Collection<UInt8>) { out.append(contentsOf: bytes) }

    mutating func uuid(_ value: Uuid) {
        integer(value.high)
        integer(value.low)
    }

    /// Microseconds since 2000-01-01, as `timestamptz` counts.
    mutating func timestamp(_ value: Timestamp) { integer(value.microseconds - Timestamp.serverEpoch) }

    mutating func patch(_ value: Int32, at start: Int) {
        for index in 0..<4 { out[start + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * Int32(index))) }
    }
}

extension Timestamp {
    /// 2000-01-01T00:00:00Z in microseconds since 1970.
    static let serverEpoch: Int64 = 946_684_800_000_000
}
