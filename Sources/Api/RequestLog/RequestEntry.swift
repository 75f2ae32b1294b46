import EventSourcing
package import Http
package import Kernel

/// One answered request of a proven caller, as the request log shows it: of what a client wrote it holds ids and plain names alone.
package struct RequestEntry: Hashable, Sendable {
    /// It begins with the time of the request.
    package let id: Uuid
    /// The API key by its id.
    package let key: Uuid
    package let method: HttpMethod
    /// The path with the names of its parameters.
    package let route: String
    /// The path; a parameter that is neither an id nor a plain name stands there as its name in braces.
    package let path: String
    package let status: Int
    /// Of the problem that it was answered with.
    package let code: String?
    /// The input that its command became, or would have become.
    package let command: Uuid?
    package let address: String?
    package let microseconds: Int64

    package init(
        id: Uuid,
        key: Uuid,
        method: HttpMethod,
        route: String,
        path: String,
        status: Int,
        code: String?,
        command: Uuid?,
        address: String?,
        microseconds: Int64
    ) {
        self.id = id
        self.key = key
        self.method = method
        self.route = route
        self.path = path
        self.status = status
        self.code = code
        self.command = command
        self.address = address
        self.microseconds = microseconds
    }

    /// When it came, to the millisecond.
    package var at: Timestamp { Timestamp(microseconds: Int64(id.high >> 16) * 1000) }

    package var json: Json {
        .compact([
            ("address", address.map(Json.string)), ("at", at.json), ("code", code.map(Json.string)),
            ("command", command.map { InputId($0).json }), ("id", RequestId(id).json), ("key", key.json),
            ("method", .string(method.rawValue)), ("microseconds", .integer(microseconds)), ("object", "request"),
            ("path", .string(path)), ("route", .string(route)), ("status", .integer(Int64(status))),
        ])
    }
}

// MARK: - Lines

extension RequestEntry {
    private static let tab = UInt8(ascii: "\t")
    private static let fields = 10

    /// Writes a line with a tab between two fields; none of them can hold either.
    package func write(to lines: inout [UInt8]) {
        for field in [
            id.compact, key.compact, method.rawValue, route, path, String(status), code ?? "", command?.compact ?? "",
            address ?? "",
        ] {
            lines.append(contentsOf: field.utf8)
            lines.append(Self.tab)
        }
        lines.append(contentsOf: String(microseconds).utf8)
        lines.append(UInt8(ascii: "\n"))
    }

    /// Reads what `write` wrote; a line of another form is left out.
    package static func all(in lines: [UInt8]) -> [RequestEntry] {
        lines.split(separator: UInt8(ascii: "\n")).compactMap { RequestEntry($0) }
    }

    private init?(_ line: ArraySlice<UInt8>) {
        let texts = line.split(separator: Self.tab, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard texts.count == Self.fields, let id = Uuid(texts[0]), let key = Uuid(texts[1]),
            let method = HttpMethod(rawValue: texts[2]), let status = Int(texts[5]),
            let microseconds = Int64(texts[9])
        else { return nil }
        self.init(
            id: id,
            key: key,
            method: method,
            route: texts[3],
            path: texts[4],
            status: status,
            code: texts[6].isEmpty ? nil : texts[6],
            command: Uuid(texts[7]),
            address: texts[8].isEmpty ? nil : texts[8],
            microseconds: microseconds
        )
    }
}
