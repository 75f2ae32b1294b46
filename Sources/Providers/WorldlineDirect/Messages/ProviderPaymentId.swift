/// The provider's id of a payment and of what happened in it: the end of the text counts operations.
///
/// Old form `3254564310_0`, new form digits alone. The first operation's id names the payment; which form of it a message
/// carries differs, so ids are told to belong together by the first's. It is for comparing alone: what is stored and sent is an id
/// as it came.
package enum ProviderPaymentId {
    private static let shortestLong = 11
    private static let counterDigits = 2

    /// The id of the first operation.
    package static func root(_ id: String) -> String {
        let bytes = Array(id.utf8)
        if let line = bytes.lastIndex(of: UInt8(ascii: "_")), line > 0, line < bytes.count - 1,
            bytes[(line + 1)...].allSatisfy(isDigit)
        {
            return String(decoding: bytes[...line], as: UTF8.self) + "0"
        }
        guard bytes.count >= shortestLong, bytes.allSatisfy(isDigit) else { return id }
        return String(decoding: bytes.dropLast(counterDigits), as: UTF8.self) + "00"
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
