import CMicrohttpd
import CShims
import Glibc
import Http

/// One callback's work on an exchange, on the connection's socket thread.
@safe struct WireStep {
    private let core: ServerCore
    private let exchange: Exchange
    private let wire: OpaquePointer

    init(core: ServerCore, exchange: Exchange, wire: OpaquePointer) {
        self.core = core
        self.exchange = exchange
        unsafe self.wire = unsafe wire
    }

    /// The head is in.
    func head(method: String, version: String) -> MHD_Result {
        exchange.stage = .body
        switch Admission.decide(wireHead(method: method, version: version), core.configuration) {
        case .accept(let head, let intake):
            exchange.head = head
            exchange.bodyLimit = intake.limit
            if intake.isStreamed, !core.beginStream(exchange, head) {
                exchange.refusal = .draining
            }
            return .YES
        case .refuse(let problem, .afterBody):
            exchange.refusal = problem
            return .YES
        case .refuse(let problem, .now):
            return answer(problem.response.with("Connection", "close"))
        }
    }

    /// Takes a piece of the body; what exceeds the limit is dropped for a while, then the connection is cut.
    func body(_ piece: UnsafeRawBufferPointer) -> MHD_Result {
        exchange.connection.moved()
        if exchange.refusal == nil, piece.count > exchange.bodyLimit - exchange.body.count {
            exchange.refusal = .bodyTooLarge(exchange.bodyLimit)
            exchange.discarded = exchange.body.count
            exchange.body = []
        }
        guard let refusal = exchange.refusal else {
            unsafe exchange.body.append(contentsOf: piece)
            return .YES
        }
        exchange.discarded += piece.count
        guard exchange.discarded > exchange.bodyLimit + HttpServerConfiguration.discardedBodyBytes else {
            return .YES
        }
        // The library cannot answer in the middle of a body, but no byte of an answer has left yet.
        let bytes = WireStep.lastWords(refusal.response)
        _ = unsafe send(shim_server_socket(wire), bytes, bytes.count, Int32(MSG_NOSIGNAL))
        return .NO
    }

    /// Takes a piece of a body that a handler reads meanwhile; answers how many bytes are left for another call.
    func stream(_ piece: UnsafeRawBufferPointer) -> (result: MHD_Result, left: Int) {
        exchange.connection.moved()
        guard let pipe = exchange.pipe else { return (.NO, 0) }
        if piece.count > exchange.bodyLimit - exchange.streamed { pipe.end(BodyFailure(.tooLarge)) }
        switch unsafe pipe.offer(piece) {
        case .accepted:
            exchange.streamed += piece.count
            exchange.connection.enter(.receiving, until: .now.advanced(by: core.configuration.transferTime))
            return (.YES, 0)
        case .full:
            core.park(exchange, atEnd: false)
            // The reader may have made room, or gone, in between.
            if pipe.hasRoom { exchange.unpark() }
            return (.YES, piece.count)
        case .dropped:
            exchange.discarded += piece.count
            guard exchange.discarded > HttpServerConfiguration.discardedBodyBytes else { return (.YES, 0) }
            let refusal = exchange.takeAnswer() ?? Problem.bodyTooLarge(exchange.bodyLimit).response
            let bytes = WireStep.lastWords(refusal)
            _ = unsafe send(shim_server_socket(wire), bytes, bytes.count, Int32(MSG_NOSIGNAL))
            return (.NO, 0)
        }
    }

    /// A streamed body is complete: the answer goes out, or the connection waits for it.
    func streamEnd() -> MHD_Result {
        exchange.pipe?.end()
        if let answer = exchange.takeAnswer() { return self.answer(answer) }
        core.park(exchange, atEnd: true)
        // The handler may have answered in between.
        if exchange.isAnswered { exchange.unpark() }
        return .YES
    }

    /// The request is complete: it is handed to its handler or refused.
    func end() -> MHD_Result {
        if let refusal = exchange.refusal { return answer(refusal.response) }
        guard let head = exchange.head else { return .NO }
        let request = HttpRequest(head: head, body: exchange.body)
        exchange.body = []
        guard core.begin(exchange, request) else { return answer(Problem.draining.response) }
        return .YES
    }

    /// Queues the answer.
    func answer(_ answer: HttpResponse) -> MHD_Result {
        exchange.stage = .answered
        exchange.connection.enter(.answering, until: .now.advanced(by: core.configuration.transferTime))
        let isSound = WireStep.canBeSent(answer)
        let answer = isSound ? answer : Problem.badAnswer.response
        let response =
            unsafe answer.stream.map { unsafe streamed($0) } ?? answer.file.map { unsafe filed($0) }
            ?? WireStep.response(answer)
        guard let response = unsafe response else { return .NO }
        defer { unsafe MHD_destroy_response(response) }
        for field in answer.headers.fields where !WireStep.isFraming(field.name) {
            // Passed as they are, the texts would be copied first.
            let isAdded = unsafe field.name.withCString { name in
                unsafe field.value.withCString { unsafe MHD_add_response_header(response, name, $0) }
            }
            guard isAdded == .YES else { return .NO }
        }
        if core.isDraining { unsafe MHD_add_response_header(response, "Connection", "close") }
        return unsafe MHD_queue_response(wire, UInt32(answer.status), response)
    }

    private static func response(_ answer: HttpResponse) -> OpaquePointer? {
        unsafe answer.body.withUnsafeBytes { bytes in
            unsafe MHD_create_response_from_buffer(
                bytes.count,
                UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                .RESPMEM_MUST_COPY
            )
        }
    }

    /// An answer whose bytes come from a pipe; an empty one puts the connection aside.
    private func streamed(_ stream: ResponseStream) -> OpaquePointer? {
        let source = AnswerSource(core: core, exchange: exchange, pipe: core.beginAnswer(exchange, stream))
        let context = unsafe Unmanaged.passRetained(source).toOpaque()
        let response = unsafe MHD_create_response_from_callback(
            UInt64.max,
            AnswerSource.blockBytes,
            AnswerSource.read,
            context,
            AnswerSource.release
        )
        if unsafe response == nil { unsafe Unmanaged<AnswerSource>.fromOpaque(context).release() }
        return unsafe response
    }

    /// An answer that lies in a file.
    private func filed(_ file: ResponseFile) -> OpaquePointer? {
        let source = FileSource(core: core, exchange: exchange, file: file)
        let context = unsafe Unmanaged.passRetained(source).toOpaque()
        let response = unsafe MHD_create_response_from_callback(
            UInt64(file.count),
            AnswerSource.blockBytes,
            FileSource.read,
            context,
            FileSource.release
        )
        if unsafe response == nil { unsafe Unmanaged<FileSource>.fromOpaque(context).release() }
        return unsafe response
    }

    // MARK: Wire forms

    private func wireHead(method: String, version: String) -> Admission.Wire {
        var collected = CollectedHead(begin: exchange.headersBegin)
        unsafe withUnsafeMutablePointer(to: &collected) { collected in
            _ = unsafe MHD_get_connection_values_n(
                wire,
                .HEADER_KIND,
                { context, _, name, nameCount, value, valueCount in
                    guard let head = unsafe context?.assumingMemoryBound(to: CollectedHead.self) else { return .NO }
                    if let name = unsafe name, let value = unsafe value {
                        let end = UInt(bitPattern: value) + UInt(valueCount)
                        unsafe head.pointee.takeLine(from: UInt(bitPattern: name), to: end)
                    }
                    let name = unsafe String(
                        decoding: UnsafeRawBufferPointer(start: name, count: nameCount),
                        as: UTF8.self
                    )
                    let text = unsafe String(
                        validating: UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueCount),
                        as: UTF8.self
                    )
                    unsafe head.pointee.fields.append((name, text))
                    unsafe head.pointee.bytes += nameCount + valueCount
                    return .YES
                },
                collected
            )
        }
        return Admission.Wire(
            method: method,
            version: version,
            target: exchange.target,
            fields: collected.fields,
            headerBytes: collected.bytes,
            hasSoundLines: collected.endsSoundly
        )
    }

    /// Fields that the library writes from the body it is given.
    private static func isFraming(_ name: String) -> Bool {
        HttpHeaders.isSame(name, "Content-Length") || HttpHeaders.isSame(name, "Transfer-Encoding")
    }

    private static func canBeSent(_ answer: HttpResponse) -> Bool {
        (200...599).contains(answer.status)
            && answer.headers.fields.allSatisfy { HttpHeaders.isValid($0.name, $0.value) }
    }

    /// A whole answer in wire form that ends its connection.
    static func lastWords(_ answer: HttpResponse) -> [UInt8] {
        var text = "HTTP/1.1 \(answer.status) \(HttpStatus.phrase(answer.status))\r\nConnection: close\r\n"
        text += "Content-Length: \(answer.body.count)\r\n"
        for field in answer.headers.fields { text += "\(field.name): \(field.value)\r\n" }
        return Array((text + "\r\n").utf8) + answer.body
    }
}

/// The fields of a head, and whether they stand in the connection's memory as they must.
private struct CollectedHead {
    var fields: [(name: String, value: String?)] = []
    var bytes = 0
    /// Where the next line has to begin; `nil` before the first one where that is not known.
    private var next: UInt?
    private var isSound = true

    /// A head has seldom more fields.
    private static let usualCount = 16

    init(begin: UInt?) {
        next = begin
        fields.reserveCapacity(Self.usualCount)
    }

    /// The library reads in place and puts zeros for the two bytes that end a line.
    mutating func takeLine(from name: UInt, to end: UInt) {
        if let next, next != name { isSound = false }
        next = end + 2
    }

    /// Whether an empty line follows the last one.
    var endsSoundly: Bool {
        guard isSound else { return false }
        guard !fields.isEmpty, let next, let rest = unsafe UnsafePointer<UInt8>(bitPattern: next - 2) else {
            return true
        }
        return (0..<4).allSatisfy { unsafe rest[$0] == 0 }
    }
}
