import Kernel

/// How much one payment may cost in something that is counted and no machine blurs.
struct Budget: Sendable {
    /// As in the figure's line.
    let name: String
    /// The least that is asked for.
    let target: Double
    /// More than this is a step back from where the code stands, and the run ends with 1.
    ///
    /// In a debug build nothing is optimised away, so that allocations are not held there.
    let limit: Double

    /// Of a whole lifecycle.
    static let lifecycle = [
        Budget(name: "statements", target: 10, limit: 36),
        Budget(name: "flushes", target: 3, limit: 9),
        Budget(name: "switches", target: 30, limit: 140),
        Budget(name: "rowsWritten", target: 80, limit: 100),
        Budget(name: "walBytes", target: 44_000, limit: 60_000),
    ]

    /// Of a whole lifecycle, in an optimised build.
    static let lifecycleMemory = [
        Budget(name: "allocations", target: 2500, limit: 8500),
        Budget(name: "sandboxAllocations", target: 500, limit: 2000),
    ]

    /// Of an accepted payment, in an optimised build.
    static let acceptMemory = [Budget(name: "allocations", target: 300, limit: 1500)]
}
