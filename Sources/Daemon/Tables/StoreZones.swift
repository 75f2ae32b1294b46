import Engine
package import EventSourcing
import FoundationEssentials
import Kernel
package import Schedules
package import Store

/// Time zones out of the database; a name that nobody asked for before comes from the machine's own files, once for all.
package struct StoreZones: ZoneSource {
    package let rows: ZoneRows
    package let calendars: CalendarRows

    package init(rows: ZoneRows, calendars: CalendarRows) {
        self.rows = rows
        self.calendars = calendars
    }
    private let files = Locked<[String: ZoneData]>([:])
    private let names = Locked<[String: (digest: String, readAt: ContinuousClock.Instant)]>([:])
    package static let folder = "/usr/share/zoneinfo/"
    /// How old the knowledge may be which file holds for a name.
    private static let freshness = Duration.seconds(1)
    private static let mostKept = 2000
    /// Files whose name stands for something else on each machine, or for nothing.
    private static let unnamed: Set<Substring> = ["localtime", "posixrules", "Factory"]

    package func zone(named name: String) async throws(StoreFailure) -> ZoneData? {
        guard Self.isName(name) else { return nil }
        if let known = names.withLock({ $0[name] }), known.readAt.duration(to: .now) < Self.freshness,
            let zone = try await zone(digest: known.digest)
        {
            return zone
        }
        if let digest = try await rows.digest(named: name) {
            keep(digest, name)
            return try await zone(digest: digest)
        }
        guard let data = FileManager.default.contents(atPath: Self.folder + name), let zone = read(Array(data)) else {
            return nil
        }
        try await rows.keep(Array(data), digest: zone.digest, named: name)
        // Another node may have been first, with another edition.
        guard let digest = try await rows.digest(named: name) else { return nil }
        return try await self.zone(digest: digest)
    }

    package func businessCalendar(named name: String, version: Int?) async throws(StoreFailure) -> BusinessCalendar? {
        let row: CalendarRows.Row?
        if let version {
            row = try await calendars.row(named: name, version: version)
        } else {
            row = try await calendars.newest(named: name)
        }
        return row.flatMap { try? BusinessCalendar(name: $0.name, version: $0.version, $0.document) }
    }

    private func keep(_ digest: String, _ name: String) {
        names.withLock { names in
            if names.count >= Self.mostKept { names = [:] }
            names[name] = (digest, .now)
        }
    }

    package func zone(digest: String) async throws(StoreFailure) -> ZoneData? {
        if let known = files.withLock({ $0[digest] }) { return known }
        return try await rows.file(digest: digest).flatMap(read)
    }

    private func read(_ bytes: [UInt8]) -> ZoneData? {
        guard let zone = try? ZoneData(bytes) else { return nil }
        files.withLock { files in
            if files.count >= Self.mostKept { files = [:] }
            files[zone.digest] = zone
        }
        return zone
    }

    /// Names of the database have letters, digits, signs and single slashes; nothing that leaves the folder.
    private static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard name.utf8.count <= ScheduleRule.zoneNameBytes, (1...3).contains(parts.count),
            let last = parts.last, !unnamed.contains(last)
        else { return false }
        return parts.allSatisfy { part in
            part.first?.isLetter == true
                && part.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                        UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
        }
    }
}
