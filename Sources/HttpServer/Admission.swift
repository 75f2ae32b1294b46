import Http
import Kernel

/// Decides from a request's head whether its body is wanted.
enum Admission {
    case accept(HttpRequest.Head, BodyIntake)
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
        /// As in `HTTP/1.1`.
        let version: String
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
        guard wire.target.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return .refuse(.headMalformed, when: .now) }
        let hosts = headers.fields.count { HttpHeaders.isSame($0.name, "Host") }
        guard hosts <= 1 else { return .refuse(.hostAmbiguous, when: .now) }
        guard hosts == 1 || wire.version == "HTTP/1.0" else { return .refuse(.hostMissing, when: .now) }
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
            return .refuse(.targetTooLong(configuration.maximumTargetBytes), when: moment)
        }
        guard wire.headerBytes <= configuration.maximumHeaderBytes,
            wire.fields.count <= configuration.maximumHeaderFields
        else {
            return .refuse(
                .headersTooLarge(configuration.maximumHeaderBytes, fields: configuration.maximumHeaderFields),
                when: moment
            )
        }
        if let problem { return .refuse(problem, when: moment) }
        guard let method = HttpMethod(rawValue: wire.method) else { return .refuse(.unknownMethod, when: moment) }
        guard headers.all("Content-Encoding").allSatisfy({ HttpHeaders.isSame($0, "identity") }) else {
            return .refuse(.contentEncodingUnknown, when: moment)
        }
        let head = HttpRequest.Head(method: method, target: target, headers: headers)
        let intake = configuration.intake(head)
        guard declared ?? 0 <= intake.limit else { return .refuse(.bodyTooLarge(intake.limit), when: moment) }
        return .accept(head, intake)
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
    /// A refusal of the wire; `what` and `remedy` are a sentence each.
    private static func wire(
        _ status: Int,
        _ code: String,
        _ what: String,
        _ remedy: String,
        members: [(String, Json)] = [],
        headers: [(String, String)] = []
    ) -> Problem {
        Problem(
            status: status,
            code: code,
            detail: "\(what) \(remedy)",
            members: members,
            headers: HttpHeaders(headers)
        )
    }

    private static let corrected = "Correct the request and send it again."
    private static let shortened = "Send less at once."

    static let headMalformed = wire(
        400,
        "head_malformed",
        "A line of the head has a wrong end, a byte that it may not have, or a space before its colon.",
        corrected
    )
    static let hostMissing = wire(400, "host_missing", "A request names its Host.", corrected)
    static let hostAmbiguous = wire(400, "host_ambiguous", "Host may be given once.", corrected)
    static let transferCodingUnknown = wire(
        400,
        "transfer_coding_unknown",
        "The only transfer coding that is read is chunked.",
        corrected
    )
    static let bodyMalformed = wire(
        400,
        "body_malformed",
        "The first line of a chunk is too long, or is none.",
        corrected
    )
    static let contentEncodingUnknown = wire(
        415,
        "content_encoding_unsupported",
        "Content-Encoding is not read.",
        "Send the body as it is, without an encoding.",
        headers: [("Accept-Encoding", "identity")]
    )
    static let ambiguousLength = wire(
        400,
        "body_length_ambiguous",
        "Exactly one Content-Length or Transfer-Encoding may say how long the body is.",
        corrected
    )
    static let headerNotText = wire(400, "header_not_text", "A header's value is not UTF-8.", corrected)
    static let targetNotText = wire(400, "target_not_text", "The target is not UTF-8.", corrected)
    static let unknownMethod = wire(
        501,
        "method_unknown",
        "No route has this method.",
        "GET /openapi.json lists every route."
    )
    static let draining = wire(
        503,
        "server_draining",
        "The server is stopping; nothing was done.",
        "Send the same request again in a moment.",
        headers: [("Retry-After", "1")]
    )
    static let abandoned = wire(
        503,
        "server_stopped",
        "The server stopped before the answer was ready; what was asked may have been done.",
        "Send the same request again with the same key."
    )
    static let handlerLate = wire(
        504,
        "handler_deadline",
        "The answer was not ready in time; what was asked may have been done.",
        "Send the same request again with the same key."
    )
    static let badAnswer = wire(
        500,
        "answer_invalid",
        "The answer can't be sent; what was asked may have been done.",
        "Tell whoever runs this daemon."
    )

    static func targetTooLong(_ limit: Int) -> Problem {
        wire(414, "target_too_long", "The target may have \(limit) bytes.", shortened)
    }

    static func headersTooLarge(_ bytes: Int, fields: Int) -> Problem {
        wire(431, "headers_too_large", "The head may have \(fields) fields of \(bytes) bytes together.", shortened)
    }

    static func bodyTooLarge(_ limit: Int) -> Problem {
        wire(
            413,
            "body_too_large",
            "The body may have \(limit) bytes.",
            shortened,
            members: [("limit_bytes", .integer(Int64(limit)))]
        )
    }
}
