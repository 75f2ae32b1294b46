import CPostgres
import Glibc
import Kernel
import Synchronization

/// Statements that this process sent to PostgreSQL, those included that begin, end or prepare.
package enum SentStatements {
    private static let sent = Atomic<Int64>(0)

    package static var count: Int64 { sent.load(ordering: .relaxed) }

    static func add() { sent.add(1, ordering: .relaxed) }
}

/// One libpq connection: the handle, what it has prepared, and whether it heard that a commit was cut short.
///
/// Owned by one `PostgresConnection` and touched on that actor's thread only; the handle is freed once, in `deinit`.
@safe final class LibpqSession {
    private let handle: OpaquePointer
    /// The warning that a commit was cut short while it waited for replication, in the server's words.
    private let cutShort: UnsafeMutablePointer<String?>
    private var prepared: [String: String] = [:]
    private let preparesStatements: Bool

    /// Statements that one connection keeps prepared; further ones are parsed every time.
    private static let preparedLimit = 256

    /// Connects and sets the session up; the password stays inside libpq.
    init(_ options: PostgresOptions) throws(PostgresFailure) {
        let opened = try unsafe Self.connect(options)
        unsafe handle = opened
        unsafe cutShort = .allocate(capacity: 1)
        unsafe cutShort.initialize(to: nil)
        preparesStatements = options.preparesStatements
        unsafe PQsetNoticeReceiver(handle, hearNotice, UnsafeMutableRawPointer(cutShort))
        guard unsafe PQstatus(handle) == CONNECTION_OK else {
            throw PostgresFailure(.connect, detail: lastWords)
        }
        guard parameter("server_encoding") == "UTF8" else {
            throw PostgresFailure(.connect, detail: "the database is not encoded in UTF-8")
        }
        try script(options.sessionScript)
    }

    deinit {
        unsafe PQfinish(handle)
        unsafe cutShort.deinitialize(count: 1)
        unsafe cutShort.deallocate()
    }

    // MARK: State

    var isBroken: Bool { unsafe PQstatus(handle) != CONNECTION_OK }
    var isIdle: Bool { unsafe PQtransactionStatus(handle) == PQTRANS_IDLE }
    var socket: Int32 { unsafe PQsocket(handle) }
    var processId: Int32 { unsafe PQbackendPID(handle) }
    var serverVersion: Int32 { unsafe PQserverVersion(handle) }

    func parameter(_ name: String) -> String? {
        guard let raw = unsafe PQparameterStatus(handle, name) else { return nil }
        return unsafe String(cString: raw)
    }

    /// Looks at the socket of an idle connection: whoever does not listen hears only a farewell there.
    func checkIdle() -> Bool {
        guard !isBroken, isIdle else { return false }
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&descriptor, 1, 0) == 0
    }

    /// The words of libpq about the connection, on one line; they never hold the password.
    private var lastWords: String {
        guard let raw = unsafe PQerrorMessage(handle) else { return "" }
        return unsafe String(cString: raw).split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    // MARK: Statements

    /// Runs several statements without parameters in one round trip.
    func script(_ sql: String) throws(PostgresFailure) {
        let implicit = isIdle
        unsafe cutShort.pointee = nil
        SentStatements.add()
        let result = unsafe PQexec(handle, sql)
        defer { unsafe PQclear(result) }
        try unsafe check(result, committedImplicitly: implicit)
    }

    /// Runs one statement and lends its rows to `decode`; answers the number of affected rows.
    func run(
        _ sql: String,
        _ parameters: [PostgresValue],
        _ decode: (borrowing PostgresRow) throws(PostgresFailure) -> Void
    ) throws(PostgresFailure) -> Int {
        let implicit = isIdle
        unsafe cutShort.pointee = nil
        let result = try unsafe dispatch(sql, parameters)
        defer { unsafe PQclear(result) }
        try unsafe check(result, committedImplicitly: implicit)
        guard let result = unsafe result else { return 0 }
        for row in 0..<(unsafe PQntuples(result)) { try decode(unsafe PostgresRow(result, row: row)) }
        guard let affected = unsafe PQcmdTuples(result) else { return 0 }
        return Int(unsafe String(cString: affected)) ?? 0
    }

    private func dispatch(_ sql: String, _ parameters: [PostgresValue]) throws(PostgresFailure) -> OpaquePointer? {
        let name = try preparedName(sql, parameters)
        SentStatements.add()
        let sizes = parameters.map { Int32($0.bytes?.count ?? 0) }
        let count = Int32(parameters.count)
        let formats = parameters.count <= Self.binary.count ? Self.binary : sizes.map { _ in 1 }
        return unsafe withPointers(to: parameters) { values in
            if let name {
                // Passed as it is, a text would be copied first.
                return unsafe name.withCString { unsafe PQexecPrepared(handle, $0, count, values, sizes, formats, 1) }
            }
            let types = parameters.map(\.type)
            return unsafe PQexecParams(handle, sql, count, types, values, sizes, formats, 1)
        }
    }

    /// Formats of parameters, each binary; more than a statement of ours has.
    private static let binary = [Int32](repeating: 1, count: 128)

    private func preparedName(_ sql: String, _ parameters: [PostgresValue]) throws(PostgresFailure) -> String? {
        if let name = prepared[sql] { return name }
        guard preparesStatements, prepared.count < Self.preparedLimit else { return nil }
        let name = "s\(prepared.count)"
        let types = parameters.map(\.type)
        SentStatements.add()
        let result = unsafe PQprepare(handle, name, sql, Int32(types.count), types)
        defer { unsafe PQclear(result) }
        // Preparing writes nothing, so that a break here loses nothing.
        try unsafe check(result, committedImplicitly: false)
        prepared[sql] = name
        return name
    }

    /// Lays all parameters into one buffer and lends pointers into it.
    private func withPointers<Result>(
        to parameters: [PostgresValue],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        var buffer: [UInt8] = []
        buffer.reserveCapacity(parameters.reduce(1) { $0 + ($1.bytes?.count ?? 0) })
        for parameter in parameters { if let bytes = parameter.bytes { buffer.append(contentsOf: bytes) } }
        buffer.append(0)  // An empty value still needs an address.
        return unsafe buffer.withUnsafeBytes { raw in
            var place = unsafe raw.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = unsafe parameters.map { parameter -> UnsafePointer<CChar>? in
                guard let bytes = parameter.bytes else { return nil }
                defer { unsafe place = place?.advanced(by: bytes.count) }
                return unsafe place
            }
            return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
        }
    }

    // MARK: Answers

    /// Throws unless the answer is a success whose commit, if it had one, is certain.
    private func check(_ result: OpaquePointer?, committedImplicitly: Bool) throws(PostgresFailure) {
        let lost: PostgresFailure.Code = committedImplicitly ? .unknown : .lost
        guard let result = unsafe result else {
            throw PostgresFailure(isBroken ? lost : .refused, detail: lastWords)
        }
        switch unsafe PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            if committedImplicitly, let warning = unsafe cutShort.pointee {
                throw PostgresFailure(.unknown, detail: "the server warned while it committed: \(warning)")
            }
        default:
            let state = unsafe Self.field(result, Diagnostic.sqlState).map { SqlState($0) }
            let severity = unsafe Self.field(result, Diagnostic.severity)
            let isFatal = isBroken || severity == "FATAL" || severity == "PANIC"
            throw PostgresFailure(
                isFatal ? lost : .refused,
                sqlState: state,
                detail: unsafe Self.explain(result),
                hint: unsafe Self.field(result, Diagnostic.hint)
            )
        }
    }

    /// Commits; a connection that breaks now leaves the outcome unknown.
    func commit() throws(PostgresFailure) {
        unsafe cutShort.pointee = nil
        SentStatements.add()
        let result = unsafe PQexec(handle, "COMMIT")
        defer { unsafe PQclear(result) }
        try unsafe check(result, committedImplicitly: true)
        guard let result = unsafe result, unsafe String(cString: PQcmdStatus(result)) == "COMMIT" else {
            throw PostgresFailure(.refused, detail: "the transaction had failed and was rolled back")
        }
    }

    /// Takes notifications that have arrived, waiting for the first at most so long; `interrupt` ends the wait.
    func notifications(waitMilliseconds: Int32, interrupt: Int32) throws(PostgresFailure) -> [String] {
        guard unsafe PQconsumeInput(handle) == 1 else {
            throw PostgresFailure(.lost, detail: lastWords)
        }
        let ready = takeNotifications()
        guard ready.isEmpty else { return ready }
        var descriptors = [
            pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
            pollfd(fd: interrupt, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&descriptors, 2, waitMilliseconds)
        guard unsafe PQconsumeInput(handle) == 1, !isBroken else {
            throw PostgresFailure(.lost, detail: lastWords)
        }
        return takeNotifications()
    }

    private func takeNotifications() -> [String] {
        var channels: [String] = []
        while let notification = unsafe PQnotifies(handle) {
            channels.append(unsafe String(cString: notification.pointee.relname))
            unsafe PQfreemem(UnsafeMutableRawPointer(notification))
        }
        return channels
    }
}

extension LibpqSession {
    private static func connect(_ options: PostgresOptions) throws(PostgresFailure) -> OpaquePointer {
        guard isReadable(options.address) else {
            throw PostgresFailure(.connect, detail: "the database address is neither a URL nor keywords")
        }
        // The server names the database, the user or the host in its refusals, never the password.
        // Of two values for a keyword the later wins; only the first database name may be a whole address.
        let overrides = options.overrides.sorted { $0.key < $1.key }
        let keywords = options.defaults.map(\.0) + ["dbname"] + overrides.map(\.key)
        let made = unsafe options.address.withBytes { bytes -> OpaquePointer? in
            let values = options.defaults.map(\.1) + [String(decoding: bytes, as: UTF8.self)] + overrides.map(\.value)
            return unsafe withCStrings(keywords) { names in
                unsafe withCStrings(values) { texts in unsafe PQconnectdbParams(names, texts, 1) }
            }
        }
        guard let made = unsafe made else { throw PostgresFailure(.connect, detail: "out of memory") }
        return unsafe made
    }

    /// Parses an address beforehand: libpq quotes one that it can't read in its message, password and all.
    private static func isReadable(_ address: Secret) -> Bool {
        address.withBytes { bytes in
            guard let parsed = unsafe PQconninfoParse(String(decoding: bytes, as: UTF8.self), nil) else { return false }
            unsafe PQconninfoFree(parsed)
            return true
        }
    }

    /// Lends a NULL-terminated array of C strings.
    private static func withCStrings<Result>(
        _ texts: [String],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = unsafe texts.map { unsafe strdup($0) }
        defer { unsafe copies.forEach { unsafe free($0) } }
        let pointers = unsafe copies.map { unsafe UnsafePointer($0) } + [nil]
        return unsafe pointers.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("the array holds its terminator") }
            return unsafe body(base)
        }
    }

    private static func field(_ result: OpaquePointer, _ code: Int32) -> String? {
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

/// Keeps the warning that a commit was cut short, with its state and words; everything else is silent.
private func hearNotice(_ argument: UnsafeMutableRawPointer?, _ result: OpaquePointer?) {
    guard let argument = unsafe argument else { return }
    func field(_ code: Int32) -> String {
        unsafe PQresultErrorField(result, code).map { unsafe String(cString: $0) } ?? ""
    }
    let (state, words) = (field(Diagnostic.sqlState), field(Diagnostic.message))
    guard CommitWarning.isCutShort(state: state, routine: field(Diagnostic.routine), words: words) else { return }
    unsafe argument.assumingMemoryBound(to: String?.self).pointee = "\(state) \(words)"
}

/// Field codes of an error report; libpq has them as character macros, which Swift does not import.
private enum Diagnostic {
    static let severity = Int32(UInt8(ascii: "V"))
    static let sqlState = Int32(UInt8(ascii: "C"))
    static let message = Int32(UInt8(ascii: "M"))
    static let hint = Int32(UInt8(ascii: "H"))
    static let table = Int32(UInt8(ascii: "t"))
    static let column = Int32(UInt8(ascii: "c"))
    static let constraint = Int32(UInt8(ascii: "n"))
    static let routine = Int32(UInt8(ascii: "R"))
}
