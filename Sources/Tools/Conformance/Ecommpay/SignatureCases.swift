import Conformance
import Ecommpay
import Kernel
import ProviderKit

/// Cases about the canonical string, the primitive and the signed address.
enum SignatureCases {
    static func object(_ item: Json) -> [String] {
        guard let input = item["input"], let key = item["key"]?.text else { return ["no input or key"] }
        let canonical = String(decoding: CanonicalString(input).text(.natural), as: UTF8.self)
        return Comparison.text("string_to_sign", expected: item["string_to_sign"], actual: canonical)
            + Comparison.text("signature", expected: item["signature"], actual: Signature.sign(input, key: Secret(key)))
    }

    static func sdkString(_ item: Json) -> [String] {
        guard let text = item["string_to_sign"]?.text, let key = item["key"]?.text else { return ["no string or key"] }
        let signature = Signature.sign(Array(text.utf8), key: Secret(key))
        return Comparison.text("signature", expected: item["signature"], actual: signature)
    }

    static func paymentPageUrl(_ item: Json) -> [String] {
        guard let base = item["base"]?.text, let params = item["params"], let key = item["key"]?.text else {
            return ["no base, params or key"]
        }
        guard let made = PaymentPage.address(base, params, key: Secret(key)) else { return ["no address was made"] }
        var found = Comparison.text("signature", expected: item["signature"], actual: made.signature)
        guard let expected = item["url"]?.text else { return found }
        let (wanted, actual) = (split(expected), split(made.url))
        if wanted.base != actual.base { found.append("url: expected \(wanted.base), got \(actual.base)") }
        if wanted.pairs != actual.pairs { found.append("query: expected \(wanted.pairs), got \(actual.pairs)") }
        return found
    }

    /// The address before the query, and the decoded pairs in the order of their names.
    private static func split(_ url: String) -> (base: String, pairs: [String]) {
        guard let mark = url.firstIndex(of: "?") else { return (url, []) }
        let pairs = FormEncoding.decode(url[url.index(after: mark)...]) ?? []
        return (String(url[..<mark]), pairs.map { "\($0.name)=\($0.value)" }.sorted())
    }
}
