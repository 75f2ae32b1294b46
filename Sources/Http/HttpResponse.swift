package import Kernel

/// An answer: status, header fields and the body, whole, in a file, or written while it goes out.
package struct HttpResponse: Hashable, Sendable {
    package var status: Int
    package var headers: HttpHeaders
    package var body: [UInt8]
    /// The body where it lies in a file; `body` is empty then.
    package var file: ResponseFile?
    /// What writes the body; `body` is empty then.
    package var stream: ResponseStream?

    package init(status: Int, headers: HttpHeaders = HttpHeaders(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Answers with a JSON value in compact form.
    package static func json(_ status: Int, _ value: Json) -> HttpResponse {
        HttpResponse(status: status, contentType: "application/json", body: value.compactBytes)
    }

    package static func text(_ status: Int, _ text: String) -> HttpResponse {
        HttpResponse(status: status, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
    }

    package static func html(_ status: Int, _ text: String) -> HttpResponse {
        HttpResponse(status: status, contentType: "text/html; charset=utf-8", body: Array(text.utf8))
    }

    package static func empty(_ status: Int) -> HttpResponse { HttpResponse(status: status) }

    package init(status: Int, contentType: String, body: [UInt8]) {
        self.init(status: status, headers: HttpHeaders([("Content-Type", contentType)]), body: body)
    }

    /// The same answer with one more field; a field of that name is replaced.
    package func with(_ name: String, _ value: String) -> HttpResponse {
        var copy = self
        copy.headers.set(name, value)
        return copy
    }
}

/// The phrases of status codes (RFC 9110, section 15; RFC 6585).
package enum HttpStatus {
    package static func phrase(_ status: Int) -> String { phrases[status] ?? "Status \(status)" }

    private static let phrases: [Int: String] = [
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 301: "Moved Permanently", 302: "Found",
        303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
        411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
        415: "Unsupported Media Type", 417: "Expectation Failed", 421: "Misdirected Request",
        422: "Unprocessable Content", 425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required",
        429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
        501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
        505: "HTTP Version Not Supported",
    ]
}
