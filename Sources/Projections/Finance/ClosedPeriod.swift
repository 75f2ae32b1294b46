package import Kernel

/// A month of a merchant's books that is closed: what is known later is booked in the first month that is open.
package struct ClosedPeriod: Hashable, Sendable {
    /// As `2026-10`.
    package let month: String
    /// In which it begins and ends.
    package let zone: String
    /// Movements up to this position of the log were known.
    package let position: Int64
    package let closedAt: Timestamp
    package let closedBy: String
    package let note: String?

    package init(
        month: String,
        zone: String,
        position: Int64,
        closedAt: Timestamp,
        closedBy: String,
        note: String?
    ) {
        self.month = month
        self.zone = zone
        self.position = position
        self.closedAt = closedAt
        self.closedBy = closedBy
        self.note = note
    }

    /// Why a month can't be closed.
    package enum Refusal: Hashable, Sendable {
        /// A day of it may still grow.
        case notOver
        /// Streams are set aside, whose movements are missing.
        case streamsAside
        /// It doesn't follow the last one that is closed.
        case notNext(String)
    }

    package static func isMonth(_ text: String) -> Bool {
        text.utf8.count == 7 && Timestamp("\(text)-01T00:00:00Z") != nil
    }
}
