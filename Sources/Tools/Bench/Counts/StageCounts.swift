/// What the processes of a stage have used so far, or between two moments, by the names of its figures.
struct StageCounts: Sendable {
    private var values: [String: Double]
    /// Who measures instead of being measured.
    private static let measuring = ["sandbox", "generator"]

    init(
        daemon: ProcessCounts,
        sandbox: ProcessCounts,
        generator: ProcessCounts,
        statements: Int64
    ) {
        let known: [String: Double?] = [
            "statements": Double(statements), "switches": Double(daemon.switches),
            "allocations": daemon.allocations.map(Double.init),
            "allocatedBytes": daemon.allocatedBytes.map(Double.init),
            "sandboxAllocations": sandbox.allocations.map(Double.init),
            "generatorAllocations": generator.allocations.map(Double.init),
            "daemonMilliseconds": daemon.milliseconds, "sandboxMilliseconds": sandbox.milliseconds,
            "generatorMilliseconds": generator.milliseconds,
        ]
        values = known.compactMapValues(\.self)
    }

    init(server: ServerCounts) {
        let known: [String: Double?] = [
            "flushes": Double(server.flushes), "rowsWritten": Double(server.rowsWritten),
            "walBytes": Double(server.walBytes), "postgresMilliseconds": server.milliseconds,
        ]
        values = known.compactMapValues(\.self)
    }

    /// One figure; nothing where it is not counted.
    subscript(_ name: String) -> Double? { values[name] }

    static func + (left: StageCounts, right: StageCounts) -> StageCounts {
        var sum = left
        sum.values.merge(right.values, uniquingKeysWith: +)
        return sum
    }

    static func - (left: StageCounts, right: StageCounts) -> StageCounts {
        var rest = left
        rest.values.merge(right.values, uniquingKeysWith: -)
        return rest
    }

    static func / (whole: StageCounts, count: Int) -> StageCounts {
        var each = whole
        each.values = whole.values.mapValues { $0 / Double(max(count, 1)) }
        return each
    }

    /// The part of sandbox and generator in allocations; nothing where they are not counted.
    var shareOfAllocations: Double? { share("Allocations", of: ["allocations"]) }

    /// The part of sandbox and generator in processor time; nothing where the server is not ours.
    var shareOfTime: Double? { share("Milliseconds", of: ["daemonMilliseconds", "postgresMilliseconds"]) }

    private func share(_ what: String, of measured: [String]) -> Double? {
        let own = Self.measuring.compactMap { values[$0 + what] }
        let others = measured.compactMap { values[$0] }
        guard own.count == Self.measuring.count, others.count == measured.count else { return nil }
        let sum = own.reduce(0, +)
        return sum / (sum + others.reduce(0, +))
    }
}
