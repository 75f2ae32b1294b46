import Crypto
package import Kernel

/// The signature of ecommpay messages: HMAC-SHA512 over a canonical list of `path:value` lines, in Base64.
package enum EcommpaySignature {
    /// The text that is signed: one line per leaf, in natural order of the paths, joined by semicolons.
    ///
    /// `frame_mode` members give no line at any depth, nor do empty lists and objects.
    package static func canonicalText(_ value: Json) -> String {
        String(decoding: EcommpaySignedLines(value).joined, as: UTF8.self)
    }

    /// Signs an object, leaving out any member named `signature`, at any depth.
    package static func sign(_ value: Json, key: Secret) -> String {
        sign(EcommpaySignedLines(value, without: "signature").joined, key: key)
    }

    /// Signs a ready text.
    package static func sign(text: String, key: Secret) -> String { sign(Array(text.utf8), key: key) }

    private static func sign(_ text: [UInt8], key: Secret) -> String { Base64.encode(Hmac.sha512(key: key, text)) }

    /// A fault of a message's signature.
    package enum Fault: Hashable, Sendable {
        case missing, malformed, mismatch
    }

    /// Checks a body whose signature stands at the top or in `general`.
    package static func check(_ body: Json, key: Secret) -> Fault? {
        guard let claimed = body["signature"] ?? body.at("general", "signature") else { return .missing }
        guard let text = claimed.text else { return .malformed }
        guard !text.isEmpty else { return .missing }
        return matches(text, sign(body, key: key)) ? nil : .mismatch
    }

    /// Compares without telling where the difference is.
    static func matches(_ claimed: String, _ expected: String) -> Bool {
        constantTimeEquals(Array(claimed.utf8), Array(expected.utf8))
    }
}
