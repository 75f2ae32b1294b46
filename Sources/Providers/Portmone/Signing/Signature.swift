import Crypto
package import Kernel

/// The signature of payment creation: HMAC-SHA256 over number, time, order, amount and login.
package enum Signature {
    /// The exact text that is signed: the first half in upper case, the login's hexadecimal digits behind it.
    package static func message(payeeId: String, dt: String, orderNumber: String, amount: String, login: String)
        -> [UInt8]
    {
        var message = Array(payeeId.utf8) + Array(dt.utf8) + hex(orderNumber) + Array(amount.utf8)
        for index in message.indices { message[index] = upper(message[index]) }
        return message + hex(login)
    }

    package static func sign(_ message: [UInt8], key: Secret) -> String {
        String(decoding: Hex.encode(Hmac.sha256(key: key, message)).utf8.map(upper), as: UTF8.self)
    }

    private static func hex(_ text: String) -> [UInt8] { Hex.encode(Array(text.utf8)).utf8.map(upper) }

    private static func upper(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte & 0xDF : byte
    }
}
