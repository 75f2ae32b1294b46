import SystemKit

/// How much one payment may cost in something that is counted and no machine blurs.
struct Budget: Sendable {
    /// As in the figure's line.
    let name: String
    /// What it is to come down to.
    let target: Double
    /// More than this is a step back from where the code stands, and the run ends with 1.
    ///
    /// It has room for a busy machine, on which fewer inputs meet in one commit and services look more often while a payment lasts: beside four
    /// test suites a lifecycle made 12 statements and 60 switches. What lies below a target still has its room above what is measured.
    let limit: Double

    /// Of a whole lifecycle.
    static let lifecycle = [
        Budget(name: "statements", target: 10, limit: 18),
        Budget(name: "flushes", target: 3, limit: 5),
        Budget(name: "switches", target: 30, limit: 100),
        Budget(name: "rowsWritten", target: 80, limit: 95),
        Budget(name: "walBytes", target: 44_000, limit: 60_000),
        Budget(name: "allocations", target: 2500, limit: 3500 * assertions),
        Budget(name: "sandboxAllocations", target: 500, limit: 800 * assertions),
    ]

    /// Of an accepted payment.
    static let accept = [Budget(name: "allocations", target: 300, limit: 600 * assertions)]

    /// What assertions and the points of the crash drill add, where they are compiled in; such builds are optimised otherwise.
    private static let assertions = Version.build == "debug" ? 1.12 : 1
}
