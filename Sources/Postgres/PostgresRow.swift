import CPostgres
package import Kernel

/// One row of an answer, lent to the closure that decodes it.
@safe package struct PostgresRow: ~Copyable {
    private let result: OpaquePointer
    private let row: Int32

    init(_ result: OpaquePointer, row: Int32) {
        unsafe self.result = result
        self.row = row
    }

    package func isNull(_ column: Int32) -> Bool { unsafe PQgetisnull(result, row, column) == 1 }

    package func bool(_ column: Int32) throws(PostgresFailure) -> Bool { try integer(column, UInt8.self) != 0 }
    package func int16(_ column: Int32) throws(PostgresFailure) -> Int16 { try integer(column, Int16.self) }
    package func int32(_ column: Int32) throws(PostgresFailure) -> Int32 { try integer(column, Int32.self) }
    package func int64(_ column: Int32) throws(PostgresFailure) -> Int64 { try integer(column, Int64.self) }

    package func text(_ column: Int32) throws(PostgresFailure) -> String {
        let value = try unsafe buffer(column)
        return unsafe String(decoding: value, as: UTF8.self)
    }

    package func bytes(_ column: Int32) throws(PostgresFailure) -> [UInt8] {
        let value = try unsafe buffer(column)
        return unsafe Array(value)
    }

    package func uuid(_ column: Int32) throws(PostgresFailure) -> Uuid {
        let value = try unsafe buffer(column)
        guard value.count == 16 else { throw Self.mismatch(column) }
        return Uuid(
            high: unsafe Self.load(value, at: 0, UInt64.self),
            low: unsafe Self.load(value, at: 8, UInt64.self)
        )
    }

    package func timestamp(_ column: Int32) throws(PostgresFailure) -> Timestamp {
        Timestamp(microseconds: try int64(column) + Timestamp.serverEpoch)
    }

    /// Reads a text array without NULLs.
    package func texts(_ column: Int32) throws(PostgresFailure) -> [String] {
        try unsafe array(column) { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// Reads a `bigint` array without NULLs.
    package func int64s(_ column: Int32) throws(PostgresFailure) -> [Int64] {
        try unsafe array(column) { item throws(PostgresFailure) in
            guard unsafe item.count == MemoryLayout<Int64>.size else { throw Self.mismatch(column) }
            return unsafe Self.load(UnsafeRawBufferPointer(rebasing: item), at: 0, Int64.self)
        }
    }

    /// Reads a one-dimensional array, each element from its bytes.
    private func array<Element>(
        _ column: Int32,
        _ read: (Slice<UnsafeRawBufferPointer>) throws(PostgresFailure) -> Element
    ) throws(PostgresFailure) -> [Element] {
        let value = try unsafe buffer(column)
        guard value.count >= 12 else { throw Self.mismatch(column) }
        guard unsafe Self.load(value, at: 0, Int32.self) != 0 else { return [] }
        guard value.count >= 20 else { throw Self.mismatch(column) }
        let count = unsafe Self.load(value, at: 12, Int32.self)
        var out: [Element] = []
        var index = 20
        for _ in 0..<count {
            guard index + 4 <= value.count else { throw Self.mismatch(column) }
            let length = Int(unsafe Self.load(value, at: index, Int32.self))
            index += 4
            guard length >= 0, index + length <= value.count else { throw Self.mismatch(column) }
            unsafe out.append(try read(value[index..<index + length]))
            index += length
        }
        return out
    }

    /// Reads a value unless the column is NULL.
    package func optional<Value>(
        _ column: Int32,
        _ read: (borrowing PostgresRow, Int32) throws(PostgresFailure) -> Value
    ) throws(PostgresFailure) -> Value? {
        isNull(column) ? nil : try read(self, column)
    }

    private func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        _ column: Int32,
        _ type: Value.Type
    ) throws(PostgresFailure) -> Value {
        let value = try unsafe buffer(column)
        guard value.count == MemoryLayout<Value>.size else { throw Self.mismatch(column) }
        return unsafe Self.load(value, at: 0, type)
    }

    private func buffer(_ column: Int32) throws(PostgresFailure) -> UnsafeRawBufferPointer {
        guard unsafe column < PQnfields(result), !isNull(column), let start = unsafe PQgetvalue(result, row, column)
        else { throw Self.mismatch(column) }
        return unsafe UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column)))
    }

    private static func load<Value: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int,
        _ type: Value.Type
    ) -> Value {
        Value(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }

    private static func mismatch(_ column: Int32) -> PostgresFailure {
        PostgresFailure(.decode, detail: "column \(column) is NULL, missing or of another type")
    }
}
