import Http
import Kernel
import ProviderKit

/// Fills a template and signs it for the moment at which it leaves.
enum Finishing {
    static func request(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> OutgoingRequest {
        guard template.signing == Call.signing, let method = HttpMethod(rawValue: template.method),
            let url = try url(template, materials), let target = target(url)
        else { throw FinishFailure.malformedTemplate("not a request of the provider") }
        var headers = HttpHeaders([("Accept", "application/json")])
        var body: [UInt8] = []
        if let content = template.content["body"] {
            let opened = try ApplePayData.unfolded(try content.opened(with: materials, path: "body."))
            body = timed(opened, template, materials).compactBytes
            headers.append("Content-Type", "application/json")
        }
        headers.append("Date", HttpDate.text(materials.now))
        if let integrator = template.content["integrator"]?.text {
            headers.append("X-GCS-ServerMetaInfo", serverMetaInfo(integrator))
        }
        if let hole = template.content["meta"], let meta = materials.open(hole)?.text {
            guard HttpHeaders.isValid("X-GCS-ClientMetaInfo", meta) else {
                throw FinishFailure.malformedTemplate("client info is no header value")
            }
            headers.append("X-GCS-ClientMetaInfo", meta)
        }
        if let key = template.content["key"]?.text {
            guard Call.isKey(key) else { throw FinishFailure.malformedTemplate("idempotence key") }
            headers.append("X-GCS-Idempotence-Key", key)
        }
        // Both parts of the pair are secrets, so that they change together.
        let keyId = try materials.text(SecretName.apiKeyId)
        let key = try materials.secret(SecretName.secretApiKey)
        let signature = Authorization.header(
            method: template.method,
            target: target,
            headers: headers,
            keyId: keyId,
            secret: key
        )
        headers.append("Authorization", signature)
        return OutgoingRequest(
            method: method,
            url: url,
            headers: headers,
            body: body,
            deadline: WorldlineDeclaration.declaration.requestDeadline
        )
    }

    /// The address, with the sealed value that belongs behind it: a token is part of its own address.
    private static func url(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> String? {
        guard let hole = template.content["segment"] else { return template.url }
        guard let text = materials.open(hole)?.text else { throw .erased(path: "segment") }
        return PathSegment.isSafe(text) ? template.url + text : nil
    }

    /// The target of an absolute address: what stands behind the host.
    private static func target(_ url: String) -> String? {
        guard let scheme = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let rest = url.utf8[scheme...].dropFirst(3)
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        return String(Substring(rest[slash...]))
    }

    /// A page lives as long as the payment: the provider takes minutes, counted from the moment of sending.
    private static func timed(_ body: Json, _ template: RequestTemplate, _ materials: Materials) -> Json {
        guard let deadline = template.content["deadline"]?.integer, var members = body.members,
            var page = members["hostedCheckoutSpecificInput"]?.members
        else { return body }
        let minutes = (deadline - materials.now.seconds) / 60
        page["sessionTimeout"] = .integer(min(max(minutes, 1), longestPageMinutes))
        members["hostedCheckoutSpecificInput"] = .object(page)
        return .object(members)
    }

    private static let longestPageMinutes: Int64 = 1440

    /// Who is calling, as the provider's kits tell it.
    private static func serverMetaInfo(_ integrator: String) -> String {
        let info: Json = [
            "platformIdentifier": "Linux", "sdkIdentifier": "paystream/1", "sdkCreator": "Paystream",
            "integrator": .string(integrator),
        ]
        return Base64.encode(info.compactBytes)
    }
}

/// The names of an account's secrets.
package enum SecretName {
    package static let apiKeyId = "apiKeyId"
    package static let secretApiKey = "secretApiKey"
    /// One `keyId:secret` for each webhook key that is valid, divided by blanks or line breaks.
    package static let webhookKeys = "webhookKeys"

    static let all = [apiKeyId, secretApiKey, webhookKeys]
}
