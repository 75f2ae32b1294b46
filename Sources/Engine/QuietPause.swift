package import EventSourcing

/// How long travelling clocks wait before somebody looks again whether their merchants are quiet.
///
/// From 10 ms, twice as long each time, to a second. A step of any clock begins anew, so that none is slow for another one's sake.
package struct QuietPause: Sendable {
    private static let first = Duration.milliseconds(10)
    private static let longest = Duration.seconds(1)
    private var pause = first

    package init() {}

    /// The pause after such a look.
    package mutating func next(after found: ClockTravel) -> Duration {
        switch found {
        case .noneTravels, .moved:
            pause = Self.first
            return .zero
        case .waits:
            defer { pause = min(pause * 2, Self.longest) }
            return pause
        }
    }
}
