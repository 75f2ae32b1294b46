import Ecommpay
import Kernel
import TestKit
import Testing

struct NaturalOrderTests {
    private func order(_ left: String, _ right: String) -> Int {
        NaturalOrder.compare(Array(left.utf8), Array(right.utf8)).signum()
    }

    @Test(arguments: [
        ("operations:2:id", "operations:10:id", -1), ("a", "a", 0), ("", "a", -1), ("", "", 0), ("ab", "a", 1),
        ("account2", "account:id", -1), ("account:id", "account_id", -1), ("Account", "account", -1),
        ("0007", "7", 0), ("a007", "a7", -1), ("a01", "a02", -1), ("a1.01", "a1.1", -1), ("a10", "a9", 1),
        ("a 1", "a1", 0), ("x9y", "x10", -1), ("12", "1a", 1), ("0", "00", 0), ("0a", "a", -1), ("a1b2", "a1b10", -1),
        ("é", "z", 1), ("a:", "a:b", -1),
    ])
    func `pairs stand as the reference orders them`(_ pair: (String, String, Int)) {
        #expect(order(pair.0, pair.1) == pair.2)
        #expect(order(pair.1, pair.0) == -pair.2)
    }

    @Test func `runs of digits compare as numbers and the rest as bytes`() throws {
        try forAll(runs: 3000, seed: 11) { random in
            let (left, right) = (Self.word(&random), Self.word(&random))
            let expected = Self.compare(Self.tokens(left), Self.tokens(right))
            let actual = order(left, right)
            guard actual == expected else { throw Mismatch(text: "\(left) and \(right): \(actual)") }
        }
    }

    private struct Mismatch: Error, CustomStringConvertible {
        let text: String
        var description: String { text }
    }

    /// A text of letters, separators and numbers without leading zeros.
    private static func word(_ random: inout SplitMix64) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            switch Int.random(in: 0..<3, using: &random) {
            case 0: text += ["a", "b", "_", "A"].randomElement(using: &random) ?? ""
            case 1: text += ":"
            default:
                if text.utf8.last.map({ $0 > 57 || $0 < 48 }) ?? true {
                    text += String(Int.random(in: 1...120, using: &random))
                }
            }
        }
        return text
    }

    private enum Token { case number(Int), byte(UInt8) }

    private static func tokens(_ text: String) -> [Token] {
        var tokens: [Token] = []
        for byte in text.utf8 {
            guard (48...57).contains(byte) else {
                tokens.append(.byte(byte))
                continue
            }
            if case .number(let before) = tokens.last {
                tokens[tokens.count - 1] = .number(before * 10 + Int(byte - 48))
            } else {
                tokens.append(.number(Int(byte - 48)))
            }
        }
        return tokens
    }

    private static func compare(_ left: [Token], _ right: [Token]) -> Int {
        for (one, two) in zip(left, right) {
            let (first, second): (Int, Int) =
                switch (one, two) {
                case (.number(let a), .number(let b)): (a, b)
                case (.byte(let a), .byte(let b)): (Int(a), Int(b))
                case (.number(let a), .byte(let b)): (Int(String(a).utf8.first ?? 0), Int(b))
                case (.byte(let a), .number(let b)): (Int(a), Int(String(b).utf8.first ?? 0))
                }
            if first != second { return first < second ? -1 : 1 }
        }
        return (left.count - right.count).signum()
    }
}
