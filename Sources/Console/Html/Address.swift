import Http
import Kernel

/// An address of the console: a path of ours and a query, escaped where they are put together.
package struct Address: Hashable, Sendable {
    private let path: String
    private(set) var query: [(name: String, value: String)]

    package static let root = "/console"

    /// `path` is written below the console's own, each of its segments as it is meant.
    package init(_ segments: String..., query: [(name: String, value: String)] = []) {
        path = ([Self.root] + segments.map(FormEncoding.escape)).joined(separator: "/")
        self.query = query
    }

    private init(path: String, query: [(name: String, value: String)]) {
        self.path = path
        self.query = query
    }

    /// The address that a text names where it is one of the console; where to go after signing in.
    package init?(returning text: String) {
        guard text.utf8.count <= Limits.targetBytes,
            text == Self.root || text.hasPrefix(Self.root + "/") || text.hasPrefix(Self.root + "?"),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
            let query = HttpRequest.Head(method: .get, target: text).query
        else { return nil }
        self.init(path: String(HttpRequest.Head(method: .get, target: text).path), query: query)
    }

    /// The address of a request.
    init(of request: HttpRequest) {
        self.init(path: String(request.path), query: request.query ?? [])
    }

    package var text: String { query.isEmpty ? path : path + "?" + FormEncoding.encode(query) }

    /// The same with another value of a parameter; `nil` leaves it out.
    package func with(_ name: String, _ value: String?) -> Address {
        var query = query.filter { $0.name != name }
        if let value, !value.isEmpty { query.append((name, value)) }
        return Address(path: path, query: query)
    }

    /// The same query at another page.
    package func moved(to segments: String...) -> Address {
        Address(path: ([Self.root] + segments.map(FormEncoding.escape)).joined(separator: "/"), query: query)
    }

    package static func == (left: Address, right: Address) -> Bool { left.text == right.text }
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
