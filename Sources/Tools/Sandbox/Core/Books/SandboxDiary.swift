package import Kernel

/// Everything that happened at a simulated provider, in order, for whoever looks on; the oldest lines are dropped.
package struct SandboxDiary: Hashable, Sendable {
    package struct Line: Hashable, Sendable {
        /// Counted from one.
        package let number: Int
        package let at: Timestamp
        /// As in `call`, `payer`, `staff`, `callback`, `time`.
        package let kind: String
        package let name: String
        package let payment: String
        package let outcome: String
    }

    /// Lines kept at most.
    static let capacity = 5000

    package private(set) var lines: [Line] = []
    private var count = 0

    package init() {}

    mutating func note(_ kind: String, _ name: String, payment: String, _ outcome: String, at time: Timestamp) {
        count += 1
        // Drops a batch at a time, so that each line costs the same.
        if lines.count >= Self.capacity { lines.removeFirst(Self.capacity / 10) }
        lines.append(Line(number: count, at: time, kind: kind, name: name, payment: payment, outcome: outcome))
    }

    /// The lines of one payment, or all.
    func json(payment: String?) -> Json {
        let shown = lines.filter { payment == nil || $0.payment == payment }
        return [
            "entries": .array(
                shown.map { line in
                    [
                        "at": .string(line.at.description), "kind": .string(line.kind), "name": .string(line.name),
                        "number": .integer(Int64(line.number)), "outcome": .string(line.outcome),
                        "payment": .string(line.payment),
                    ]
                }
            )
        ]
    }
}
