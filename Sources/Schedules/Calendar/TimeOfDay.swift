import Kernel

/// The time that a wall clock shows, to the second.
package struct TimeOfDay: Hashable, Sendable, Comparable {
    /// Since midnight on the clock's face, 0 to 86399.
    package let seconds: Int64

    package init?(hour: Int64, minute: Int64, second: Int64 = 0) {
        guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second) else { return nil }
        seconds = hour * 3600 + minute * 60 + second
    }

    init(clamping seconds: Int64) { self.seconds = min(max(seconds, 0), 86_399) }

    package static let midnight = TimeOfDay(clamping: 0)
    package static let noon = TimeOfDay(clamping: 43_200)

    /// Parses `HH:MM` or `HH:MM:SS`.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 5 || bytes.count == 8, bytes[2] == UInt8(ascii: ":"),
            bytes.count == 5 || bytes[5] == UInt8(ascii: ":"), let hour = CivilDate.digits(bytes[0..<2]),
            let minute = CivilDate.digits(bytes[3..<5]),
            let second = bytes.count == 5 ? 0 : CivilDate.digits(bytes[6..<8])
        else { return nil }
        self.init(hour: hour, minute: minute, second: second)
    }

    /// `HH:MM:SS`.
    package var text: String {
        let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60]
        return parts.map { CivilDate.padded($0, 2) }.joined(separator: ":")
    }

    package static func < (left: TimeOfDay, right: TimeOfDay) -> Bool { left.seconds < right.seconds }
}
