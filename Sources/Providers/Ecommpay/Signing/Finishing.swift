import Http
import Kernel
import ProviderKit

/// Fills the holes of a request and signs it.
enum Finishing {
    static func request(
        _ template: RequestTemplate,
        _ materials: Materials,
        deadline: Duration
    ) throws(FinishFailure) -> OutgoingRequest {
        guard Signing(template.signing) == .gate, template.method == "POST" else {
            throw FinishFailure.malformedTemplate("not a request of Gate")
        }
        let key = try materials.secret(EcommpayAdapter.secretKeyName)
        guard var body = try template.content.opened(with: materials).members, var general = body["general"]?.members
        else { throw FinishFailure.malformedTemplate("no general member") }
        general["signature"] = .string(Signature.sign(.object(body), key: key))
        body["general"] = .object(general)
        return OutgoingRequest(
            method: .post,
            url: template.url,
            headers: HttpHeaders([("Accept", "application/json"), ("Content-Type", "application/json")]),
            body: Json.object(body).compactBytes,
            deadline: deadline
        )
    }
}
