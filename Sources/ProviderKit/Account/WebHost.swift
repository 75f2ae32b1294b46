package import Http

/// The host and port of a web address, before any name server is asked.
package struct WebHost: Hashable, Sendable {
    /// A name, or a numeric address; one of version 6 stands in brackets.
    package let name: String
    /// As it is written; `nil` where the scheme says it.
    package let port: String?

    /// Reads them from an absolute address as `WebAddress.isAbsolute` accepts it.
    package init?(of text: String) {
        guard WebAddress.isAbsolute(text), let origin = WebAddress.origin(text),
            let scheme = origin.firstRange(of: "://")
        else { return nil }
        let authority = origin[scheme.upperBound...]
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            name = String(authority[...end])
            let rest = authority[authority.index(after: end)...]
            port = rest.isEmpty ? nil : String(rest.dropFirst())
        } else {
            let halves = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            name = String(halves[0])
            port = halves.count > 1 ? String(halves[1]) : nil
        }
    }

    /// The numeric address, where it is one.
    package var address: SourceAddress? {
        SourceAddress(name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : name)
    }

    /// Whether it is a numeric address in its one form, or a name of labels (RFC 1123).
    package var isWellFormed: Bool {
        // Brackets are for version 6: another parser may read what is in them otherwise.
        if name.hasPrefix("[") { return address != nil && name.contains(":") }
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // What resolvers take for a number, as `2130706433`, `127.1` and `0x7f.1`, is no name.
        if let last = labels.last, last.allSatisfy(Self.isDigit) || last.starts(with: "0x".utf8) {
            return address != nil
        }
        return labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { byte in
                    Self.isDigit(byte) || byte == UInt8(ascii: "-")
                        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                }
        }
    }

    /// The port's number, where it is written; 0 where that is none.
    package var portNumber: Int? {
        port.map { text in UInt16(text).flatMap { String($0) == text ? Int($0) : nil } ?? 0 }
    }

    /// Whether it leads into the machine or a private network, as far as it says itself.
    package func isPrivate(_ policy: AddressPolicy = AddressPolicy()) -> Bool {
        if let address { return !policy.permits(address) }
        let name = name.lowercased()
        return !name.contains(".") || Self.privateEndings.contains(where: name.hasSuffix)
    }

    /// RFC 6761, RFC 6762, RFC 8375, and what private networks use.
    private static let privateEndings = [
        ".local", ".internal", ".localhost", ".lan", ".home.arpa", ".test", ".example",
    ]

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// Where somebody else asks to be told something.
package enum ReceiverAddress {
    /// Why nothing is sent to an address, in words that follow it; `nil` where it may be.
    ///
    /// A name is judged again by each address that it leads to, when it is connected to (`AddressPolicy`). `isLocal` lets plain
    /// `http` reach the machine itself.
    package static func fault(_ text: String, _ policy: AddressPolicy = AddressPolicy(), isLocal: Bool = false)
        -> String?
    {
        guard let host = WebHost(of: text) else { return "is no https address with a host" }
        guard host.isWellFormed else { return "has a malformed host" }
        guard host.portNumber != 0 else { return "has a malformed port" }
        if isLocal, host.name == "localhost" || host.address?.isLoopback == true { return nil }
        if !text.hasPrefix("https://") { return "is not https" }
        return host.isPrivate(policy) ? "is a private host" : nil
    }
}
