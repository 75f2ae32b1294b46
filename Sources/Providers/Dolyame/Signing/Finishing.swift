import Http
import Kernel
import ProviderKit

/// Fills the holes of templates.
package enum Finishing {
    package static let passwordName = "password"
    package static let certificateName = "clientCertificate"
    package static let certificateKeyName = "clientKey"

    static func request(
        _ template: RequestTemplate,
        _ materials: Materials,
        deadline: Duration
    ) throws(FinishFailure) -> OutgoingRequest {
        guard template.signing == Call.signing, let method = HttpMethod(rawValue: template.method),
            let login = template.content["login"]?.text
        else { throw FinishFailure.malformedTemplate("not a request of the Partner API") }
        let password = try materials.secret(passwordName)
        // A question is a new operation each time it is asked.
        let correlation =
            template.content["correlation"]?.text
            ?? Correlation.id(account: Uuid(high: 0, low: 0), "\(template.url):\(materials.now.microseconds)")
        var headers = HttpHeaders([
            ("Accept", "application/json"), ("Authorization", basic(login, password)),
            ("X-Correlation-ID", correlation),
        ])
        var bytes: [UInt8] = []
        if let body = template.content["body"] {
            headers.append("Content-Type", "application/json")
            bytes = try client(in: body, materials).compactBytes
        }
        return OutgoingRequest(
            method: method,
            url: template.url,
            headers: headers,
            body: bytes,
            deadline: deadline,
            clientCertificate: ClientCertificate(
                certificate: try materials.secret(certificateName).withBytes { Array($0) },
                key: try materials.secret(certificateKeyName)
            )
        )
    }

    static func basic(_ login: String, _ password: Secret) -> String {
        let pair = password.withBytes { Array("\(login):".utf8) + $0 }
        return "Basic " + Base64.encode(pair)
    }

    /// The body with the payer's values opened and in the API's forms.
    private static func client(in body: Json, _ materials: Materials) throws(FinishFailure) -> Json {
        guard var object = body.members, let client = object["client_info"] else { return body }
        object["client_info"] = try payer(client, materials) { $0.api }
        return .object(object)
    }

    /// Opens a payer's fields; a phone or birthday that can't be one is left out, so that the form asks.
    static func payer(
        _ client: Json,
        _ materials: Materials,
        _ form: (ClientInfo.Day) -> String
    ) throws(FinishFailure) -> Json {
        var members: [(String, Json)] = []
        for member in client.members?.members ?? [] {
            let text: String
            if Sealed(member.value) != nil {
                guard let opened = materials.open(member.value) else { throw FinishFailure.erased(path: member.name) }
                guard let plain = opened.text else { continue }
                text = plain
            } else {
                guard let plain = member.value.text else { continue }
                text = plain
            }
            switch member.name {
            case "phone": if let phone = ClientInfo.phone(text) { members.append((member.name, .string(phone))) }
            case "birthdate", "birthday":
                if let day = ClientInfo.Day(text) { members.append((member.name, .string(form(day)))) }
            default: members.append((member.name, .string(text)))
            }
        }
        return .object(JsonObject(members))
    }
}
