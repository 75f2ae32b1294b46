package import Kernel

/// One order number of one merchant.
package struct PortmoneOrderKey: Hashable, Sendable {
    package let payeeId: String
    package let number: String

    package init(payeeId: String, number: String) {
        self.payeeId = payeeId
        self.number = number
    }
}

/// An order of the merchant, and the bills that came of it.
package struct PortmoneOrder: Hashable, Sendable {
    /// A row of the provider's books; a refund is a row of its own.
    package struct Bill: Hashable, Sendable {
        package enum Status: String, Hashable, Sendable {
            case created = "CREATED"
            case paid = "PAYED"
            case held = "PREAUTH"
            case rejected = "REJECTED"
            case returned = "RETURN"
        }

        package let id: String
        package var status: Status
        /// Negative for a refund.
        package var amount: Money
        package let madeAt: Timestamp
        package var errorCode = "0"
        package var errorText = ""
        package var token = ""
        /// The payer's bank takes the money back.
        package var isChargedBack = false
    }

    package let key: PortmoneOrderKey
    package let amount: Money
    package let isHold: Bool
    /// A card is saved; nothing is sold.
    package let savesOnly: Bool
    package let returnsToken: Bool
    /// The money goes on to another card and never comes back.
    package let isTransfer: Bool
    package let description: String
    package let attributes: [String]
    package let successUrl: String
    package let failureUrl: String
    package let expiresAt: Timestamp
    package var bills: [Bill] = []
    package var isClosed = false

    package var paid: Bill? { bills.first { $0.status == .paid } }
    package var held: Bill? { bills.first { $0.status == .held } }
    package var returned: Int64 { bills.filter { $0.status == .returned }.reduce(0) { $0 - $1.amount.minor } }
}

/// Something that goes wrong on demand, at a method of the gateway or at `notice`.
package enum PortmoneFaultKind: String, Hashable, Sendable, CaseIterable {
    /// The answer is held back.
    case slow
    /// The effect is there, the answer is not.
    case lostAnswer
    /// The effect is there, the answer says 500.
    case errorAfter
    /// A page instead of an answer; nothing is done.
    case html
    /// A status that nobody has heard of.
    case unknownStatus
    case duplicateNotice
    case withheldNotice
}
