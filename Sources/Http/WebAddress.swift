/// The form that an address must have before it goes into a setting or a request.
package enum WebAddress {
    /// `https://` and a host, or `http://` with a loopback host; printable ASCII without spaces and fragments.
    package static func isAbsolute(_ text: String) -> Bool {
        guard isPrintable(text) else { return false }
        if text.hasPrefix("https://") { return !host(text.dropFirst(8)).isEmpty }
        guard text.hasPrefix("http://") else { return false }
        let host = host(text.dropFirst(7))
        return host == "localhost" || host == "127.0.0.1" || host == "[::1]"
    }

    /// Whether a payer may be sent to an address that a provider gave: `https://` and a host, with a test account `http://`, too,
    /// and where an app is opened its own scheme, none that a browser runs or reads files by.
    package static func takesPayer(_ text: String, isLive: Bool, isApp: Bool) -> Bool {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }),
            let mark = text.firstRange(of: "://")
        else { return false }
        let rest = text[mark.upperBound...]
        let scheme = text[..<mark.lowerBound].lowercased()
        switch scheme {
        case "https": return !host(rest.prefix { $0 != "#" }).isEmpty
        case "http": return !isLive && !host(rest.prefix { $0 != "#" }).isEmpty
        case "javascript", "vbscript", "data", "file", "blob", "about", "filesystem", "view-source": return false
        default:
            let isScheme = scheme.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (0x30...0x39).contains(byte)
                    || "+-.".utf8.contains(byte)
            }
            return isApp && isScheme && !scheme.isEmpty && !rest.isEmpty
        }
    }

    /// Scheme, host and port of an absolute address; `nil` where it is none.
    package static func origin(_ text: String) -> String? {
        guard isAbsolute(text), let scheme = text.firstRange(of: "://") else { return nil }
        return String(text[..<scheme.upperBound] + text[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" })
    }

    /// Printable ASCII without spaces, fragments and quotation marks.
    package static func isPrintable(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\"") }
    }

    /// The host without the port; empty where one of them has another form than an address's.
    private static func host(_ rest: Substring) -> Substring {
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { return "" }
        let end =
            authority.hasPrefix("[")
            ? authority.firstIndex(of: "]").map { authority.index(after: $0) }
            : authority.firstIndex(of: ":") ?? authority.endIndex
        guard let end, isPort(authority[end...]) else { return "" }
        return authority[..<end]
    }

    /// Nothing, or a colon and a number, which may be left out.
    private static func isPort(_ text: Substring) -> Bool {
        guard let first = text.utf8.first else { return true }
        let digits = text.utf8.dropFirst()
        return first == UInt8(ascii: ":") && digits.count <= 5
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
