import Crypto
import Http
package import Kernel
import ProviderKit

/// Fills the holes of a request and signs it, in the spelling of its dialect.
package enum Finishing {
    static func contentType(_ dialect: Dialect) -> String {
        switch dialect {
        case .legacy: "application/x-www-form-urlencoded"
        case .ecom: "application/json"
        }
    }

    /// JSON as it stands, or a form whose nested objects are JSON texts.
    package static func body(_ members: [(String, Json)], _ dialect: Dialect) -> [UInt8] {
        switch dialect {
        case .ecom: return Json.object(JsonObject(members)).compactBytes
        case .legacy:
            let pairs = members.map { name, value in (name: name, value: text(value)) }
            return Array(FormEncoding.encode(pairs).utf8)
        }
    }

    private static func text(_ value: Json) -> String {
        switch value {
        case .string(let text): text
        case .number(let number): number.text
        case .bool(let flag): flag ? "true" : "false"
        case .null: ""
        case .array, .object: String(decoding: value.compactBytes, as: UTF8.self)
        }
    }

    /// The members with the credentials in their place.
    static func signed(
        _ content: JsonObject,
        _ authorization: SberPaySettings.Authorization,
        _ secret: String
    ) -> [(String, Json)] {
        var members = content.members.map { ($0.name, $0.value) }
        switch authorization {
        case .token: members.insert(("token", .string(secret)), at: 0)
        case .password:
            let index = members.firstIndex { $0.0 == "userName" }.map { $0 + 1 } ?? 0
            members.insert(("password", .string(secret)), at: index)
        }
        return members
    }

    static func request(
        _ template: RequestTemplate,
        _ materials: Materials,
        deadline: Duration
    ) throws(FinishFailure) -> OutgoingRequest {
        guard case .request(let dialect, let authorization, let hasKey) = Signing(template.signing),
            template.method == "POST"
        else { throw .malformedTemplate("not a request of the gateway") }
        let secret = try materials.text(SberPayAdapter.apiSecretName)
        guard let content = try template.content.opened(with: materials).members else {
            throw .malformedTemplate("not a request of the gateway")
        }
        var headers = HttpHeaders([("Accept", "application/json"), ("Content-Type", contentType(dialect))])
        if hasKey {
            // Of the stored template, so that a repetition carries the same key.
            headers.append("x-idempotencyKey", String(Hex.encode(Digest.sha256(template.canonical)).prefix(36)))
        }
        return OutgoingRequest(
            method: .post,
            url: template.url,
            headers: headers,
            body: body(signed(content, authorization, secret), dialect),
            deadline: deadline
        )
    }
}
