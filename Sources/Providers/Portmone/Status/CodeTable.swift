import Payments

/// The meaning of the gateway's error codes.
///
/// The provider publishes no complete list, so an unknown code is a refusal for good with its code and text kept. Texts
/// are localised and never compared.
enum CodeTable {
    static let version = 1

    /// The word of an error answer to a capture, void or refund about the operation.
    enum Verdict: Hashable {
        /// Refused for good; nothing was done.
        case refused
        /// Refused because the order is in another state than we think: ask how it stands.
        case refusedSinceChanged
        /// Done before, or the number is not known: only a question can tell.
        case earlierOrUnknown
    }

    static func verdict(_ code: String, _ kind: OperationKind) -> Verdict {
        switch (code, kind) {
        case ("5", .capture), ("1", .refund): .refusedSinceChanged
        case ("6", .void): .earlierOrUnknown
        case (_, .sale), (_, .authorize), (_, .verify), (_, .tokenize), (_, .transfer), (_, .capture), (_, .void),
            (_, .refund), (_, .refundReversal):
            .refused
        }
    }

    /// The class of a decline.
    static func reason(_ code: String?) -> DeclineClass {
        guard let code, let number = Int32(code) else { return .unknown }
        return reasons[number] ?? .unknown
    }

    /// Codes of banks as bill rows carry them, and of the gateway's own checks.
    private static let reasons: [Int32: DeclineClass] = [
        2: .configuration, 51: .insufficientFunds, 335: .stepUpRequired,
    ]
}
