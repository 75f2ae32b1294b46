import Crypto
package import Http
package import Kernel

/// The provider's `v1HMAC` scheme: Base64 of HMAC-SHA256 over method, content type, date, `X-GCS-…` headers and target.
///
/// The body is not signed. The key is the text of the secret as it stands, although it often looks like Base64.
package enum Authorization {
    /// Which form of the request target is signed.
    package enum Target: String, Hashable, Sendable {
        /// As sent; the only form that this adapter needs, since it never sends an escape.
        case raw
        /// With its percent escapes decoded, as some of the provider's kits sign.
        case decoded
    }

    package static func header(
        method: String,
        target: String,
        headers: HttpHeaders,
        keyId: String,
        secret: Secret
    ) -> String {
        let text = stringToSign(method: method, target: target, headers: headers)
        return "GCS v1HMAC:\(keyId):\(signature(Array(text.utf8), secret: secret))"
    }

    package static func signature(_ bytes: [UInt8], secret: Secret) -> String {
        Base64.encode(Hmac.sha256(key: secret, bytes))
    }

    /// The text that is signed; each line ends with a line feed, the last one too.
    package static func stringToSign(
        method: String,
        target: String,
        headers: HttpHeaders,
        as form: Target = .raw
    ) -> String {
        var lines = [upper(method), headers["Content-Type"] ?? "", headers["Date"] ?? ""]
        var signed: [(name: String, value: String)] = []
        for field in headers.fields {
            let name = lower(field.name)
            if name.utf8.starts(with: prefix.utf8) { signed.append((name, canonical(field.value))) }
        }
        signed.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        lines += signed.map { "\($0.name):\($0.value)" }
        switch form {
        case .raw: lines.append(target)
        case .decoded: lines.append(FormEncoding.unescape(target.utf8, plusAsSpace: false) ?? target)
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static let prefix = "x-gcs"

    /// A header's value as it is signed: each line break with the blanks after it becomes one space, the ends are trimmed.
    package static func canonical(_ value: String) -> String {
        let bytes = Array(value.utf8)
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let isPair = bytes[index] == cr && index + 1 < bytes.count && bytes[index + 1] == lf
            guard isPair || bytes[index] == lf else {
                out.append(bytes[index])
                index += 1
                continue
            }
            index += isPair ? 2 : 1
            while index < bytes.count, isBlank(bytes[index]) { index += 1 }
            out.append(space)
        }
        let start = out.firstIndex { !isSpace($0) } ?? out.endIndex
        let end = out.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
        return String(decoding: out[start..<max(start, end)], as: UTF8.self)
    }

    private static let cr = UInt8(ascii: "\r")
    private static let lf = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")

    /// White space that does not break the line.
    private static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == 9 || byte == 11 || byte == 12 }

    private static func isSpace(_ byte: UInt8) -> Bool { isBlank(byte) || byte == lf || byte == cr }

    package static func lower(_ text: String) -> String {
        String(decoding: text.utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    static func upper(_ text: String) -> String {
        String(decoding: text.utf8.map { (97...122).contains($0) ? $0 & 0xDF : $0 }, as: UTF8.self)
    }
}
