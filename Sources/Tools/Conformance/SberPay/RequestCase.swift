import Conformance
import Http
import Kernel
import Payments
import ProviderKit
import SberPay

/// One outgoing request: address and body as the adapter writes them.
struct RequestCase {
    private let item: Json

    init(_ item: Json) { self.item = item }

    var violations: [String] {
        if let paths = item["dialect_paths"]?.members { return paths.members.flatMap(path) }
        guard let members = (item["input"] ?? item["expected_json"])?.members else { return ["no input"] }
        let dialect = CaseAccount.dialect(item)
        guard let call = call(item["path"]?.text ?? "", dialect) else {
            return ["unknown path \(item["path"]?.text ?? "")"]
        }
        guard let request = made(members, call, dialect) else { return ["no request was made"] }
        var found = Comparison.text("method", expected: item["method"], actual: request.method.rawValue)
        let path = String(request.url.dropFirst(dialect.baseUrl(.test).count))
        found += Comparison.text("path", expected: item["path"], actual: path)
        let type = request.headers.all("Content-Type").first ?? ""
        found += Comparison.text("content_type", expected: item["content_type"], actual: type)
        return found + body(request.body, members)
    }

    private func call(_ path: String, _ dialect: Dialect) -> GatewayCall? {
        GatewayCall.allCases.first { dialect.pathPrefix + $0.file(dialect) == path }
    }

    private func path(_ member: (name: String, value: Json)) -> [String] {
        guard let dialect = Dialect(rawValue: member.name), let text = member.value.text else {
            return ["unknown dialect \(member.name)"]
        }
        return call(text, dialect) == nil ? ["\(member.name): no call has the path \(text)"] : []
    }

    /// The case's parameters through a template and `finish`, the secret taken out and filled in again.
    private func made(_ members: JsonObject, _ call: GatewayCall, _ dialect: Dialect) -> OutgoingRequest? {
        var content = members
        let authorization: SberPaySettings.Authorization = members["token"] == nil ? .password : .token
        let secret = members[authorization.rawValue]?.text
        content[authorization.rawValue] = nil
        let template = RequestTemplate(
            method: "POST",
            url: dialect.baseUrl(.test) + dialect.pathPrefix + call.file(dialect),
            content: .object(content),
            signing: Signing.request(dialect, authorization, hasKey: false).text
        )
        let materials = Materials(
            secrets: AccountSecrets([SberPayAdapter.apiSecretName: Secret(secret ?? "")]),
            open: { _ in nil },
            now: .epoch
        )
        return try? SberPayAdapter().finish(template, materials)
    }

    private func body(_ bytes: [UInt8], _ members: JsonObject) -> [String] {
        var found: [String] = []
        if let expected = item["expected_json"] {
            let actual = (try? Json(bytes)) ?? .null
            if actual.canonical != expected.canonical { found.append("body: got \(actual.canonicalText)") }
        }
        guard let fields = item["expected_fields_decoded"]?.members else { return found }
        let nested = item["expected_json_fields"]?.members
        guard let pairs = FormEncoding.decode(String(decoding: bytes, as: UTF8.self)) else {
            return found + ["no form"]
        }
        func value(_ name: String) -> String? { pairs.first { $0.name == name }?.value }
        for field in fields.members {
            found += Comparison.text(field.name, expected: field.value, actual: value(field.name) ?? "")
        }
        for field in nested?.members ?? [] {
            let actual = value(field.name).flatMap { try? Json(text: $0) } ?? .null
            if actual.canonical != field.value.canonical { found.append("\(field.name): got \(actual.canonicalText)") }
        }
        if pairs.count != fields.count + (nested?.count ?? 0) { found.append("fields: got \(pairs.map(\.name))") }
        if let example = item["example_body"]?.text, FormEncoding.decode(example)?.map(\.value) != pairs.map(\.value) {
            found.append("body: got \(String(decoding: bytes, as: UTF8.self))")
        }
        return found
    }
}
