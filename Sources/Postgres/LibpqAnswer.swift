import CPostgres

/// The answer to one statement; freed with its owner.
@safe struct LibpqAnswer: ~Copyable {
    private let result: OpaquePointer

    /// Takes the result over.
    init(_ result: OpaquePointer) { unsafe self.result = result }

    deinit { unsafe PQclear(result) }

    var isSuccess: Bool { unsafe Self.isSuccess(result) }

    static func isSuccess(_ result: OpaquePointer) -> Bool {
        switch unsafe PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: true
        default: false
        }
    }

    static func isCopy(_ result: OpaquePointer) -> Bool {
        switch unsafe PQresultStatus(result) {
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: true
        default: false
        }
    }

    /// Rows that the statement affected.
    var affected: Int {
        guard let affected = unsafe PQcmdTuples(result) else { return 0 }
        return Int(unsafe String(cString: affected)) ?? 0
    }

    /// The command that was run, as in `COMMIT` or `ROLLBACK`.
    var command: String { unsafe String(cString: PQcmdStatus(result)) }

    func rows<Row>(_ decode: (borrowing PostgresRow) throws(PostgresFailure) -> Row) throws(PostgresFailure) -> [Row] {
        let count = unsafe PQntuples(result)
        var rows: [Row] = []
        rows.reserveCapacity(Int(count))
        for row in 0..<count { rows.append(try decode(unsafe PostgresRow(result, row: row))) }
        return rows
    }

    // MARK: Failures

    /// Whether the server ended the session with this answer, or a pooler says that it lost the server (class 08) and stays itself.
    var endsSession: Bool {
        let severity = unsafe Self.field(result, Diagnostic.severity)
        let state = unsafe Self.field(result, Diagnostic.sqlState)
        return severity == "FATAL" || severity == "PANIC" || state?.hasPrefix("08") == true
    }

    func failure(_ code: PostgresFailure.Code) -> PostgresFailure {
        PostgresFailure(
            code,
            sqlState: unsafe Self.field(result, Diagnostic.sqlState).map { SqlState($0) },
            detail: unsafe Self.explain(result),
            hint: unsafe Self.field(result, Diagnostic.hint)
        )
    }

    static func field(_ result: OpaquePointer, _ code: Int32) -> String? {
        guard let raw = unsafe PQresultErrorField(result, code) else { return nil }
        return unsafe String(cString: raw)
    }

    /// Explains a refusal without row values: classes 22 and 23 quote them in their message.
    private static func explain(_ result: OpaquePointer) -> String {
        let state = unsafe field(result, Diagnostic.sqlState) ?? "-----"
        let places = [
            ("constraint", Diagnostic.constraint), ("table", Diagnostic.table), ("column", Diagnostic.column),
        ]
        let named = places.compactMap { place in unsafe field(result, place.1).map { "\(place.0) \($0)" } }
        if state.hasPrefix("22") || state.hasPrefix("23") {
            let routine = unsafe field(result, Diagnostic.routine).map { ["in \($0)"] } ?? []
            return (named + routine).joined(separator: ", ")
        }
        let message = unsafe field(result, Diagnostic.message) ?? "no answer"
        return ([message] + named).joined(separator: ", ")
    }
}

/// Field codes of an error report; libpq has them as character macros, which Swift does not import.
enum Diagnostic {
    static let severity = Int32(UInt8(ascii: "V"))
    static let sqlState = Int32(UInt8(ascii: "C"))
    static let message = Int32(UInt8(ascii: "M"))
    static let hint = Int32(UInt8(ascii: "H"))
    static let table = Int32(UInt8(ascii: "t"))
    static let column = Int32(UInt8(ascii: "c"))
    static let constraint = Int32(UInt8(ascii: "n"))
    static let routine = Int32(UInt8(ascii: "R"))
}
