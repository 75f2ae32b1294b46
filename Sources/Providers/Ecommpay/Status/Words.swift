import Payments

/// Reads the provider's words without regard to case and surrounding space.
package enum Words {
    package static func normalized(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: " ")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        if isPlain, text.utf8.first != UInt8(ascii: " "), text.utf8.last != UInt8(ascii: " ") { return text }
        var rest = text.lowercased()[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}

/// The step that the provider waits for, in its own distinctions.
package enum Awaited: String, Hashable, Sendable, CaseIterable {
    case threeDSecure = "3ds"
    case redirect
    case retry
    case customerAction = "customer_action"
    case clarification
    case merchantAuth = "merchant_auth"
    case approval

    /// The same in the words of all providers; `fields` and `seconds` go where they belong.
    func action(fields: [String], seconds: Int?) -> PayerAction {
        switch self {
        case .threeDSecure: .threeDSecure
        case .redirect: .redirect
        case .retry: .retryInForm(attemptsLeft: nil, seconds: seconds)
        case .customerAction: .customerAction
        case .clarification: .clarify(fields: fields)
        case .merchantAuth, .approval: .approval
        }
    }
}

/// `operation.type` in our terms.
enum OperationWord: Hashable, Sendable {
    case kind(OperationKind)
    /// The platform's staff set a state: what it is about follows from `payment.status`.
    case manualChange

    init?(_ text: String) {
        guard let found = Self.table[Words.normalized(text)] else { return nil }
        self = found
    }

    private static let table: [String: OperationWord] = [
        "sale": .kind(.sale),
        "recurring": .kind(.sale),
        "invoice": .kind(.sale),
        "payment confirmation": .kind(.sale),
        "auth": .kind(.authorize),
        "account verification": .kind(.verify),
        "capture": .kind(.capture),
        "cancel": .kind(.void),
        "refund": .kind(.refund),
        "reversal": .kind(.refund),
        "refund reverse": .kind(.refundReversal),
        "manual change": .manualChange,
    ]
}

/// `operation.status` in our terms.
enum OperationStatusWord: Hashable, Sendable {
    case success
    case decline
    /// The data of the request or form were refused.
    case error
    case expired
    case invoiceCancelled
    case processing
    case awaiting(Awaited)
    /// The platform itself does not know.
    case ambiguous

    init?(_ text: String) {
        guard let found = Self.table[Words.normalized(text)] else { return nil }
        self = found
    }

    private static let table: [String: OperationStatusWord] = [
        "success": .success,
        "decline": .decline,
        "error": .error,
        "expired": .expired,
        "invoice cancelled": .invoiceCancelled,
        "processing": .processing,
        "external processing": .processing,
        "awaiting confirmation": .processing,
        "awaiting payment": .processing,
        "awaiting finalization": .processing,
        "invoice sent": .processing,
        "awaiting 3ds result": .awaiting(.threeDSecure),
        "awaiting redirect result": .awaiting(.redirect),
        "awaiting customer": .awaiting(.retry),
        "awaiting customer action": .awaiting(.customerAction),
        "awaiting clarification": .awaiting(.clarification),
        "awaiting merchant auth": .awaiting(.merchantAuth),
        "awaiting approval": .awaiting(.approval),
        "internal error": .ambiguous,
        "external error": .ambiguous,
        "unknown": .ambiguous,
    ]
}
