import Conformance
import Crypto
import Http
import Kernel
import Payments
import ProviderKit
import SberPay

/// Cases about callbacks: their checksum, their structure and what they hint at.
enum CallbackCases {
    static func hmac(_ item: Json) -> [String] {
        guard let key = item["key"]?.text, let parameters = parameters(item) else { return ["no key or raw"] }
        let canonical = canonical(parameters)
        var found = signed(item, parameters, canonical)
        let computed = Notification.hmac(canonical, key: Secret(key))
        found += Comparison.text("computed_checksum", expected: item["computed_checksum"], actual: computed)
        let claimed = parameters.first { $0.name == "checksum" }?.value
        found += Comparison.text("received_checksum", expected: item["received_checksum"], actual: claimed ?? "")
        let isValid = claimed.map { Notification.isHmac($0, of: canonical, key: Secret(key)) } ?? false
        found += Comparison.verdict("expected_valid", expected: item["expected_valid"], actual: isValid)
        let secrets = AccountSecrets([SberPayAdapter.callbackKeyName: Secret(key)])
        return found + intake(item, [("callbackMode", "hmac")], secrets, isValid: isValid)
    }

    static func rsa(_ item: Json) -> [String] {
        guard let parameters = parameters(item) else { return ["no raw"] }
        let keys = ["public_key_pem", "certificate_pem"].compactMap { item[$0]?.text }
        guard !keys.isEmpty else { return ["no key"] }
        let canonical = canonical(parameters)
        var found = signed(item, parameters, canonical)
        let claimed = parameters.first { $0.name == "checksum" }?.value ?? ""
        found += Comparison.text("signature_hex", expected: item["signature_hex"], actual: claimed)
        let digest = item["digest"]?.text ?? "sha512"
        for key in keys {
            guard let verifier = try? RsaVerifier(Array(key.utf8)),
                let algorithm = SberPaySettings.CallbackDigest(rawValue: digest)
            else {
                found.append("the key or digest can't be used")
                continue
            }
            let isValid = Notification.isSignature(claimed, of: canonical, key: verifier, algorithm)
            found += Comparison.verdict("expected_valid", expected: item["expected_valid"], actual: isValid)
            let changes: [(String, Json)] = [
                ("callbackMode", "rsa"), ("callbackPublicKey", .string(key)), ("callbackDigest", .string(digest)),
            ]
            found += intake(item, changes, AccountSecrets([:]), isValid: isValid)
        }
        return found
    }

    private static func parameters(_ item: Json) -> [(name: String, value: String)]? {
        item["raw"]?.text.flatMap { FormEncoding.decode($0) }
    }

    private static func canonical(_ parameters: [(name: String, value: String)]) -> String {
        Notification.canonical(parameters, excluding: ["checksum", "sign_alias"])
    }

    private static func signed(
        _ item: Json,
        _ parameters: [(name: String, value: String)],
        _ canonical: String
    ) -> [String] {
        var found = Comparison.text("canonical", expected: item["canonical"], actual: canonical)
        if let decoded = item["decoded"] {
            let actual = Json.array(parameters.map { [.string($0.name), .string($0.value)] })
            if decoded.canonical != actual.canonical { found.append("decoded: got \(actual.canonicalText)") }
        }
        return found
    }

    /// The adapter's whole verdict: a bad checksum is refused for that, a good one may still be refused for its shape.
    private static func intake(
        _ item: Json,
        _ changes: [(String, Json)],
        _ secrets: AccountSecrets,
        isValid: Bool
    ) -> [String] {
        let raw = item["raw"]?.text ?? ""
        let isPost = item["method"]?.text == "POST"
        let request = HttpRequest(
            method: isPost ? .post : .get,
            target: isPost ? "/callback" : "/callback?\(raw)",
            body: isPost ? Array(raw.utf8) : []
        )
        switch SberPayAdapter().authenticate(request, CaseAccount.settings(.legacy, changes), secrets) {
        case .verified: return isValid ? [] : ["the adapter took a callback that is not the bank's"]
        case .rejected(let reason):
            let refusals = ["signature_mismatch", "signature_missing"]
            return isValid == refusals.contains(reason) ? ["the adapter rejected it: \(reason)"] : []
        case .unsigned, .unrecognised: return ["the adapter took it for unsigned"]
        }
    }

    /// The hint of a callback; it never moves money by itself.
    static func operation(_ item: Json) -> [String] {
        guard let members = item["callback"]?.members else { return ["no callback"] }
        let isJson = item["format"]?.text == "json"
        let body = Finishing.body(members.members.map { ($0.name, $0.value) }, isJson ? .ecom : .legacy)
        let request = HttpRequest(method: .post, target: "/callback", body: body)
        let account = CaseAccount.settings(isJson ? .ecom : .legacy)
        let verdict = SberPayAdapter().authenticate(request, account, AccountSecrets([:]))
        let callback = Notification(stored: body)
        let number = CaseNumber(item, told: callback?.orderNumber)
        let mode = CaseAccount.mode(item["context"])
        let facts = SberPayAdapter().interpret(
            .notification(body: body),
            InterpretContext(
                settings: account,
                paymentReference: number.text,
                terms: CaseAccount.terms(mode, amount: 100),
                isHandover: true
            )
        )
        return Comparison.violations(expected: item["expected"], actual: reading(callback, mode, verdict, facts))
            + number.violations(facts)
    }

    private static func reading(
        _ callback: Notification?,
        _ mode: PaymentMode,
        _ verdict: Authentication,
        _ facts: [Fact]
    ) -> [String: Json] {
        let isTaken = if case .rejected = verdict { false } else { true }
        var actual: [String: Json] = ["structure_valid": .bool(isTaken && callback != nil), "stored": .bool(isTaken)]
        let notified = HttpRequest(method: .post, target: "/")
        let reply = SberPayAdapter().reply(isTaken ? .stored : .rejected(reason: ""), to: notified)
        actual["http_reply"] = .integer(Int64(reply.status))
        guard let callback else { return actual }
        let moves = facts.contains { if case .operation = $0 { true } else { false } }
        let ends = facts.contains { if case .attempt(.closed) = $0 { true } else { false } }
        let isVerified = if case .verified = verdict { true } else { false }
        let hint = callback.hint(mode: mode)
        actual["hint"] = .optional(hint.word)
        actual["requery"] = .bool(facts.contains(.question))
        actual["terminal"] = .bool(ends)
        actual["state_unchanged"] = .bool(!moves && !ends)
        actual["payment_transition"] = .bool(moves || ends)
        actual["authenticated"] = .bool(isVerified)
        actual["binding_id"] = .optional(callback.bindingId)
        if case .credential(let event) = hint { actual["credential_event"] = .string(event.rawValue) }
        return actual
    }
}
