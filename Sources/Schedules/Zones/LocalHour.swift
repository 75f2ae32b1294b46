package import Kernel

/// The meaning of a wall-clock time that the zone's clocks jumped over.
package enum SkippedHour: String, Hashable, Sendable, CaseIterable {
    /// As far after the jump as the time is after its begin: 02:30 becomes 03:30. What a clock that was not set shows.
    case later
    /// The first moment after the jump: 02:30 becomes 03:00.
    case gapEnd
    /// As far before the jump: 02:30 becomes 01:30.
    case earlier
}

/// The meaning of a wall-clock time that the zone's clocks showed twice.
package enum DoubledHour: String, Hashable, Sendable, CaseIterable {
    case first, second
}

/// A wall-clock time in a zone as an instant, and how it was found.
package struct ResolvedTime: Hashable, Sendable {
    package enum Case: String, Hashable, Sendable, CaseIterable {
        case plain, skipped, doubled
        /// The clocks jumped over the whole day.
        case skippedDay
    }

    package let at: Timestamp
    package let found: Case

    package init(at: Timestamp, found: Case) {
        self.at = at
        self.found = found
    }
}

extension ZoneData {
    /// No offset is larger, so no change farther away than this can touch a wall-clock time.
    private static let reach: Int64 = 27 * 3600

    /// The instant of a wall-clock time.
    package func instant(
        of date: CivilDate,
        _ time: TimeOfDay,
        skipped: SkippedHour,
        doubled: DoubledHour
    ) -> ResolvedTime {
        let local = date.daysSinceEpoch * 86_400 + time.seconds
        let before = offset(atSecond: local - Self.reach)
        let changes = changes(in: (local - Self.reach + 1)...(local + Self.reach))
        // Between two changes one offset holds: a wall-clock time is an instant there if it falls inside.
        var instants: [Int64] = []
        for index in 0...changes.count {
            let second = local - (index == 0 ? before : changes[index - 1].after)
            let begins = index == 0 || changes[index - 1].at <= second
            let ends = index < changes.count && changes[index].at <= second
            if begins, !ends { instants.append(second) }
        }
        if let first = instants.first, let last = instants.last {
            guard first != last else { return ResolvedTime(at: Timestamp(seconds: first), found: .plain) }
            return ResolvedTime(at: Timestamp(seconds: doubled == .first ? first : last), found: .doubled)
        }
        guard let jump = changes.first(where: { $0.at + $0.before <= local && local < $0.at + $0.after }) else {
            // Every skipped time lies in one jump; data that broke that would still get the offset before it.
            return ResolvedTime(at: Timestamp(seconds: local - before), found: .skipped)
        }
        let second =
            switch skipped {
            case .later: local - jump.before
            case .gapEnd: jump.at
            case .earlier: local - jump.after
            }
        let midnight = date.daysSinceEpoch * 86_400
        let skipsDay = jump.at + jump.before <= midnight && jump.at + jump.after >= midnight + 86_400
        return ResolvedTime(at: Timestamp(seconds: second), found: skipsDay ? .skippedDay : .skipped)
    }

    /// The date and time that a clock in the zone shows at an instant.
    package func local(at instant: Timestamp) -> (date: CivilDate, time: TimeOfDay) {
        let local = instant.seconds + offset(at: instant)
        let days = local.floorDivided(by: 86_400).quotient
        return (CivilDate(daysSinceEpoch: days), TimeOfDay(clamping: local - days * 86_400))
    }
}
