import COpenSSL
import CPostgres
import Glibc
import Kernel
import Synchronization
import SystemKit

/// Statements that this process sent to PostgreSQL, those included that begin, end or prepare.
package enum SentStatements {
    private static let sent = Atomic<Int64>(0)

    package static var count: Int64 { sent.load(ordering: .relaxed) }

    static func add() { sent.add(1, ordering: .relaxed) }
}

/// One libpq connection: the handle, what it has prepared, and whether it heard that a commit was cut short.
///
/// Owned by one `PostgresConnection` and touched by that actor only; the handle is freed once, in `deinit`. Nothing here blocks: a
/// statement is sent as far as the socket takes it, and its answer is read when the socket has some.
@safe final class LibpqSession {
    private let handle: OpaquePointer
    /// The warning that a commit was cut short while it waited for replication, in the server's words.
    private let cutShort: UnsafeMutablePointer<String?>
    private var prepared: [String: String] = [:]
    /// The statements that begin a transaction.
    private var beginning = "BEGIN"
    /// Whether a pooler may serve each transaction by another session of the server, which keeps nothing for us: no
    /// settings and no prepared statements.
    private(set) var isPooled = false
    /// The parameters of the statement that is sent, and the bytes of each.
    private var values = BinaryWriter(capacity: 512)
    private var sizes: [Int32] = []
    /// Whether a statement waits for its answer.
    private var isUnderWay = false

    /// Statements that one connection keeps prepared; further ones are parsed every time.
    private static let preparedLimit = 256

    /// Connects on a thread of its own, since looking a name up blocks, and sets the session up.
    static func open(_ options: PostgresOptions) async throws(PostgresFailure) -> LibpqSession {
        let session = try await OwnThread.run { () throws(PostgresFailure) in try LibpqSession(options) }
        try await session.setUp(options)
        return session
    }

    /// Sets the session up, unless it is not ours: a setting would stay for whoever the pooler gives it to next.
    ///
    /// The server names the process that serves us when we connect; a pooler has to invent that number.
    private func setUp(_ options: PostgresOptions) async throws(PostgresFailure) {
        let set = options.settings.map { "set_config('\($0.name)', '\($0.value)', false)" }.joined(separator: ", ")
        let sql = "SELECT CASE WHEN pg_backend_pid() = \(processId) THEN concat(\(set)) END"
        let found = try await exchange(commits: false) { send(sql, named: nil, []) }.rows {
            row throws(PostgresFailure) in !row.isNull(0)
        }
        guard found != [true] else { return }
        isPooled = true
        beginning += options.settings.map { "; SET LOCAL \($0.name) = '\($0.value)'" }.joined()
    }

    /// Connects, which blocks; the password stays inside libpq.
    private init(_ options: PostgresOptions) throws(PostgresFailure) {
        let opened = try unsafe Self.connect(options)
        unsafe handle = opened
        unsafe cutShort = .allocate(capacity: 1)
        unsafe cutShort.initialize(to: nil)
        unsafe PQsetNoticeReceiver(handle, hearNotice, UnsafeMutableRawPointer(cutShort))
        guard unsafe PQstatus(handle) == CONNECTION_OK, unsafe PQsetnonblocking(handle, 1) == 0 else {
            throw PostgresFailure(.connect, detail: lastWords)
        }
        guard parameter("server_encoding") == "UTF8" else {
            throw PostgresFailure(.connect, detail: "the database is not encoded in UTF-8")
        }
        guard unsafe PQgssEncInUse(handle) == 0 else {
            throw PostgresFailure(.connect, detail: "encryption by GSSAPI is not supported; use TLS (sslmode)")
        }
    }

    deinit {
        unsafe PQfinish(handle)
        unsafe cutShort.deinitialize(count: 1)
        unsafe cutShort.deallocate()
    }

    // MARK: State

    var isBroken: Bool { unsafe PQstatus(handle) != CONNECTION_OK }
    var isIdle: Bool { unsafe PQtransactionStatus(handle) == PQTRANS_IDLE }
    private var socket: Int32 { unsafe PQsocket(handle) }
    var processId: Int32 { unsafe PQbackendPID(handle) }
    var serverVersion: Int32 { unsafe PQserverVersion(handle) }

    func parameter(_ name: String) -> String? {
        guard let raw = unsafe PQparameterStatus(handle, name) else { return nil }
        return unsafe String(cString: raw)
    }

    /// Looks at the socket of an idle connection: only a farewell comes there unasked.
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

    /// Begins a transaction; nothing can have been committed where that fails.
    func begin() async throws(PostgresFailure) {
        _ = try await exchange(commits: false) { unsafe PQsendQuery(handle, beginning) }
    }

    /// Runs several statements without parameters in one round trip.
    func script(_ sql: String) async throws(PostgresFailure) {
        _ = try await exchange(commits: isIdle) { unsafe PQsendQuery(handle, sql) }
    }

    /// Runs one statement.
    func run(_ sql: String, _ parameters: [PostgresValue]) async throws(PostgresFailure) -> LibpqAnswer {
        let commits = isIdle
        let name = try await preparedName(sql, parameters)
        return try await exchange(commits: commits) { send(sql, named: name, parameters) }
    }

    /// Commits; a connection that breaks now leaves the outcome unknown.
    func commit() async throws(PostgresFailure) {
        guard try await exchange(commits: true, { unsafe PQsendQuery(handle, "COMMIT") }).command == "COMMIT" else {
            throw PostgresFailure(.refused, detail: "the transaction had failed and was rolled back")
        }
    }

    private func send(_ sql: String, named name: String?, _ parameters: [PostgresValue]) -> Int32 {
        let count = Int32(parameters.count)
        let formats = parameters.count <= Self.binary.count ? Self.binary : parameters.map { _ in 1 }
        return unsafe withPointers(to: parameters) { values in
            if let name {
                // Passed as it is, a text would be copied first.
                return unsafe name.withCString {
                    unsafe PQsendQueryPrepared(handle, $0, count, values, sizes, formats, 1)
                }
            }
            let types = parameters.map(\.type)
            return unsafe PQsendQueryParams(handle, sql, count, types, values, sizes, formats, 1)
        }
    }

    /// Formats of parameters, each binary; more than a statement of ours has.
    private static let binary = [Int32](repeating: 1, count: 128)

    private func preparedName(_ sql: String, _ parameters: [PostgresValue]) async throws(PostgresFailure) -> String? {
        if let name = prepared[sql] { return name }
        guard !isPooled, prepared.count < Self.preparedLimit else { return nil }
        let name = "s\(prepared.count)"
        let types = parameters.map(\.type)
        // Preparing writes nothing, so that a break here loses nothing.
        _ = try await exchange(commits: false) { unsafe PQsendPrepare(handle, name, sql, Int32(types.count), types) }
        prepared[sql] = name
        return name
    }

    /// Lays all parameters into one buffer and lends pointers into it, of which NULL has none; `sizes` tells their bytes.
    private func withPointers<Result>(
        to parameters: [PostgresValue],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        values.removeAll()
        sizes.removeAll(keepingCapacity: true)
        for parameter in parameters { sizes.append(parameter.write(to: &values).map { Int32($0) } ?? Self.null) }
        values.integer(UInt8(0))  // An empty value still needs an address.
        return unsafe values.out.withUnsafeBytes { raw in
            unsafe withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: sizes.count) { pointers in
                var place = unsafe raw.baseAddress?.assumingMemoryBound(to: CChar.self)
                for (index, size) in sizes.enumerated() {
                    unsafe pointers.initializeElement(at: index, to: size == Self.null ? nil : place)
                    unsafe place = place?.advanced(by: Int(max(size, 0)))
                }
                return unsafe body(pointers.baseAddress)
            }
        }
    }

    /// The size of SQL's NULL, which libpq doesn't look at.
    private static let null: Int32 = -1

    // MARK: Answers

    /// Sends a statement and waits for its answer; throws unless that is a success whose commit, if it had one, is certain.
    private func exchange(
        commits: Bool,
        _ send: () -> Int32
    ) async throws(PostgresFailure) -> LibpqAnswer {
        try claim()
        defer { isUnderWay = false }
        unsafe cutShort.pointee = nil
        SentStatements.add()
        guard send() == 1, let result = unsafe await answer() else {
            throw PostgresFailure(isBroken ? (commits ? .unknown : .lost) : .refused, detail: lastWords)
        }
        let answer = unsafe LibpqAnswer(result)
        guard answer.isSuccess else {
            let lost: PostgresFailure.Code = commits ? .unknown : .lost
            throw answer.failure(isBroken || answer.endsSession ? lost : .refused)
        }
        if commits, let warning = unsafe cutShort.pointee {
            throw PostgresFailure(.unknown, detail: "the server warned while it committed: \(warning)")
        }
        return answer
    }

    private func claim() throws(PostgresFailure) {
        guard !isUnderWay else {
            throw PostgresFailure(.refused, detail: "another statement of this connection is under way")
        }
        isUnderWay = true
    }

    /// Waits for the whole answer and keeps its last result, or the first that is no success.
    private func answer() async -> OpaquePointer? {
        var kept: OpaquePointer?
        await flush()
        while true {
            await untilResult()
            guard let next = unsafe PQgetResult(handle) else { return unsafe kept }
            if let before = unsafe kept, unsafe !LibpqAnswer.isSuccess(before) {
                unsafe PQclear(next)
                continue
            }
            unsafe PQclear(kept)
            unsafe kept = next
            // Nobody copies by this; the session stays in the copy and is dropped.
            if unsafe LibpqAnswer.isCopy(next) { return unsafe next }
        }
    }

    private func flush() async {
        while unsafe PQflush(handle) == 1 {
            await SocketWatch.shared.wait(for: socket, .toWrite)
            guard unsafe PQconsumeInput(handle) == 1 else { return }
        }
    }

    /// Returns when the next result stands, or never will: `PQgetResult` doesn't block then.
    private func untilResult() async {
        while unsafe PQisBusy(handle) == 1 {
            await untilReadable()
            guard unsafe PQconsumeInput(handle) == 1 else { return }
        }
    }

    /// Waits for bytes; under TLS some may have left the socket already that libpq had no room for.
    private func untilReadable() async {
        if let tls = unsafe PQsslStruct(handle, "OpenSSL"), unsafe SSL_pending(OpaquePointer(tls)) > 0 { return }
        await SocketWatch.shared.wait(for: socket)
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
        let keywords =
            options.defaults.map(\.0) + ["dbname"] + overrides.map(\.key) + PostgresOptions.settled.map(\.0)
        let made = unsafe options.address.withBytes { bytes -> OpaquePointer? in
            let values =
                options.defaults.map(\.1) + [String(decoding: bytes, as: UTF8.self)] + overrides.map(\.value)
                + PostgresOptions.settled.map(\.1)
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
