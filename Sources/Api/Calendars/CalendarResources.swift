import EventSourcing
package import Kernel
package import Schedules

/// A time zone that schedules are planned by, and the file that holds for it.
package struct PlannedZone: Hashable, Sendable {
    package let name: String
    /// SHA-256 of the TZif file in lower-case hexadecimal, as occurrences name it.
    package let digest: String
    package let adoptedAt: Timestamp

    package init(name: String, digest: String, adoptedAt: Timestamp) {
        self.name = name
        self.digest = digest
        self.adoptedAt = adoptedAt
    }

    var json: Json {
        ["object": "zone", "name": .string(name), "digest": .string(digest), "adoptedAt": adoptedAt.json]
    }
}

/// A business calendar in the version that holds.
package struct KeptCalendar: Hashable, Sendable {
    package let calendar: BusinessCalendar
    package let adoptedAt: Timestamp

    package init(_ calendar: BusinessCalendar, adoptedAt: Timestamp) {
        self.calendar = calendar
        self.adoptedAt = adoptedAt
    }

    var json: Json {
        let days = calendar.json
        return [
            "object": "business_calendar", "name": .string(calendar.name),
            "version": .integer(Int64(calendar.version)), "adoptedAt": adoptedAt.json,
            "weekend": days["weekend"] ?? .null, "holidays": days["holidays"] ?? .null,
            "workdays": days["workdays"] ?? .null,
        ]
    }
}
