import Synchronization

/// A number that only grows.
package final class Counter: Sendable {
    private let count = Atomic<Int64>(0)

    init() {}

    package func increment(by amount: Int64 = 1) {
        precondition(amount >= 0, "a counter only grows")
        count.wrappingAdd(amount, ordering: .relaxed)
    }

    package var value: Int64 { count.load(ordering: .relaxed) }
}

/// A number that goes up and down.
package final class Gauge: Sendable {
    private let current = Atomic<Int64>(0)

    init() {}

    package func set(_ value: Int64) { current.store(value, ordering: .relaxed) }
    package func add(_ amount: Int64) { current.wrappingAdd(amount, ordering: .relaxed) }
    package var value: Int64 { current.load(ordering: .relaxed) }
}
