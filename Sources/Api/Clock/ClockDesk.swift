package import EventSourcing
package import Kernel

/// A test merchant's own clock as it stands.
package struct ClockState: Hashable, Sendable {
    package let at: Timestamp
    /// Where it travels to; `nil` while it stands.
    package let target: Timestamp?
    /// How often it was moved.
    package let steps: Int64
    /// What it waits for on its way.
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

/// Keeps business clocks of merchants in test mode.
package protocol ClockDesk: Sendable {
    func clock(of merchant: MerchantNumber) async throws(ReadFailure) -> ClockState?
    /// Gives a merchant a clock; false where it has one.
    func own(_ merchant: MerchantNumber, from start: Timestamp) async throws(ReadFailure) -> Bool
    /// Sends a clock on its way; false where it is past that moment or travels further.
    func send(_ merchant: MerchantNumber, to target: Timestamp) async throws(ReadFailure) -> Bool
}

/// A desk where nobody has a clock or gets one.
package struct NoClockDesk: ClockDesk {
    package init() {}

    package func clock(of merchant: MerchantNumber) async throws(ReadFailure) -> ClockState? { nil }
    package func own(_ merchant: MerchantNumber, from start: Timestamp) async throws(ReadFailure) -> Bool { false }
    package func send(_ merchant: MerchantNumber, to target: Timestamp) async throws(ReadFailure) -> Bool { false }
}
