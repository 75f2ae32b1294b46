package import Kernel
import ProviderKit

/// One payee's share of a split payment.
package struct SplitPart: Hashable {
    package let payeeId: String
    let amount: Money
    package let description: String

    package init(payeeId: String, amount: Money, description: String) {
        self.payeeId = payeeId
        self.amount = amount
        self.description = description
    }

    /// The text of `attribute5` and of a capture's `distribution`: `description:payee;amount;` for each part.
    package static func text(_ parts: [SplitPart]) -> String {
        parts.map { "\($0.description):\($0.payeeId);\($0.amount.decimal);" }.joined()
    }

    /// The sum; `nil` where it can't be told.
    package static func sum(_ parts: [SplitPart]) -> Money? {
        guard var sum = parts.first?.amount else { return nil }
        for part in parts.dropFirst() {
            guard let next = try? sum.adding(part.amount) else { return nil }
            sum = next
        }
        return sum
    }

    /// Whether a description can stand before its colon.
    package static func isPlain(_ text: String) -> Bool {
        !text.utf8.contains(UInt8(ascii: ":")) && !text.utf8.contains(UInt8(ascii: ";"))
    }
}
