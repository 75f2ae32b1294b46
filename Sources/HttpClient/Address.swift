import CCurl
import Glibc

/// The parts of an address that decide whether it may be used, as libcurl itself reads them.
struct Address {
    let isSecure: Bool
    let isLoopback: Bool

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
