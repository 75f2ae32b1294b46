/// What an address must look like before it goes into a setting or a request.
enum WebAddress {
    /// `https://` and a host, or `http://` with a loopback host; printable ASCII without spaces and fragments.
    static func isAbsolute(_ text: String) -> Bool {
        guard isPrintable(text) else { return false }
        if text.hasPrefix("https://") { return !host(text.dropFirst(8)).isEmpty }
        guard text.hasPrefix("http://") else { return false }
        let host = host(text.dropFirst(7))
        return host == "localhost" || host == "127.0.0.1" || host == "[::1]"
    }

    /// Whether nothing stands behind the host and the port.
    static func isOrigin(_ text: String) -> Bool {
        guard isAbsolute(text), let scheme = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let rest = text.utf8[scheme...].dropFirst(3)
        return !rest.contains(UInt8(ascii: "/")) && !rest.contains(UInt8(ascii: "?"))
    }

    /// An address that an app may register: any scheme, as in `shop-app://return`.
    static func isReturn(_ text: String) -> Bool {
        guard isPrintable(text), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), colon != text.utf8.startIndex
        else { return false }
        let scheme = text.utf8[..<colon]
        let isName = scheme.allSatisfy {
            (97...122).contains($0 | 0x20) || (48...57).contains($0) || $0 == 45 || $0 == 46
        }
        return isName && text.utf8[colon...].starts(with: "://".utf8)
    }

    private static func isPrintable(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\"") }
    }

    /// The host without the port.
    private static func host(_ rest: Substring) -> Substring {
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { return "" }
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return authority[...end] }
        return authority.prefix { $0 != ":" }
    }
}
