import Engine
package import EventSourcing
package import Schedules

/// One zone three hours east of UTC, by the names that tests give it.
package struct FixedZones: ZoneSource {
    private static let names: Set<String> = ["Test/East", "Europe/Moscow"]

    package init() {}

    private var east: ZoneData? {
        let header = Array("TZif3".utf8) + [UInt8](repeating: 0, count: 15)
        let counts: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]
        let block: [UInt8] = [0, 0, 0x2A, 0x30, 0, 0] + Array("EST\0".utf8)
        return try? ZoneData(header + counts + block + header + counts + block + Array("\nEST-3\n".utf8))
    }

    package func zone(named name: String) async throws(StoreFailure) -> ZoneData? {
        Self.names.contains(name) ? east : nil
    }

    package func zone(digest: String) async throws(StoreFailure) -> ZoneData? {
        east?.digest == digest ? east : nil
    }
}
