import Kernel

/// A request as the simulators see it.
package struct SandboxRequest: Hashable, Sendable {
    package let method: String
    /// The path before decoding, without the query.
    package let path: String
    /// The query as it stood in the address, without the question mark.
    package let query: String
    package let body: [UInt8]
    /// Whether the sender is a browser, which gets pages and redirects where a program gets JSON.
    package let wantsPage: Bool
    /// Header values by names in lower case, for providers that sign or key their requests there; repeated ones are joined
    /// by commas.
    package let headers: [String: String]

    package init(
        method: String,
        path: String,
        query: String = "",
        body: [UInt8] = [],
        wantsPage: Bool = false,
        headers: [String: String] = [:]
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.wantsPage = wantsPage
        self.headers = headers
    }

    /// The decoded parts of the path; `nil` where an escape is broken.
    package var segments: [String]? {
        var parts: [String] = []
        for piece in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true) {
            guard let part = FormEncoding.unescape(piece, plusAsSpace: false) else { return nil }
            parts.append(part)
        }
        return parts
    }

    /// A value of the query.
    func queryValue(_ name: String) -> String? {
        FormEncoding.decode(query)?.first { $0.name == name }?.value
    }
}

extension String {
    var isHttpAddress: Bool { hasPrefix("http://") || hasPrefix("https://") }
}
