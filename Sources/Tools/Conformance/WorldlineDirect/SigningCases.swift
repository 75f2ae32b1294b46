import Conformance
import Http
import Kernel
import ProviderKit
import WorldlineDirect

/// Requests and their signatures.
enum SigningCases {
    /// A signed request: what is signed, the signature, the header.
    static func request(_ item: Json) -> [String] {
        guard let method = item["method"]?.text, let target = item["request_target"]?.text,
            let keyId = item["api_key_id"]?.text, let secret = item["secret_api_key"]?.text
        else { return ["the case names no request"] }
        let headers = headers(item)
        let text = Authorization.stringToSign(method: method, target: target, headers: headers)
        let authorization = Authorization.header(
            method: method,
            target: target,
            headers: headers,
            keyId: keyId,
            secret: Secret(secret)
        )
        let signature = Authorization.signature(Array(text.utf8), secret: Secret(secret))
        return Comparison.text("string_to_sign", expected: item["string_to_sign"], actual: text)
            + Comparison.text("expected_signature", expected: item["expected_signature"], actual: signature)
            + Comparison.text("expected_authorization", expected: item["expected_authorization"], actual: authorization)
    }

    static func stringToSign(_ item: Json) -> [String] {
        guard let method = item["method"]?.text, let target = item["request_target_on_wire"]?.text,
            let form = Authorization.Target(rawValue: item["canonical_resource_mode"]?.text ?? "raw")
        else { return ["the case names no request"] }
        let text = Authorization.stringToSign(method: method, target: target, headers: headers(item), as: form)
        guard item["expected_string_to_sign"]?.text != nil else { return ["the case expects nothing"] }
        return Comparison.text("string_to_sign", expected: item["expected_string_to_sign"], actual: text)
    }

    static func headerValue(_ item: Json) -> [String] {
        guard item["expected"]?.text != nil else { return ["the case expects nothing"] }
        let value = Authorization.canonical(item["input"]?.text ?? "")
        return Comparison.text("value", expected: item["expected"], actual: value)
    }

    /// The dates that the file lists beside its cases.
    static func dates(_ file: Json) -> [String] {
        (file["http_dates"]?.items ?? []).flatMap { date in
            guard let seconds = date["epoch_seconds"]?.integer else { return ["http_dates: no time"] }
            let text = HttpDate.text(Timestamp(seconds: seconds))
            return Comparison.text("http_dates", expected: date["expected"], actual: text)
        }
    }

    static func headers(_ item: Json) -> HttpHeaders {
        HttpHeaders((item["headers"]?.items ?? []).map { ($0["name"]?.text ?? "", $0["value"]?.text ?? "") })
    }
}
