import Foundation

/// A request before it is written for the wire.
struct Call {
    enum Method: String {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    var method: Method = .get
    /// Its parts are names; they are escaped when they are written.
    var path: [String]
    var query: [(name: String, value: String?)] = []
    var body: Data?
    /// Commands have one; reads and questions have none.
    var key: String?
    /// How long the daemon may hold the answer back, by `Prefer` or by a parameter of the query.
    var wait: Duration = .zero
    var headers: [String: String] = [:]

    /// Whether it may be sent again after it may have been read.
    var isRepeatable: Bool { method == .get || key != nil }

    func url(below base: URL) -> URL? {
        let names = path.map(Self.escaped).joined(separator: "/")
        let words = query.compactMap { item in item.value.map { "\(item.name)=\(Self.escaped($0))" } }
        let root = base.absoluteString
        return URL(
            string: (root.hasSuffix("/") ? String(root.dropLast()) : root) + "/" + names
                + (words.isEmpty ? "" : "?" + words.joined(separator: "&"))
        )
    }

    /// Everything but unreserved characters (RFC 3986), so that no id and no cursor reaches beyond its place.
    static func escaped(_ text: String) -> String {
        text.utf8.reduce(into: "") { escaped, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            // A path of dots alone would name another resource.
            case UInt8(ascii: "."): escaped += text.allSatisfy { $0 == "." } ? "%2E" : "."
            default: escaped += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
