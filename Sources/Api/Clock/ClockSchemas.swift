import EventSourcing
import Kernel
import Payments

/// What a clock looks like, asked for and answered.
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
