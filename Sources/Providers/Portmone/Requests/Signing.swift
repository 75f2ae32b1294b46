import Http
import Kernel
import ProviderKit

/// How a template is finished: the text stands in the template and so in its digest.
enum Signing: String {
    /// `createLinkPayment`: time, signature and the time allowed to pay are filled in.
    case link = "portmone.link"
    /// A JSON call: the password goes to `params.data`, and to a status call its window of dates.
    case call = "portmone.call"
    /// A JSON call that carries no password.
    case plain = "portmone.plain"
    /// A form of the older spelling.
    case form = "portmone.form"
    /// A call about a user's bills: what stands for the user's password is in it already.
    case bills = "portmone.bills"
    /// The address that the provider gave for the payer.
    case address = "portmone.address"
    /// The object for the SDK.
    case sdk = "portmone.sdk"
}

/// Fills what only the moment of sending knows.
package enum Finisher {
    package static let passwordName = "password"
    package static let signingKeyName = "signingKey"

    /// Members of a template's content beside `body`.
    static let zoneName = "zone"
    static let deadlineName = "deadline"
    static let unitName = "expTimeUnit"
    static let lookbackName = "lookbackSeconds"

    /// `createLinkPayment` with its signature.
    static func link(_ content: Json, _ materials: Materials) throws(FinishFailure) -> Json {
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
    static func call(_ content: Json, _ materials: Materials) throws(FinishFailure) -> Json {
        let opened = try (content["body"] ?? .null).opened(with: materials)
        guard var body = opened.members, var params = body["params"]?.members, var data = params["data"]?.members else {
            throw .malformedTemplate("not a call")
        }
        data["password"] = .string(try password(materials))
        if let window = try window(content, materials.now) {
            data["startDate"] = .string(window.start)
            data["endDate"] = .string(window.end)
        }
        params["data"] = .object(data)
        body["params"] = .object(params)
        return .object(body)
    }

    /// A form with its password, as encoded pairs.
    static func form(_ content: Json, _ materials: Materials) throws(FinishFailure) -> String {
        let opened = try (content["body"] ?? .null).opened(with: materials)
        var pairs: [(name: String, value: String)] = []
        for member in opened.members?.members ?? [] {
            guard let value = member.value.text else { throw .malformedTemplate("a field is no text") }
            pairs.append((member.name, value))
        }
        pairs.append(("password", try password(materials)))
        if let window = try window(content, materials.now) {
            pairs.append(("start_date", window.start))
            pairs.append(("end_date", window.end))
        }
        return FormEncoding.encode(pairs)
    }

    private static func password(_ materials: Materials) throws(FinishFailure) -> String {
        guard let secret = materials.secrets[passwordName] else { throw .missingSecret(passwordName) }
        guard let text = secret.withBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw .malformedTemplate("the password is no text")
        }
        return text
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
