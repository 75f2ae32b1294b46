/// A report of finance, made as of a position of the log.
public struct Report: Codable, Hashable, Sendable {
    public let object: String
    public let name: String
    public let zone: String
    /// Asked again as of it, the report is the same for ever.
    public let position: Int64
    /// Where movements between two positions are listed, the earlier one.
    public let since: Int64?
    /// The first day that is not over yet, as `2026-11-21`.
    public let openDay: String?
    /// Streams that are left out because they can't be read.
    public let streamsAside: Int
    /// Values by the names of the report's columns; amounts are minor units, and texts where they don't fit 64 bits.
    public let rows: [[String: JsonValue]]
    public let formulas: JsonValue
}

/// A report that there is, with its columns.
public struct ReportDescription: Codable, Hashable, Sendable {
    public let name: String
    public let summary: String
    public let columns: [Column]
    public let formulas: JsonValue

    public struct Column: Codable, Hashable, Sendable {
        public let name: String
        /// As `amount` or `day`.
        public let content: String
    }
}
