import Crypto
import Http
package import Kernel
import ProviderKit

/// What `finish` or `render` does with a template: the text stands in the template and so in its digest.
package enum Signing: Hashable {
    case request(Dialect, SberPaySettings.Authorization, hasKey: Bool)
    /// The bank's page, or the link into its app.
    case link
    /// The object for the SDK, whose key is filled in.
    case sdk

    package var text: String {
        switch self {
        case .request(let dialect, let authorization, let hasKey):
            "sberpay.\(dialect.rawValue).\(authorization.rawValue)\(hasKey ? ".key" : "")"
        case .link: "sberpay.link"
        case .sdk: "sberpay.sdk"
        }
    }

    init?(_ text: String) {
        switch text {
        case "sberpay.link": self = .link
        case "sberpay.sdk": self = .sdk
        default:
            let parts = text.split(separator: ".").map(String.init)
            guard parts.count == 3 || parts.count == 4 && parts[3] == "key", parts[0] == "sberpay",
                let dialect = Dialect(rawValue: parts[1]),
                let authorization = SberPaySettings.Authorization(rawValue: parts[2])
            else { return nil }
            self = .request(dialect, authorization, hasKey: parts.count == 4)
        }
    }
}

/// How a dialect writes parameters.
package enum Wire {
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
        _ signing: Signing,
        _ secret: String,
        _ content: JsonObject,
        deadline: Duration
    ) -> OutgoingRequest? {
        guard case .request(let dialect, let authorization, let hasKey) = signing else { return nil }
        var headers = HttpHeaders([("Accept", "application/json"), ("Content-Type", contentType(dialect))])
        if hasKey {
            // Of the stored template, so that a repetition carries the same key.
            headers.append("x-idempotencyKey", String(Hex.encode(Digest.sha256(template.json.canonical)).prefix(36)))
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

extension Materials {
    func text(_ name: String) throws(FinishFailure) -> String {
        guard let secret = secrets[name], !secret.isEmpty else { throw FinishFailure.missingSecret(name) }
        return secret.withBytes { String(decoding: $0, as: UTF8.self) }
    }
}
