import Http
import Kernel
import ProviderKit

/// Fills the holes of a request with what only the moment of sending knows.
package enum Finishing {
    package static let passwordName = "password"
    package static let signingKeyName = "signingKey"

    /// Members of a template's content beside `body`.
    static let zoneName = "zone"
    static let deadlineName = "deadline"
    static let unitName = "expTimeUnit"
    static let lookbackName = "lookbackSeconds"

    static func request(
        _ template: RequestTemplate,
        _ materials: Materials,
        deadline: Duration
    ) throws(FinishFailure) -> OutgoingRequest {
        let contentType: String
        let body: [UInt8]
        switch Signing(rawValue: template.signing) {
        case .link:
            contentType = "application/json"
            body = try link(template.content, materials).compactBytes
        case .call:
            contentType = "application/json"
            body = try call(template.content, materials).compactBytes
        case .plain, .bills:
            contentType = "application/json"
            body = try (template.content["body"] ?? .null).opened(with: materials).compactBytes
        case .form:
            contentType = "application/x-www-form-urlencoded"
            body = Array(try form(template.content, materials).utf8)
        case .address, .sdk, nil: throw FinishFailure.malformedTemplate("not a request")
        }
        return OutgoingRequest(
            method: .post,
            url: template.url,
            headers: HttpHeaders([("Accept", "application/json, text/xml"), ("Content-Type", contentType)]),
            body: body,
            deadline: deadline
        )
    }

    /// `createLinkPayment` with its signature.
    private static func link(_ content: Json, _ materials: Materials) throws(FinishFailure) -> Json {
        guard let key = materials.secrets[signingKeyName] else { throw .missingSecret(signingKeyName) }
        let opened = try (content["body"] ?? .null).opened(with: materials)
        guard var body = opened.members, var payee = body["payee"]?.members, var order = body["order"]?.members,
            let payeeId = payee["payeeId"]?.text, let login = payee["login"]?.text,
            let number = order["shopOrderNumber"]?.text, let amount = order["billAmount"]?.text,
            let zone = content[zoneName]?.text.flatMap({ CivilZone($0) })
        else { throw .malformedTemplate("not a payment link") }
        let dt = zone.compact(materials.now)
        let message = Signature.message(
            payeeId: payeeId,
            dt: dt,
            orderNumber: number,
            amount: amount,
            login: login
        )
        payee["dt"] = .string(dt)
        payee["signature"] = .string(Signature.sign(message, key: key))
        order["expTime"] = .string(try allowance(content, materials.now))
        body["payee"] = .object(payee)
        body["order"] = .object(order)
        return .object(body)
    }

    /// The time until the deadline, at least one unit.
    private static func allowance(_ content: Json, _ now: Timestamp) throws(FinishFailure) -> String {
        guard let deadline = content[deadlineName]?.text.flatMap({ Timestamp($0) }),
            let unit = content[unitName]?.text.flatMap(PortmoneSettings.ExpiryUnit.init)
        else { throw .malformedTemplate("no deadline") }
        let seconds = max(1, deadline.seconds - now.seconds)
        switch unit {
        case .seconds: return String(seconds)
        case .minutes: return String(max(1, seconds / 60))
        }
    }

    /// A JSON call with its password.
    private static func call(_ content: Json, _ materials: Materials) throws(FinishFailure) -> Json {
        let opened = try (content["body"] ?? .null).opened(with: materials)
        guard var body = opened.members, var params = body["params"]?.members, var data = params["data"]?.members else {
            throw .malformedTemplate("not a call")
        }
        data["password"] = .string(try materials.text(passwordName))
        if let window = try window(content, materials.now) {
            data["startDate"] = .string(window.start)
            data["endDate"] = .string(window.end)
        }
        params["data"] = .object(data)
        body["params"] = .object(params)
        return .object(body)
    }

    /// A form with its password, as encoded pairs.
    private static func form(_ content: Json, _ materials: Materials) throws(FinishFailure) -> String {
        let opened = try (content["body"] ?? .null).opened(with: materials)
        var pairs: [(name: String, value: String)] = []
        for member in opened.members?.members ?? [] {
            guard let value = member.value.text else { throw .malformedTemplate("a field is no text") }
            pairs.append((member.name, value))
        }
        pairs.append(("password", try materials.text(passwordName)))
        if let window = try window(content, materials.now) {
            pairs.append(("start_date", window.start))
            pairs.append(("end_date", window.end))
        }
        return FormEncoding.encode(pairs)
    }

    /// The dates that a status call looks between: without them the provider looks back one month only.
    private static func window(
        _ content: Json,
        _ now: Timestamp
    ) throws(FinishFailure) -> (start: String, end: String)? {
        guard let lookback = content[lookbackName]?.integer else { return nil }
        guard let zone = content[zoneName]?.text.flatMap({ CivilZone($0) }) else { throw .malformedTemplate("no zone") }
        return (zone.date(now.adding(.seconds(-lookback))), zone.date(now))
    }
}
