package import Kernel
package import Payments

/// The order number that the payment of a case has: what the case says, else what its own message carries.
package struct CaseNumber {
    package let text: String
    private let carried: String?
    private let isGiven: Bool

    /// `told` is what the message carries; `fallback` stands where nobody says a number.
    package init(_ item: Json, told: String?, given: Json? = nil, fallback: String = "") {
        let given = (item["order_number"] ?? given)?.text
        carried = told
        isGiven = given != nil
        text = given ?? told ?? fallback
    }

    /// A message that production reads as one about another payment fails a case that says which payment it is about.
    package func violations(_ facts: [Fact]) -> [String] {
        guard isGiven, let carried, carried != text, facts.contains(where: \.isAboutAnother) else { return [] }
        return ["order_number: the payment's is \(text), the message is about \(carried)"]
    }
}

extension Fact {
    fileprivate var isAboutAnother: Bool { if case .contradiction(.identity, _) = self { true } else { false } }
}
