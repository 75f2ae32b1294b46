import SystemKit

/// How much one payment may cost in something that is counted and no machine blurs.
struct Budget: Sendable {
    /// As in the figure's line.
    let name: String
    /// What it is to come down to.
    let target: Double
    /// More than this is a step back from where the code stands, and the run ends with 1.
    ///
    /// Where the target is met it is the limit, but for the rows, of which builds with assertions write nearly 80. Statements, flushes and switches are of a machine that does nothing else: on a busy one fewer
    /// inputs meet in one commit, and services look more often while a payment lasts. Beside four test suites a lifecycle made 12
    /// statements and 60 switches.
    let limit: Double

    /// Of a whole lifecycle.
    static let lifecycle = [
        Budget(name: "statements", target: 10, limit: 10),
        Budget(name: "flushes", target: 3, limit: 3),
        Budget(name: "switches", target: 30, limit: 30),
        Budget(name: "rowsWritten", target: 80, limit: 82),
        Budget(name: "walBytes", target: 44_000, limit: 58_000),
        Budget(name: "allocations", target: 2500, limit: 3400 * assertions),
        Budget(name: "sandboxAllocations", target: 500, limit: 800 * assertions),
    ]

    /// Of an accepted payment.
    static let accept = [Budget(name: "allocations", target: 300, limit: 580 * assertions)]

    /// What assertions and the points of the crash drill add, where they are compiled in; such builds are optimised otherwise.
    private static let assertions = Version.build == "debug" ? 1.12 : 1
}
