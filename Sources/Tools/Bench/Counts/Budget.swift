import Kernel

/// How much one payment may cost in something that is counted and no machine blurs.
struct Budget: Sendable {
    /// As in the figure's line.
    let name: String
    /// What it is to come down to.
    let target: Double
    /// More than this is a step back from where the code stands, and the run ends with 1.
    ///
    /// It has room for a busy machine, on which fewer inputs meet in one commit and services look more often while a payment lasts. In a debug
    /// build nothing is optimised away, so that allocations are not held there.
    let limit: Double

    /// Of a whole lifecycle.
    static let lifecycle = [
        Budget(name: "statements", target: 10, limit: 30),
        Budget(name: "flushes", target: 3, limit: 8),
        Budget(name: "switches", target: 30, limit: 200),
        Budget(name: "rowsWritten", target: 80, limit: 95),
        Budget(name: "walBytes", target: 44_000, limit: 60_000),
    ]

    /// Of a whole lifecycle, in an optimised build.
    static let lifecycleMemory = [
        Budget(name: "allocations", target: 2500, limit: 3700),
        Budget(name: "sandboxAllocations", target: 500, limit: 900),
    ]

    /// Of an accepted payment, in an optimised build.
    static let acceptMemory = [Budget(name: "allocations", target: 300, limit: 620)]
}
