import Simulation
import TestKit

/// Cells whose breach is known and has an owner.
///
/// Each is a line of `open.txt`: a coordinate as in `HostileCase.matches`, the breach's class, and what it is about.
struct OpenCell {
    private let pattern: Substring
    private let word: Substring

    private init?(_ line: Substring) {
        let columns = line.split(separator: " ", maxSplits: 2)
        guard columns.count == 3 else { return nil }
        pattern = columns[0]
        word = columns[1]
    }

    func holds(_ breach: String, of one: any HostileCoordinate) -> Bool {
        guard word == "*" || breach.hasPrefix("\(word):") else { return false }
        return one.matches(pattern)
    }

    static func all(_ source: String = #filePath) throws -> [OpenCell] {
        let folder = source.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let text = String(decoding: try FileBytes.read(folder + "/open.txt"), as: UTF8.self)
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { OpenCell($0) }
    }
}
