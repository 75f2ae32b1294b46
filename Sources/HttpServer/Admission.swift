import Http
import Kernel

/// Decides from a request's head whether its body is wanted.
enum Admission {
    case accept(HttpRequest.Head, bodyLimit: Int)
    case refuse(Problem, when: Moment)

    enum Moment {
        /// The answer closes the connection: its framing cannot be trusted or its body is not worth reading.
        case now
        /// The body is read and dropped first, so that the client surely sees the answer.
        case afterBody
    }

    /// The head as it came from the wire.
    struct Wire {
        let method: String
        let target: [UInt8]
        /// Names and values; a value that is not UTF-8 is `nil`.
        let fields: [(name: String, value: String?)]
        let headerBytes: Int
        /// Whether each line of the head ends in carriage return and line feed, right behind what was read of it.
        ///
        /// The library also ends lines at a lone carriage return, and values at a byte of zero: whoever stands before us
        /// may have read another request.
        let hasSoundLines: Bool
    }

    static func decide(_ wire: Wire, _ configuration: HttpServerConfiguration) -> Admission {
        var headers = HttpHeaders()
        var problem: Problem?
        for field in wire.fields {
            if let value = field.value { headers.append(field.name, value) } else { problem = .headerNotText }
        }
        guard wire.hasSoundLines, headers.fields.allSatisfy({ HttpHeaders.isValid($0.name, $0.value) }) else {
            return .refuse(.headMalformed, when: .now)
        }
        guard headers.all("Host").count <= 1 else { return .refuse(.hostAmbiguous, when: .now) }
        let lengths = headers.all("Content-Length")
        let encodings = headers.all("Transfer-Encoding")
        guard lengths.count <= 1, encodings.count <= 1, lengths.isEmpty || encodings.isEmpty else {
            return .refuse(.ambiguousLength, when: .now)
        }
        guard encodings.allSatisfy({ HttpHeaders.isSame($0, "chunked") }) else {
            return .refuse(.transferCodingUnknown, when: .now)
        }
        let declared: Int?
        if let length = lengths.first {
            guard let count = decimal(length) else { return .refuse(.ambiguousLength, when: .now) }
            declared = count
        } else {
            declared = encodings.isEmpty ? 0 : nil
        }
        let moment = moment(declared: declared, headers)
        guard let target = String(validating: wire.target, as: UTF8.self) else {
            return .refuse(.targetNotText, when: moment)
        }
        guard wire.target.count <= configuration.maximumTargetBytes else {
            return .refuse(.targetTooLong, when: moment)
        }
        guard wire.headerBytes <= configuration.maximumHeaderBytes,
            wire.fields.count <= configuration.maximumHeaderFields
        else { return .refuse(.headersTooLarge, when: moment) }
        if let problem { return .refuse(problem, when: moment) }
        guard let method = HttpMethod(rawValue: wire.method) else { return .refuse(.unknownMethod, when: moment) }
        guard headers.all("Content-Encoding").allSatisfy({ HttpHeaders.isSame($0, "identity") }) else {
            return .refuse(.contentEncodingUnknown, when: moment)
        }
        let head = HttpRequest.Head(method: method, target: target, headers: headers)
        let limit = configuration.bodyLimit(head)
        guard declared ?? 0 <= limit else { return .refuse(.bodyTooLarge(limit), when: moment) }
        return .accept(head, bodyLimit: limit)
    }

    /// A body that is short, or comes without asking, is read before the refusal.
    private static func moment(declared: Int?, _ headers: HttpHeaders) -> Moment {
        guard headers["Expect"] == nil, let declared else { return .now }
        return declared <= HttpServerConfiguration.discardedBodyBytes ? .afterBody : .now
    }

    /// Reads digits and nothing else.
    private static func decimal(_ text: String) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }
}

extension Problem {
    static let headMalformed = Problem(
        status: 400,
        code: "head_malformed",
        detail: "a line of the head has a wrong end, a byte that no field may have, or a space before its colon"
    )
    static let hostAmbiguous = Problem(status: 400, code: "host_ambiguous", detail: "Host may be given once")
    static let transferCodingUnknown = Problem(
        status: 400,
        code: "transfer_coding_unknown",
        detail: "the only transfer coding that is read is chunked"
    )
    static let bodyMalformed = Problem(
        status: 400,
        code: "body_malformed",
        detail: "the first line of a chunk is too long, or is none"
    )
    static let contentEncodingUnknown = Problem(
        status: 415,
        code: "content_encoding_unsupported",
        detail: "a body is sent as it is, without Content-Encoding",
        headers: HttpHeaders([("Accept-Encoding", "identity")])
    )
    static let ambiguousLength = Problem(
        status: 400,
        code: "body_length_ambiguous",
        detail: "exactly one Content-Length or Transfer-Encoding may say how long the body is"
    )
    static let headerNotText = Problem(
        status: 400,
        code: "header_not_text",
        detail: "a header value is not UTF-8"
    )
    static let targetNotText = Problem(status: 400, code: "target_not_text", detail: "the target is not UTF-8")
    static let targetTooLong = Problem(status: 414, code: "target_too_long")
    static let headersTooLarge = Problem(status: 431, code: "headers_too_large")
    static let unknownMethod = Problem(status: 501, code: "method_unknown")
    static let draining = Problem(
        status: 503,
        code: "server_draining",
        detail: "the server is stopping; nothing was done",
        headers: HttpHeaders([("Retry-After", "1")])
    )
    static let abandoned = Problem(
        status: 503,
        code: "server_stopped",
        detail: "the server stopped before the answer was ready; what was asked may have been done"
    )
    static let handlerLate = Problem(
        status: 504,
        code: "handler_deadline",
        detail: "the answer was not ready in time; what was asked may have been done"
    )
    static let badAnswer = Problem(status: 500, code: "answer_invalid")

    static func bodyTooLarge(_ limit: Int) -> Problem {
        Problem(
            status: 413,
            code: "body_too_large",
            detail: "the body may have \(limit) bytes",
            members: [("limit_bytes", .integer(Int64(limit)))]
        )
    }
}
