import Http

extension WebAddress {
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
}
