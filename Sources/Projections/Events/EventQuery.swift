package import EventSourcing
package import Kernel

/// Where a public event stands among its merchant's.
package struct EventPosition: Hashable, Sendable, Comparable {
    /// Of the log.
    package let position: Int64
    package let number: Int16

    package init(_ position: Int64, _ number: Int16) {
        self.position = position
        self.number = number
    }

    /// Before the first one.
    package static let beginning = EventPosition(0, 0)

    /// Behind all of one position of the log.
    package static func end(of position: Int64) -> EventPosition { EventPosition(position, .max) }

    package static func < (left: EventPosition, right: EventPosition) -> Bool {
        (left.position, left.number) < (right.position, right.number)
    }
}

/// Selects a page of a merchant's public events.
package struct EventQuery: Hashable, Sendable {
    /// Where the page begins; `nil` for now, where nothing is behind it.
    package var after: EventPosition?
    /// The recovery epoch that `after` was given in, by when it began; `nil` for the newest.
    package var epoch: Timestamp?
    /// Names of types; `nil` for all.
    package var types: [String]?
    /// One resource's alone.
    package var stream: StreamName?
    package var limit = Limits.pageRows

    package init(after: EventPosition?) { self.after = after }

    /// Events at most that a page looks at.
    package static let scanned: Int32 = 5000
    /// Bytes of bodies behind which a page ends: with its last event it stays below what clients read of an answer by standard.
    package static let bytes: Int32 = 1 << 19
}

/// A page of public events, and where the log stands.
package struct EventPage: Sendable {
    package struct Row: Sendable {
        package let position: EventPosition
        package let body: [UInt8]

        package init(position: EventPosition, body: [UInt8]) {
            self.position = position
            self.body = body
        }
    }

    package let rows: [Row]
    /// Where the page ends: the last event that was looked at, or where it began.
    package let end: EventPosition
    /// The merchant's newest event.
    package let newest: EventPosition
    /// The last position that the log has given.
    package let log: Int64
    /// When the newest recovery epoch began.
    package let epoch: Timestamp
    /// The last position that the log kept through the epochs that began since the query's; `nil` where there were none.
    package let kept: Int64?

    package init(
        rows: [Row],
        end: EventPosition,
        newest: EventPosition,
        log: Int64,
        epoch: Timestamp,
        kept: Int64?
    ) {
        self.rows = rows
        self.end = end
        self.newest = newest
        self.log = log
        self.epoch = epoch
        self.kept = kept
    }

    /// Whether there is more behind it.
    package var hasMore: Bool { end < newest }
}
