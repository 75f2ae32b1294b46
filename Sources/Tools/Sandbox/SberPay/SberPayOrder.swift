package import Kernel

/// One order of one merchant; amounts are kopecks.
package struct SberPayOrder: Hashable, Sendable {
    /// With the numbers of `orderStatus`.
    package enum Status: Int64, Hashable, Sendable {
        case registered = 0
        case held = 1
        case deposited = 2
        case reversed = 3
        case returned = 4
        case atBank = 5
        case declined = 6

        /// The word of `paymentState`.
        var word: String {
            switch self {
            case .registered, .atBank: "CREATED"
            case .held: "APPROVED"
            case .deposited: "DEPOSITED"
            case .reversed: "REVERSED"
            case .returned: "REFUNDED"
            case .declined: "DECLINED"
            }
        }
    }

    /// A row of the bank's books about the order.
    package struct Operation: Hashable, Sendable {
        package let type: String
        package let amount: Int64
        package let reference: String
        package var externalRefundId: String?
        package let at: Timestamp
    }

    /// The payer's leave for later debits.
    package struct Mandate: Hashable, Sendable {
        /// `YYYYMMDD`; without one it does not end.
        package let expiry: String?
        /// Days between two debits at the least.
        package let days: Int64
    }

    package let id: String
    package let number: String
    package let userName: String
    package let amount: Int64
    package let isHold: Bool
    /// The card is checked; nothing is sold.
    package let isCheck: Bool
    let description: String?
    package let clientId: String?
    let features: Set<String>
    let returnUrl: String
    let failUrl: String
    let callbackUrl: String?
    package let deadline: Timestamp
    let registeredAt: Timestamp
    /// The order's name in the bank's app.
    package let invoiceId: String?
    let deepLink: String?

    package internal(set) var mandate: Mandate?
    package internal(set) var status = Status.registered
    package internal(set) var actionCode: Int64 = -100
    package internal(set) var approved: Int64 = 0
    /// Taken in total, refunds not subtracted.
    package internal(set) var deposited: Int64 = 0
    package internal(set) var refunded: Int64 = 0
    package internal(set) var operations: [Operation] = []
    package internal(set) var bindingId: String?
    var paidAt: Timestamp?
    var way = "CARD"
    var tries = 0
    /// The older gateway takes one reversal, good or bad.
    var reversalTried = false
    /// The bank thinks about it.
    var isProcessing = false
    var savesCard = false

    /// Whether a payer may still begin or go on.
    func isPayable(at now: Timestamp) -> Bool {
        switch status {
        case .registered, .atBank: !isProcessing && now < deadline
        case .held, .deposited, .reversed, .returned, .declined: false
        }
    }
}

/// A payer's card or account, kept for later.
package struct SberPayBinding: Hashable, Sendable {
    package let id: String
    package let userName: String
    package let clientId: String
    let maskedPan: String
    /// `YYYYMM`.
    package internal(set) var expiry: String
    package internal(set) var isActive = true
    package internal(set) var mandate: SberPayOrder.Mandate?
    package internal(set) var chargedAt: Timestamp?
}

/// Something that goes wrong on demand, at a call (without `.do`) or at `callback`.
package enum SberPayFaultKind: String, Hashable, Sendable, CaseIterable {
    /// The answer is held back.
    case slow
    /// The effect is there, the answer is not.
    case lostAnswer
    /// The effect is there, the answer says 500.
    case errorAfter
    /// Nothing is done, the answer says 500.
    case errorBefore
    /// A page instead of an answer; nothing is done.
    case html
    /// Turned away unread.
    case throttled
    /// A status that nobody has heard of.
    case unknownStatus
    /// A status of an order over a rouble more than was asked for.
    case otherAmount
    /// A debit whose outcome the gateway does not know yet, though the money moves.
    case unknownOutcome
    /// The bank's app is under maintenance.
    case appInactive
    case duplicateCallback
    case withheldCallback
    /// A checksum that is not the key's.
    case forgedCallback
    /// Held back for the fault's time.
    case lateCallback

    static let answers: Set<SberPayFaultKind> = [.slow, .lostAnswer, .errorAfter]
    static let refusals: Set<SberPayFaultKind> = [.errorBefore, .html, .throttled]
    static let callbacks: Set<SberPayFaultKind> = [
        .duplicateCallback, .withheldCallback, .forgedCallback, .lateCallback,
    ]
}

/// A call that is refused with an `errorCode`.
struct SberPayRefusal: Error, Hashable {
    let code: Int64
    let message: String

    static func parameter(_ name: String) -> SberPayRefusal { SberPayRefusal(code: 5, message: "[\(name)] is wrong") }
    static let accessDenied = SberPayRefusal(code: 5, message: "Access denied")
    static let unknownOrder = SberPayRefusal(code: 6, message: "No such order")
    static let wrongState = SberPayRefusal(code: 7, message: "Payment must be in correct state")
}
