/// What an address must look like before it goes into a setting or a request.
enum WebAddress {
    /// `https://` and a host, or `http://` with a loopback host; printable ASCII without spaces and fragments.
    static func isOwn(_ text: String) -> Bool {
        guard FieldRules.isPrintable(text), !text.utf8.contains(where: { $0 == UInt8(ascii: "#") || $0 == 0x20 }) else {
            return false
        }
        if text.hasPrefix("https://") { return !host(text.dropFirst(8)).isEmpty }
        guard text.hasPrefix("http://") else { return false }
        return ["localhost", "127.0.0.1", "[::1]"].contains(String(host(text.dropFirst(7))))
    }

    /// What the gateway takes to send a payer back to: 12 to 2048 characters, `http` or `https`.
    static func isReturn(_ text: String) -> Bool {
        (12...2048).contains(text.utf8.count) && (text.hasPrefix("https://") || text.hasPrefix("http://"))
            && FieldRules.isPrintable(text) && !text.utf8.contains(0x20)
    }

    private static func host(_ rest: Substring) -> Substring {
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { return "" }
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return authority[...end] }
        return authority.prefix { $0 != ":" }
    }
}
