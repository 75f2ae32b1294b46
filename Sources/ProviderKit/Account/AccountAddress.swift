import Http
package import Kernel

/// A fault of an address in an account's settings, beyond what its adapter's schema says.
package struct AccountAddressFault: Hashable, Sendable {
    /// The member that holds it.
    package let path: JsonPath
    package let reason: String

    /// The faults of all members that hold an address; private hosts and odd ports are no fault of a test account.
    package static func all(in settings: Json, isLive: Bool) -> [AccountAddressFault] { find(settings, .root, isLive) }

    private static func find(_ json: Json, _ path: JsonPath, _ isLive: Bool) -> [AccountAddressFault] {
        switch json {
        case .null, .bool, .number: return []
        case .array(let items):
            return items.enumerated().flatMap { find($1, path.appending(String($0)), isLive) }
        case .object(let object):
            return object.members.flatMap { find($0.value, path.appending($0.name), isLive) }
        case .string(let text):
            guard text.hasPrefix("http:") || text.hasPrefix("https:") || path.steps.last?.hasSuffix("Url") == true,
                let reason = reason(text, isLive)
            else { return [] }
            return [AccountAddressFault(path: path, reason: reason)]
        }
    }

    private static func reason(_ text: String, _ isLive: Bool) -> String? {
        guard WebAddress.isAbsolute(text), let origin = WebAddress.origin(text), let scheme = text.firstRange(of: "://")
        else { return "is no https address with a host" }
        let (host, port) = parts(origin[origin.index(origin.startIndex, offsetBy: text[..<scheme.upperBound].count)...])
        guard isHost(host) else { return "has a malformed host" }
        if let port {
            guard let number = UInt16(port), number > 0, String(number) == port else { return "has a malformed port" }
            if isLive, number != 443 { return "names port \(number), and live money goes to 443" }
        }
        guard isLive else { return nil }
        if !text.hasPrefix("https://") { return "is not https, and the account is live" }
        return isPrivate(host) ? "is a private host, and the account is live" : nil
    }

    private static func parts(_ authority: Substring) -> (host: String, port: String?) {
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            let rest = authority[authority.index(after: end)...]
            return (String(authority[...end]), rest.isEmpty ? nil : String(rest.dropFirst()))
        }
        let halves = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(halves[0]), halves.count > 1 ? String(halves[1]) : nil)
    }

    private static func isHost(_ host: String) -> Bool {
        if host.hasPrefix("[") { return SourceAddress(String(host.dropFirst().dropLast())) != nil }
        if host.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") }) { return SourceAddress(host) != nil }
        return host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { byte in
                    isDigit(byte) || byte == UInt8(ascii: "-")
                        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                }
        }
    }

    private static func isPrivate(_ host: String) -> Bool {
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        if let address = SourceAddress(bare) { return privateNetworks.contains { $0.contains(address) } }
        let name = host.lowercased()
        return !name.contains(".") || privateEndings.contains(where: name.hasSuffix)
    }

    private static let privateNetworks = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16",
        "::/128", "::1/128", "fc00::/7", "fe80::/10",
    ].compactMap { SourceNetwork($0) }
    private static let privateEndings = [
        ".local", ".internal", ".localhost", ".lan", ".home.arpa", ".test", ".example",
    ]

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
