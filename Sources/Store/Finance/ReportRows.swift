package import EventSourcing
package import Projections

/// The rows of a report, some at a time: the same query as of the same position gives the same, byte for byte.
package protocol ReportRows: Sendable {
    var head: ReportHead { get }

    /// The next rows, a cell for each column; `nil` behind the last. A cell is `nil` where its column says nothing of a row.
    mutating func next() async throws(StoreFailure) -> [[String?]]?

    /// How many of all days are read, where it goes by days.
    var progress: (done: Int64, all: Int64)? { get }
}

extension ReportRows {
    package var progress: (done: Int64, all: Int64)? { nil }
}

/// Rows that are all there.
package struct GatheredRows: ReportRows {
    package let head: ReportHead
    private var rows: [[String?]]?

    package init(_ head: ReportHead, _ rows: [[String?]]) {
        self.head = head
        self.rows = rows
    }

    package mutating func next() async throws(StoreFailure) -> [[String?]]? {
        defer { rows = nil }
        return rows
    }
}
