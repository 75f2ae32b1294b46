package import Kernel

/// Writes an array of one dimension in PostgreSQL's binary form: a head, then each element behind its length.
package struct ArrayWriter {
    let type: ElementType
    private var writer: BinaryWriter

    /// Where the head tells whether an element is NULL.
    private static let nullMark = 4
    private static let headBytes = 20

    /// Begins an array of so many elements of about so many bytes.
    package init(_ type: ElementType, count: Int, width: Int) {
        self.type = type
        writer = BinaryWriter(capacity: count == 0 ? 0 : Self.headBytes + count * (width + 4))
        guard count > 0 else { return }
        writer.integer(Int32(1))
        writer.integer(Int32(0))
        writer.integer(type.rawValue)
        writer.integer(Int32(count))
        writer.integer(Int32(1))
    }

    /// The array; all empty ones of a type share theirs.
    var bytes: [UInt8] { writer.out.isEmpty ? Self.empty[type] ?? [] : writer.out }

    private static let empty = Dictionary(
        uniqueKeysWithValues: ElementType.allCases.map { type in
            (
                type,
                BinaryWriter.bytes { writer in
                    writer.integer(UInt64(0))
                    writer.integer(type.rawValue)
                }
            )
        }
    )

    package mutating func append(_ value: Bool?) { append(value) { $0.raw(CollectionOfOne($1 ? 1 : 0)) } }
    package mutating func append(_ value: Int16?) { append(value) { $0.integer($1) } }
    package mutating func append(_ value: Int32?) { append(value) { $0.integer($1) } }
    package mutating func append(_ value: Int64?) { append(value) { $0.integer($1) } }
    package mutating func append(_ value: String?) { append(value) { $0.raw($1.utf8) } }
    package mutating func append(_ value: [UInt8]?) { append(value) { $0.raw($1) } }
    package mutating func append(_ value: Uuid?) { append(value) { $0.uuid($1) } }
    package mutating func append(_ value: Timestamp?) { append(value) { $0.timestamp($1) } }

    private mutating func append<Element>(_ element: Element?, _ write: (inout BinaryWriter, Element) -> Void) {
        guard let element else {
            writer.integer(Int32(-1))
            writer.patch(1, at: Self.nullMark)
            return
        }
        let start = writer.out.count
        writer.integer(Int32(0))
        write(&writer, element)
        writer.patch(Int32(writer.out.count - start - 4), at: start)
    }
}

// What another module calls with a type of its own is compiled there.
extension PostgresValue {
    @inlinable package static func bools<Row>(_ rows: [Row], _ value: (Row) -> Bool?) -> PostgresValue {
        array(.bool, rows, width: 1) { $0.append(value($1)) }
    }

    @inlinable package static func int16s<Row>(_ rows: [Row], _ value: (Row) -> Int16?) -> PostgresValue {
        array(.int16, rows, width: 2) { $0.append(value($1)) }
    }

    @inlinable package static func int32s<Row>(_ rows: [Row], _ value: (Row) -> Int32?) -> PostgresValue {
        array(.int32, rows, width: 4) { $0.append(value($1)) }
    }

    @inlinable package static func int64s<Row>(_ rows: [Row], _ value: (Row) -> Int64?) -> PostgresValue {
        array(.int64, rows, width: 8) { $0.append(value($1)) }
    }

    @inlinable package static func texts<Row>(_ rows: [Row], _ value: (Row) -> String?) -> PostgresValue {
        array(.text, rows, width: 24) { $0.append(value($1)) }
    }

    @inlinable package static func byteArrays<Row>(_ rows: [Row], _ value: (Row) -> [UInt8]?) -> PostgresValue {
        array(.bytes, rows, width: 256) { $0.append(value($1)) }
    }

    @inlinable package static func jsons<Row>(_ rows: [Row], _ value: (Row) -> [UInt8]?) -> PostgresValue {
        array(.json, rows, width: 256) { $0.append(value($1)) }
    }

    @inlinable package static func uuids<Row>(_ rows: [Row], _ value: (Row) -> Uuid?) -> PostgresValue {
        array(.uuid, rows, width: 16) { $0.append(value($1)) }
    }

    @inlinable package static func timestamps<Row>(_ rows: [Row], _ value: (Row) -> Timestamp?) -> PostgresValue {
        array(.timestamp, rows, width: 8) { $0.append(value($1)) }
    }

    /// An array with one element for each row.
    @inlinable package static func array<Row>(
        _ type: ElementType,
        _ rows: [Row],
        width: Int,
        _ append: (inout ArrayWriter, Row) -> Void
    ) -> PostgresValue {
        var writer = ArrayWriter(type, count: rows.count, width: width)
        for row in rows { append(&writer, row) }
        return PostgresValue(writer)
    }
}

extension PostgresValue {
    package static func bools(_ values: [Bool?]) -> PostgresValue { bools(values) { $0 } }
    package static func int16s(_ values: [Int16?]) -> PostgresValue { int16s(values) { $0 } }
    package static func int32s(_ values: [Int32?]) -> PostgresValue { int32s(values) { $0 } }
    package static func int64s(_ values: [Int64?]) -> PostgresValue { int64s(values) { $0 } }
    package static func texts(_ values: [String?]) -> PostgresValue { texts(values) { $0 } }
    package static func byteArrays(_ values: [[UInt8]?]) -> PostgresValue { byteArrays(values) { $0 } }
    package static func jsons(_ values: [[UInt8]?]) -> PostgresValue { jsons(values) { $0 } }
    package static func uuids(_ values: [Uuid?]) -> PostgresValue { uuids(values) { $0 } }
    package static func timestamps(_ values: [Timestamp?]) -> PostgresValue { timestamps(values) { $0 } }
}
