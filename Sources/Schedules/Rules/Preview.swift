package import Kernel

extension ScheduleRule {
    package static let previewedOccurrences = 100

    /// The next occurrences from an ordinal on, at most a hundred, in the order in which they fall due.
    package func preview(from ordinal: Int, count: Int, _ data: CalendarData) -> [RuleOccurrence] {
        var found: [RuleOccurrence] = []
        for next in 0..<min(max(count, 0), Self.previewedOccurrences) {
            guard let occurrence = occurrence(ordinal + next, data) else { break }
            found.append(occurrence)
        }
        return found
    }

    /// The last ordinal that is due at a moment; 0 where none is.
    ///
    /// Instants never fall as ordinals rise, so about twenty occurrences are looked at, however far away the moment is.
    package func lastOrdinal(dueBy moment: Timestamp, _ data: CalendarData) -> Int {
        var (low, high) = (0, Self.ordinals)
        while low < high {
            let middle = (low + high + 1) / 2
            if let occurrence = occurrence(middle, data), occurrence.at <= moment {
                low = middle
            } else {
                high = middle - 1
            }
        }
        return low
    }
}

/// An occurrence that new zone data or another holiday table moves.
package struct MovedOccurrence: Hashable, Sendable {
    package let before: RuleOccurrence
    package let after: RuleOccurrence
}

extension ScheduleRule {
    /// Which occurrences of a range new data moves, so that people see it before it applies.
    package func moved(_ ordinals: ClosedRange<Int>, from old: CalendarData, to new: CalendarData)
        -> [MovedOccurrence]
    {
        ordinals.prefix(Self.previewedOccurrences * 100).compactMap { ordinal in
            guard let before = occurrence(ordinal, old), let after = occurrence(ordinal, new),
                before.at != after.at
            else { return nil }
            return MovedOccurrence(before: before, after: after)
        }
    }
}
