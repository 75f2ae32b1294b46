import Kernel

/// A request as it came in: the target and the body are the exact bytes of the wire.
package struct HttpRequest: Hashable, Sendable {
    /// The part of a request that is known before its body.
    package struct Head: Hashable, Sendable {
        package var method: HttpMethod
        /// The request target: path and query with their escapes, nothing decoded.
        package var target: String
        package var headers: HttpHeaders

        package init(method: HttpMethod, target: String, headers: HttpHeaders = HttpHeaders()) {
            self.method = method
            self.target = target
            self.headers = headers
        }

        /// The path with its escapes, without the query.
        package var path: Substring { Substring(originForm.utf8.prefix { $0 != UInt8(ascii: "?") }) }

        /// The text behind the first `?`, with its escapes; `nil` where there is none.
        package var rawQuery: Substring? {
            let target = originForm
            guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
            return target[target.utf8.index(after: mark)...]
        }

        /// The decoded pairs of the query; `nil` where an escape is broken or the bytes are not UTF-8.
        package var query: [(name: String, value: String)]? { FormEncoding.decode(rawQuery ?? "") }

        /// The target without scheme and authority, which a client may send (RFC 9112, section 3.2.2).
        private var originForm: Substring {
            for scheme in ["http://", "https://"] where target.utf8.starts(with: scheme.utf8) {
                let rest = target.utf8.dropFirst(scheme.utf8.count)
                return rest.firstIndex(where: "/?".utf8.contains).map { Substring(rest[$0...]) } ?? "/"
            }
            return target[...]
        }
    }

    package var head: Head
    package var body: [UInt8]
    /// The numeric address that the connection came from, where the server told it.
    package var peerAddress: String?

    package init(head: Head, body: [UInt8]) {
        self.head = head
        self.body = body
    }

    package init(
        method: HttpMethod,
        target: String,
        headers: HttpHeaders = HttpHeaders(),
        body: [UInt8] = []
    ) {
        self.init(head: Head(method: method, target: target, headers: headers), body: body)
    }

    package var method: HttpMethod { head.method }
    package var target: String { head.target }
    package var headers: HttpHeaders { head.headers }

    /// The path with its escapes, without the query.
    package var path: Substring { head.path }

    /// The decoded pairs of the query; `nil` where an escape is broken or the bytes are not UTF-8.
    package var query: [(name: String, value: String)]? { head.query }
}
