import Kernel
import ProviderKit

/// One payee's share of a split payment.
struct SplitPart: Hashable {
    let payeeId: String
    let amount: Money
    let description: String

    /// The text of `attribute5` and of a capture's `distribution`: `description:payee;amount;` for each part.
    static func text(_ parts: [SplitPart]) -> String {
        parts.map { "\($0.description):\($0.payeeId);\($0.amount.decimal);" }.joined()
    }

    /// The sum; `nil` where it can't be told.
    static func sum(_ parts: [SplitPart]) -> Money? {
        guard var sum = parts.first?.amount else { return nil }
        for part in parts.dropFirst() {
            guard let next = try? sum.adding(part.amount) else { return nil }
            sum = next
        }
        return sum
    }

    /// Whether a description can stand before its colon.
    static func isPlain(_ text: String) -> Bool {
        !text.utf8.contains(UInt8(ascii: ":")) && !text.utf8.contains(UInt8(ascii: ";"))
    }
}
