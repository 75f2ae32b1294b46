import Http
import Kernel

/// A test merchant's own clock.
enum ClockEndpoints {
    static let all: [Endpoint] = [
        .reading("getClock", "/v1/clock", by: Api.getClock)
            .documented(.schedules, "Read a test merchant's own clock", "Clock", problems: [404]),
        .asking("ownClock", "/v1/clock", .optional(.ownClock), method: .put, scope: .admin, by: Api.ownClock)
            .documented(
                .schedules,
                "Take a clock of its own for a test merchant",
                "Clock",
                [200, 201],
                problems: [409]
            ),
        .asking("advanceClock", "/v1/clock/advance", .json(.advanceClock), scope: .admin, by: Api.advanceClock)
            .documented(.schedules, "Send a test merchant's clock on its way", "Clock", [202], problems: [404, 409]),
    ]
}
