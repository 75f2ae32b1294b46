import Crypto
package import Kernel

/// The signature of ecommpay messages: HMAC-SHA512 over a canonical list of `path:value` lines, in Base64.
package enum EcommpaySignature {
    /// The text that is signed: one line per leaf, in natural order of the paths, joined by semicolons.
    ///
    /// `frame_mode` members give no line at any depth, nor do empty lists and objects.
    package static func canonicalText(_ value: Json) -> String {
        var lines: [Line] = []
        collect(value, path: [], into: &lines)
        let sorted = lines.enumerated().sorted { left, right in
            let order = NaturalOrder.compare(left.element.path, right.element.path)
            return order == 0 ? left.offset < right.offset : order < 0
        }
        return sorted.map { String(decoding: $0.element.path, as: UTF8.self) + ":" + $0.element.value }
            .joined(separator: ";")
    }

    /// Signs an object that carries no signature.
    package static func sign(_ value: Json, key: Secret) -> String { sign(text: canonicalText(value), key: key) }

    /// Signs a ready text.
    package static func sign(text: String, key: Secret) -> String {
        Base64.encode(Hmac.sha512(key: key, Array(text.utf8)))
    }

    /// A fault of a message's signature.
    package enum Fault: Hashable, Sendable {
        case missing, malformed, mismatch
    }

    /// Checks a body whose signature stands at the top or in `general`.
    package static func check(_ body: Json, key: Secret) -> Fault? {
        guard let claimed = body["signature"] ?? body.at("general", "signature") else { return .missing }
        guard let text = claimed.text else { return .malformed }
        guard !text.isEmpty else { return .missing }
        return matches(text, sign(withoutSignatures(body), key: key)) ? nil : .mismatch
    }

    /// Compares without telling where the difference is.
    static func matches(_ claimed: String, _ expected: String) -> Bool {
        constantTimeEquals(Array(claimed.utf8), Array(expected.utf8))
    }

    /// The value without any member named `signature`, at any depth.
    package static func withoutSignatures(_ value: Json) -> Json {
        switch value {
        case .object(let object):
            .object(
                JsonObject(
                    object.members.filter { $0.name != "signature" }.map { ($0.name, withoutSignatures($0.value)) }
                )
            )
        case .array(let items): .array(items.map(withoutSignatures))
        case .null, .bool, .number, .string: value
        }
    }

    private struct Line {
        let path: [UInt8]
        let value: String
    }

    private static func collect(_ value: Json, path: [UInt8], into lines: inout [Line]) {
        switch value {
        case .null: lines.append(Line(path: path, value: ""))
        case .bool(let flag): lines.append(Line(path: path, value: flag ? "1" : "0"))
        case .number(let number): lines.append(Line(path: path, value: number.text))
        case .string(let text): lines.append(Line(path: path, value: text))
        case .array(let items):
            for (index, item) in items.enumerated() {
                collect(item, path: joined(path, Array(String(index).utf8)), into: &lines)
            }
        case .object(let object):
            for member in object.members where member.name != "frame_mode" {
                collect(member.value, path: joined(path, doubledColons(member.name)), into: &lines)
            }
        }
    }

    private static func joined(_ path: [UInt8], _ key: [UInt8]) -> [UInt8] {
        path.isEmpty ? key : path + [UInt8(ascii: ":")] + key
    }

    private static func doubledColons(_ name: String) -> [UInt8] {
        var out: [UInt8] = []
        for byte in name.utf8 {
            out.append(byte)
            if byte == UInt8(ascii: ":") { out.append(byte) }
        }
        return out
    }
}
