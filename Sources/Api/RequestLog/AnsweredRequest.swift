import EventSourcing
import Http
import Kernel
import Payments

/// An answered request as it came, in memory until its entry is written: the hot path copies and reads nothing.
struct AnsweredRequest: Sendable {
    let id: Uuid
    let method: HttpMethod
    let path: Substring
    /// As the client wrote it, where it is a command's.
    let idempotencyKey: String?
    let peerAddress: String?
    /// The path with the names of its parameters.
    let route: String
    let caller: Caller
    let status: Int
    let code: String?
    let time: Duration

    /// What is kept of it.
    var entry: RequestEntry {
        RequestEntry(
            id: id,
            key: caller.keyId,
            method: method,
            route: route,
            path: Self.path(path, of: route),
            status: status,
            code: code,
            command: command,
            address: peerAddress,
            microseconds: time.components.seconds * 1_000_000 + time.components.attoseconds / 1_000_000_000_000
        )
    }

    /// The input of a command's key; none of one that no command may have.
    private var command: Uuid? {
        guard let idempotencyKey, (try? Call.check(key: idempotencyKey)) != nil else { return nil }
        return DerivedNames.input(caller.merchant, key: idempotencyKey)
    }

    /// A path whose parameters are ids or plain names; another one is told by its name in braces, as it might be a person's address, a
    /// card's number, or a secret that was sent to the wrong place.
    static func path(_ path: Substring, of route: String) -> String {
        let names = route.split(separator: "/")
        let values = path.split(separator: "/")
        guard names.count == values.count else { return route }
        return zip(names, values).map { name, value -> String in
            "/\(name.hasPrefix("{") && isPlain(value) ? value : name)"
        }.joined()
    }

    /// Longer texts without blanks are keys, tokens and codes more often than names.
    private static let nameBytes = 30
    /// A name has no longer run of digits: one could be a telephone's, a contract's or a card's number.
    private static let digits = 6
    /// What begins so is a secret of ours, or a part of one.
    private static let secrets = ["psk_", "whsec_", "whsk_"]

    private static func isPlain(_ text: Substring) -> Bool {
        if CardScreen.isIdentifier(String(text)) { return true }
        guard text.utf8.count <= nameBytes, !secrets.contains(where: { text.hasPrefix($0) }) else { return false }
        var run = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): run += 1
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): run = 0
            // Digits in groups are one number.
            case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): break
            default: return false
            }
            if run > digits { return false }
        }
        return true
    }
}
