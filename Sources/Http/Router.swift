import Kernel

/// Finds the route of a method and a path; patterns are literal segments and `{name}` captures.
///
/// A literal segment wins over a capture. A capture takes one segment that is not empty, with its escapes decoded. `HEAD`
/// goes where `GET` goes, unless it has a route of its own.
package struct Router<Route: Sendable>: Sendable {
    /// One line of the table.
    package struct Entry: Sendable {
        package let method: HttpMethod
        package let pattern: String
        package let route: Route
    }

    /// The table's word about a request.
    package enum Match: Sendable {
        case found(Route, PathParameters)
        case notFound
        /// The path is known under other methods.
        case methodNotAllowed(allowed: [HttpMethod])
    }

    /// The table in the order it was given.
    package let entries: [Entry]
    /// The names of each entry's captures.
    private let names: [[String]]
    private var root = Node()

    /// Builds the table; a pattern without a leading `/`, or two entries for one method and path, are defects.
    package init(_ table: [(method: HttpMethod, pattern: String, route: Route)]) {
        entries = table.map { Entry(method: $0.method, pattern: $0.pattern, route: $0.route) }
        names = table.map { Self.captureNames(of: $0.pattern) }
        for (index, entry) in entries.enumerated() {
            precondition(entry.pattern.hasPrefix("/"), "a pattern begins with a slash")
            let segments = entry.pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            root.insert(segments[...], method: entry.method, entry: index)
        }
    }

    package func match(_ method: HttpMethod, _ path: Substring) -> Match {
        guard path.utf8.first == UInt8(ascii: "/") else { return .notFound }
        let behind = path[path.utf8.index(after: path.startIndex)...]
        guard let segments = Self.segments(behind) else { return .notFound }
        var captured: [String] = []
        guard let methods = root.find(segments[...], &captured) else { return .notFound }
        guard let index = methods[method] ?? (method == .head ? methods[.get] : nil) else {
            return .methodNotAllowed(allowed: allowed(methods))
        }
        return .found(entries[index].route, PathParameters(names: names[index], values: captured))
    }

    /// The segments between slashes, without their escapes; `nil` where one can't be read.
    private static func segments(_ path: Substring) -> [Substring]? {
        var segments: [Substring] = []
        segments.reserveCapacity(8)
        var rest = path
        while true {
            let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            let segment = rest[..<end]
            if segment.utf8.contains(UInt8(ascii: "%")) {
                guard let plain = FormEncoding.unescape(segment.utf8, plusAsSpace: false) else { return nil }
                segments.append(plain[...])
            } else {
                segments.append(segment)
            }
            guard end < rest.endIndex else { return segments }
            rest = rest[rest.utf8.index(after: end)...]
        }
    }

    package func match(_ head: HttpRequest.Head) -> Match { match(head.method, head.path) }

    /// The methods of a path, `HEAD` included where `GET` is, in the order of the enumeration.
    private func allowed(_ methods: [HttpMethod: Int]) -> [HttpMethod] {
        HttpMethod.allCases.filter { methods[$0] != nil || ($0 == .head && methods[.get] != nil) }
    }

    /// The names of a pattern's captures, in its order.
    package static func captureNames(of pattern: String) -> [String] {
        pattern.split(separator: "/").compactMap(captureName)
    }
}

/// The captured segments of a path, by the names of the pattern.
package struct PathParameters: Sendable {
    private let names: [String]
    private let values: [String]

    init(names: [String], values: [String]) {
        self.names = names
        self.values = values
    }

    package init(_ pairs: [(name: String, value: String)]) {
        self.init(names: pairs.map(\.name), values: pairs.map(\.value))
    }

    package var pairs: [(name: String, value: String)] { zip(names, values).map { (name: $0, value: $1) } }

    package subscript(_ name: String) -> String? {
        for (own, value) in zip(names, values) where own == name { return value }
        return nil
    }
}

/// The name inside `{…}`; `nil` for a literal segment.
private func captureName(_ segment: Substring) -> String? {
    segment.hasPrefix("{") && segment.hasSuffix("}") ? String(segment.dropFirst().dropLast()) : nil
}

/// One segment's place in the tree of patterns.
private struct Node: Sendable {
    var literals: [Substring: Node] = [:]
    /// At most one element: the subtree behind a capture.
    var capture: [Node] = []
    var entries: [HttpMethod: Int] = [:]

    mutating func insert(_ segments: ArraySlice<Substring>, method: HttpMethod, entry: Int) {
        guard let first = segments.first else {
            precondition(entries[method] == nil, "each method and path has one route")
            entries[method] = entry
            return
        }
        if captureName(first) != nil {
            if capture.isEmpty { capture.append(Node()) }
            capture[0].insert(segments.dropFirst(), method: method, entry: entry)
        } else {
            literals[first, default: Node()].insert(segments.dropFirst(), method: method, entry: entry)
        }
    }

    /// Walks down; a branch that ends nowhere is left again, so a literal never hides a capture that fits.
    func find(_ segments: ArraySlice<Substring>, _ captured: inout [String]) -> [HttpMethod: Int]? {
        guard let first = segments.first else { return entries.isEmpty ? nil : entries }
        if let found = literals[first]?.find(segments.dropFirst(), &captured) { return found }
        guard let branch = capture.first, !first.isEmpty else { return nil }
        captured.append(String(first))
        if let found = branch.find(segments.dropFirst(), &captured) { return found }
        captured.removeLast()
        return nil
    }
}
