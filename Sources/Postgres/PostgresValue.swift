package import Kernel

/// One parameter of a statement, written in PostgreSQL's binary form when it is sent.
package struct PostgresValue: Sendable, Hashable {
    private enum Content: Sendable, Hashable {
        case null
        /// The low bytes of a number.
        case integer(Int64, bytes: Int)
        case uuid(Uuid)
        case text(String)
        case bytes([UInt8])
    }

    /// The type's object id, fixed for built-in types.
    let type: UInt32
    private let content: Content

    private init(_ type: ElementType, _ content: Content?) {
        self.type = type.rawValue
        self.content = content ?? .null
    }

    package init(_ array: ArrayWriter) {
        type = array.type.array
        content = .bytes(array.bytes)
    }

    /// Writes the value and answers how many bytes it takes; `nil` is SQL's NULL, of which nothing is written.
    func write(to writer: inout BinaryWriter) -> Int? {
        let start = writer.out.count
        switch content {
        case .null: return nil
        case .integer(let value, let bytes): writer.integer(value, bytes: bytes)
        case .uuid(let uuid): writer.uuid(uuid)
        case .text(let text): writer.raw(text.utf8)
        case .bytes(let bytes): writer.raw(bytes)
        }
        return writer.out.count - start
    }

    // MARK: Scalars

    package static func bool(_ value: Bool?) -> PostgresValue {
        PostgresValue(.bool, value.map { .integer($0 ? 1 : 0, bytes: 1) })
    }

    package static func int16(_ value: Int16?) -> PostgresValue {
        PostgresValue(.int16, value.map { .integer(Int64($0), bytes: 2) })
    }

    package static func int32(_ value: Int32?) -> PostgresValue {
        PostgresValue(.int32, value.map { .integer(Int64($0), bytes: 4) })
    }

    package static func int64(_ value: Int64?) -> PostgresValue {
        PostgresValue(.int64, value.map { .integer($0, bytes: 8) })
    }

    package static func text(_ value: String?) -> PostgresValue { PostgresValue(.text, value.map { .text($0) }) }

    package static func bytes(_ value: [UInt8]?) -> PostgresValue { PostgresValue(.bytes, value.map { .bytes($0) }) }

    /// Exact text that is JSON; the server checks its syntax and keeps every byte.
    package static func json(_ value: [UInt8]?) -> PostgresValue { PostgresValue(.json, value.map { .bytes($0) }) }

    package static func uuid(_ value: Uuid?) -> PostgresValue { PostgresValue(.uuid, value.map { .uuid($0) }) }

    package static func timestamp(_ value: Timestamp?) -> PostgresValue {
        PostgresValue(.timestamp, value.map { .integer($0.microseconds - Timestamp.serverEpoch, bytes: 8) })
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
        integer(value, bytes: value.bitWidth / 8)
    }

    /// Writes the low bytes of a number.
    mutating func integer(_ value: some FixedWidthInteger, bytes: Int) {
        for shift in stride(from: 8 * (bytes - 1), through: 0, by: -8) {
            out.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// Forgets what was written, and keeps its memory where that is little.
    mutating func removeAll() { out.removeAll(keepingCapacity: out.capacity <= Self.keptBytes) }

    private static let keptBytes = 1 << 16

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
