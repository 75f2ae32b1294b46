/// Which addresses may be connected to by whoever is told where to connect by a stranger.
///
/// What is neither global nor unicast leads into the machine, its network or its cloud's metadata: RFC 6890 and IANA's
/// registries of special-purpose addresses name these ranges.
package struct AddressPolicy: Hashable, Sendable {
    /// Permitted though they are special, as a receiver in one's own network.
    package var permitted: [SourceNetwork]
    /// Refused though they are public.
    package var refused: [SourceNetwork]

    package init(permitted: [SourceNetwork] = [], refused: [SourceNetwork] = []) {
        self.permitted = permitted
        self.refused = refused
    }

    package func permits(_ address: SourceAddress) -> Bool {
        if refused.contains(address) { return false }
        if permitted.contains(address) { return true }
        if address.isVersion4 { return !Self.special4.contains(address) }
        // A gateway leads on to the address of version 4 that stands in it.
        if let target = Self.behindGateway(address) { return permits(target) }
        return Self.global6.contains(address) && !Self.special6.contains(address)
    }

    private static func behindGateway(_ address: SourceAddress) -> SourceAddress? {
        guard translated.contains(address) else { return nil }
        return SourceAddress(bytes: Array(address.bytes.suffix(4)))
    }

    private static func networks(_ texts: String...) -> [SourceNetwork] { texts.compactMap { SourceNetwork($0) } }

    /// IANA IPv4 Special-Purpose Address Registry, with multicast (RFC 5771) and what is reserved (RFC 1112).
    private static let special4 = networks(
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4"
    )

    /// Global unicast of version 6 (RFC 4291): loopback, unique-local, link-local and multicast lie outside.
    private static let global6 = networks("2000::/3")

    /// What of it is special: protocol assignments with Teredo, documentation, and 6to4, which leads to any address of version 4.
    private static let special6 = networks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")

    /// The well-known prefix of translation to version 4 (RFC 6052).
    private static let translated = networks("64:ff9b::/96")
}

extension [SourceNetwork] {
    fileprivate func contains(_ address: SourceAddress) -> Bool { contains { $0.contains(address) } }
}
