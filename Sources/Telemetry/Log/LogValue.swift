/// A value of a log field; there is no way to make one of a secret or of a body.
package enum LogValue: Hashable, Sendable {
    case text(String)
    case integer(Int64)
    case flag(Bool)

    /// The description of an identifier or another value that may be shown.
    package init(_ value: some CustomStringConvertible & Sendable) { self = .text(value.description) }

    /// Whole milliseconds.
    package static func milliseconds(_ duration: Duration) -> LogValue {
        let parts = duration.components
        return .integer(parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000)
    }
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral
{
    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .flag(value) }
}

/// How much a line matters.
package enum LogLevel: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// Steps, for somebody who looks for a fault.
    case debug
    /// Something happened as it should.
    case info
    /// Something to look at soon.
    case warning
    /// Something to look at now.
    case error

    package init?(name: String) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    package var name: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }

    package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
