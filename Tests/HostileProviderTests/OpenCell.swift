import Simulation
import TestKit

/// Cells whose breach is known and has an owner.
///
/// Each is a line of `open.txt`: a coordinate, the breach's class, and what it is about. A part of a coordinate is a value,
/// several with `|` between them, or `*`.
struct OpenCell {
    private let parts: [[Substring]]
    private let word: Substring

    private init?(_ line: Substring) {
        let columns = line.split(separator: " ", maxSplits: 2)
        guard columns.count == 3 else { return nil }
        parts = columns[0].split(separator: "/").map { $0.split(separator: "|") }
        word = columns[1]
    }

    func holds(_ breach: String, of one: HostileCase) -> Bool {
        let names = one.name.split(separator: "/")
        guard names.count == parts.count, word == "*" || breach.hasPrefix("\(word):") else { return false }
        return zip(parts, names).allSatisfy { $0 == ["*"] || $0.contains($1) }
    }

    static func all(_ source: String = #filePath) throws -> [OpenCell] {
        let folder = source.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let text = String(decoding: try FileBytes.read(folder + "/open.txt"), as: UTF8.self)
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { OpenCell($0) }
    }
}
