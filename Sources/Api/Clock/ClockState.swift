package import EventSourcing
package import Kernel

/// A test merchant's own clock as it stands.
package struct ClockState: Hashable, Sendable {
    package let at: Timestamp
    /// Where it travels to; `nil` while it stands.
    package let target: Timestamp?
    /// How often it was moved.
    package let steps: Int64
    /// The reasons why it waits on its way.
    package let waits: [ClockWait]

    package init(at: Timestamp, target: Timestamp?, steps: Int64, waits: [ClockWait] = []) {
        self.at = at
        self.target = target
        self.steps = steps
        self.waits = waits
    }

    var json: Json {
        .compact([
            ("object", "clock"), ("at", at.json), ("steps", .integer(steps)), ("travellingTo", target?.json),
            ("waitsFor", waits.isEmpty ? nil : .array(waits.map { .string($0.rawValue) })),
        ])
    }
}

/// Schemas of a clock, asked for and answered.
extension FormSchema {
    static let ownClock = FormSchema(
        "OwnClock",
        Schema.closed([("at", Schema.time)], "Where it begins: now where nothing is said, never in the past.")
    )

    static let advanceClock = FormSchema(
        "AdvanceClock",
        Schema.closed([("to", Schema.time)], required: ["to"], "It stops at every timer on its way."),
        example: ["to": "2099-01-31T12:00:00Z"]
    )
}

extension ClockState {
    static let schemas: [(String, Json)] = [("Clock", schema)]

    private static var schema: Json {
        Schema.object(
            [
                ("object", ["const": "clock"]), ("at", Schema.time), ("steps", Schema.integer(from: 0)),
                ("travellingTo", Schema.time), ("waitsFor", Schema.list(Schema.words(ClockWait.self))),
            ],
            required: ["object", "at", "steps"],
            "On its way it waits until nothing of waitsFor is left, then makes a step."
        )
    }
}
