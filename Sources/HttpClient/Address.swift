import CCurl
import Glibc
import Kernel

/// The parts of an address that decide whether it may be used, as libcurl itself reads them.
struct Address {
    let isSecure: Bool
    let isLoopback: Bool

    /// Bytes of the longest origin that is remembered.
    private static let rememberedBytes = 256
    private static let rememberedMost = 32

    /// What libcurl read of the latest origins: a reading depends on nothing behind the origin of a plain address.
    private static let remembered = Locked<[(origin: String, address: Address)]>([])

    /// Reads an address as `init` does; libcurl is asked once for each origin.
    static func read(_ url: String) -> Address? {
        guard let count = originBytes(url), count <= rememberedBytes else { return Address(url) }
        let known = remembered.withLock { known in
            known.first { $0.origin.utf8.elementsEqual(url.utf8.prefix(count)) }?.address
        }
        if let known { return known }
        guard let address = Address(url) else { return nil }
        let origin = String(decoding: url.utf8.prefix(count), as: UTF8.self)
        remembered.withLock { known in
            if known.count == rememberedMost { known.removeFirst() }
            known.append((origin, address))
        }
        return address
    }

    /// How long scheme, host and port are together; `nil` where the address isn't printable ASCII throughout, or where its
    /// host begins with anything but a letter or a digit: libcurl reads `http:///host`, too.
    private static func originBytes(_ url: String) -> Int? {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        for scheme in ["http://", "https://"] where url.utf8.starts(with: scheme.utf8) {
            let rest = url.utf8.dropFirst(scheme.utf8.count)
            guard let first = rest.first, isLetterOrDigit(first) else { return nil }
            let ends = rest.firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
            return url.utf8.distance(from: url.utf8.startIndex, to: ends ?? url.utf8.endIndex)
        }
        return nil
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// Accepts absolute `http` and `https` addresses without a user name.
    init?(_ url: String) {
        guard let parsed = unsafe curl_url() else { return nil }
        defer { unsafe curl_url_cleanup(parsed) }
        func part(_ name: CURLUPart) -> String? {
            var text: UnsafeMutablePointer<CChar>?
            guard unsafe curl_url_get(parsed, name, &text, 0) == CURLUE_OK, let text = unsafe text else { return nil }
            defer { unsafe curl_free(text) }
            return unsafe String(cString: text)
        }
        guard !url.utf8.contains(0), unsafe curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK,
            part(CURLUPART_USER) == nil, part(CURLUPART_PASSWORD) == nil, let host = part(CURLUPART_HOST)
        else { return nil }
        switch part(CURLUPART_SCHEME) {
        case "https": isSecure = true
        case "http": isSecure = false
        default: return nil
        }
        isLoopback = Address.loopbackNames.contains(host) || Address.isLoopback4(host)
    }

    /// libcurl gives `localhost` the loopback address without asking a name server.
    private static let loopbackNames: Set = ["localhost", "[::1]"]

    private static func isLoopback4(_ host: String) -> Bool {
        var address = in_addr()
        return unsafe inet_pton(AF_INET, host, &address) == 1 && UInt32(bigEndian: address.s_addr) >> 24 == 127
    }
}
