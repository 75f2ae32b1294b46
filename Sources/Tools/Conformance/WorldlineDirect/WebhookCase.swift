import Conformance
import Crypto
import Http
import Kernel
import ProviderKit
import WorldlineDirect

/// One event as it came: the verdict on its signature, then what is read of it.
struct WebhookCase {
    private let item: Json
    private let body: [UInt8]

    init(_ item: Json) {
        self.item = item
        body =
            item["body_base64"]?.text.flatMap { Base64.decode($0) } ?? item["body_text"]?.text.map { Array($0.utf8) }
            ?? []
    }

    private var request: HttpRequest {
        HttpRequest(method: .post, target: "/", headers: SigningCases.headers(item), body: body)
    }

    private var keys: [String: Secret] {
        var keys: [String: Secret] = [:]
        for member in item["secret_keys"]?.members?.members ?? [] {
            keys[member.name] = Secret(member.value.text ?? "")
        }
        return keys
    }

    var violations: [String] {
        var found: [String] = []
        if let digest = item["body_sha256"]?.text, digest != Hex.encode(Digest.sha256(body)) {
            found.append("body_sha256 is not that of the body")
        }
        do throws(NotificationAuthentication.Failure) {
            _ = try NotificationAuthentication.verify(request, keys: keys)
        } catch {
            return found + Comparison.text("expected", expected: item["expected"], actual: error.rawValue)
        }
        return found + Comparison.text("expected", expected: item["expected"], actual: "valid") + reading
    }

    /// The whole path after a good signature.
    private var reading: [String] {
        guard let json = try? Json(body), let event = Notification.list(json)?.first else {
            return ["the body is no event"]
        }
        let secrets = AccountSecrets([SecretName.webhookKeys: Secret(keyText)])
        let account = CaseContext.account(merchantId: event.merchantId ?? "")
        var found: [String] = []
        switch WorldlineAdapter().authenticate(request, account, secrets) {
        case .verified:
            if let expected = item["expected_after_parse"]?.text { found.append("expected \(expected)") }
        case .rejected(let reason):
            let expected = item["expected_after_parse"] ?? .string("no rejection")
            found += Comparison.text("expected_after_parse", expected: expected, actual: reason)
        case .unsigned, .unrecognised: found.append("the adapter took an unsigned event")
        }
        let number = CaseNumber(item, told: event.merchantReference)
        found += number.violations(
            WorldlineAdapter().interpret(
                .notification(body: body),
                CaseContext.interpretation(reference: number.text)
            )
        )
        guard let expected = item["expected_event"] else { return found }
        return found + Comparison.violations(expected: expected, actual: members(event, json))
    }

    private var keyText: String {
        keys.map { entry in "\(entry.key):\(entry.value.withBytes { String(decoding: $0, as: UTF8.self) })" }
            .joined(separator: "\n")
    }

    private func members(_ event: Notification, _ json: Json) -> [String: Json] {
        let content = event.payment ?? event.refund
        let entry = content.map { PaymentMessage.Entry($0, output: nil) }
        let created = json["created"]?.text
        return [
            "apiVersion": text(event.apiVersion), "id": text(event.id), "merchantId": text(event.merchantId),
            "type": .string(event.type), "created": event.created == nil ? .null : text(created),
            "payment_id": text(event.payment?["id"]?.text), "refund_id": text(event.refund?["id"]?.text),
            "status": text(entry?.status.status), "statusCode": entry?.status.code.map(Json.integer) ?? .null,
        ]
    }

    private func text(_ value: String?) -> Json { value.map(Json.string) ?? .null }

    /// The parts of the file beside its cases: the proof of a key, the check of an address.
    static func violations(ofFile file: Json) -> [String] {
        var found: [String] = []
        if let proof = file["validate_credentials"], let secret = proof["webhook_secret"]?.text {
            let actual = ClientCalls.proof(of: Secret(secret))
            found += Comparison.text("validate_credentials", expected: proof["expected_secret_field"], actual: actual)
        }
        if let check = file["endpoint_verification"] {
            let headers = HttpHeaders(
                (check["request_headers"]?.items ?? []).map { ($0["name"]?.text ?? "", $0["value"]?.text ?? "") }
            )
            let answer = EndpointVerification.answer(HttpRequest(method: .get, target: "/", headers: headers))
            let body = answer.map { String(decoding: $0.body, as: UTF8.self) } ?? ""
            found += Comparison.text("endpoint_verification", expected: check["expected_body"], actual: body)
            let type = answer?.headers["Content-Type"] ?? ""
            found += Comparison.text("content type", expected: check["expected_content_type"], actual: type)
            if let status = check["expected_status"]?.integer, status != Int64(answer?.status ?? 0) {
                found.append("endpoint_verification: expected \(status)")
            }
        }
        return found
    }
}
