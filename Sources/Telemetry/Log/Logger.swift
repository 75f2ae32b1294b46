package import Kernel

/// Takes finished lines, without their newline; it must return quickly.
package protocol LogSink: Sendable {
    func write(_ line: [UInt8])
}

/// Writes log lines as JSON objects: a constant message and named fields.
package struct Logger: Sendable {
    private let sink: any LogSink
    private let now: @Sendable () -> Timestamp
    private let least: LogLevel
    /// Canonical fields of every line of this logger.
    private let fields: [(name: String, value: LogValue)]

    package init(sink: any LogSink, least: LogLevel = .info, now: @escaping @Sendable () -> Timestamp) {
        self.init(sink: sink, least: least, now: now, fields: [])
    }

    private init(
        sink: any LogSink,
        least: LogLevel,
        now: @escaping @Sendable () -> Timestamp,
        fields: [(name: String, value: LogValue)]
    ) {
        self.sink = sink
        self.least = least
        self.now = now
        self.fields = fields
    }

    /// A logger whose lines all have these fields, too.
    package func with(_ more: KeyValuePairs<String, LogValue>) -> Logger {
        Logger(sink: sink, least: least, now: now, fields: Self.merged(fields, more))
    }

    package func debug(_ message: StaticString, _ fields: KeyValuePairs<String, LogValue> = [:]) {
        log(.debug, message, fields)
    }

    package func info(_ message: StaticString, _ fields: KeyValuePairs<String, LogValue> = [:]) {
        log(.info, message, fields)
    }

    package func warning(_ message: StaticString, _ fields: KeyValuePairs<String, LogValue> = [:]) {
        log(.warning, message, fields)
    }

    package func error(_ message: StaticString, _ fields: KeyValuePairs<String, LogValue> = [:]) {
        log(.error, message, fields)
    }

    package func log(_ level: LogLevel, _ message: StaticString, _ fields: KeyValuePairs<String, LogValue> = [:]) {
        guard level >= least else { return }
        let fields = Self.merged(self.fields, fields)
        let line = JsonText.object { line in
            line.member("at", now())
            line.member("level", level.name)
            line.member("message", constant: message)
            for field in fields {
                let isReserved = Self.reserved.contains(field.name)
                line.member(named: isReserved ? "_" + field.name : field.name, field.value.json)
            }
        }
        sink.write(line)
    }

    private static let reserved: Set<String> = ["at", "level", "message"]

    /// Later fields replace earlier ones of the same name.
    private static func merged(
        _ fields: [(name: String, value: LogValue)],
        _ more: KeyValuePairs<String, LogValue>
    ) -> [(name: String, value: LogValue)] {
        var out = fields
        out.reserveCapacity(fields.count + more.count)
        for (name, value) in more {
            if let index = out.firstIndex(where: { $0.name == name }) {
                out[index].value = value
            } else {
                out.append((name, value))
            }
        }
        return out
    }
}

extension LogValue {
    fileprivate var json: Json {
        switch self {
        case .text(let text):
            guard text.utf8.count > Limits.logValueBytes else { return .string(text) }
            return .string(String(decoding: text.utf8.prefix(Limits.logValueBytes), as: UTF8.self) + "…")
        case .integer(let value): return .integer(value)
        case .flag(let value): return .bool(value)
        }
    }
}
