import Kernel

/// The parameters of a call: a form of texts at the older gateway, JSON under a strict schema at the other.
struct SberPayFields {
    let dialect: SberPayMerchant.Dialect
    private let json: JsonObject

    /// Reads a request's body, or its query; `nil` where it is neither.
    init?(_ request: SandboxRequest, _ dialect: SberPayMerchant.Dialect) {
        self.dialect = dialect
        switch dialect {
        case .ecom:
            guard let members = (try? Json(request.body))?.members else { return nil }
            json = members
        case .legacy:
            let text = request.body.isEmpty ? request.query : String(decoding: request.body, as: UTF8.self)
            guard let pairs = FormEncoding.decode(text) else { return nil }
            json = JsonObject(pairs.map { ($0.name, .string($0.value)) })
        }
    }

    /// Refuses names outside the schema; the older gateway does not look.
    func checkNames(_ known: [String]) throws(SberPayRefusal) {
        guard dialect == .ecom else { return }
        for name in json.names where !known.contains(name) && name != "userName" && name != "password" {
            throw .parameter(name)
        }
    }

    func text(_ name: String, _ length: ClosedRange<Int> = 1...2048) throws(SberPayRefusal) -> String? {
        guard let value = json[name], !value.isNull else { return nil }
        guard let text = value.text, length.contains(text.unicodeScalars.count) else {
            // Blank fields of a form count as absent.
            if dialect == .legacy, value == "" { return nil }
            throw .parameter(name)
        }
        return text
    }

    func needed(_ name: String, _ length: ClosedRange<Int> = 1...2048) throws(SberPayRefusal) -> String {
        guard let text = try text(name, length) else {
            throw SberPayRefusal(code: 4, message: "[\(name)] is missing")
        }
        return text
    }

    func amount(_ name: String) throws(SberPayRefusal) -> Int64? {
        guard let value = json[name], !value.isNull else { return nil }
        let number = dialect == .ecom ? value.integer : value.scalarText.flatMap { Int64($0) }
        guard let number, (0...999_999_999_999).contains(number) else { throw .parameter(name) }
        return number
    }

    /// An id of an order or binding: 36 of `[a-f0-9-]`.
    func id(_ name: String) throws(SberPayRefusal) -> String? {
        guard let text = try text(name) else { return nil }
        guard text.utf8.count == 36, text.utf8.allSatisfy({ Array("0123456789abcdef-".utf8).contains($0) }) else {
            throw .parameter(name)
        }
        return text
    }

    /// A nested object: native, or as JSON text in a field.
    func object(_ name: String) throws(SberPayRefusal) -> JsonObject {
        guard let value = json[name], !value.isNull else { return JsonObject([]) }
        switch dialect {
        case .ecom:
            guard let members = value.members, members.count <= 99 else { throw .parameter(name) }
            return members
        case .legacy:
            guard let text = value.text, let members = (try? Json(text: text))?.members else { throw .parameter(name) }
            return members
        }
    }

    func credentials() -> (userName: String?, password: String?, token: String?) {
        (json["userName"]?.text, json["password"]?.text, json["token"]?.text)
    }
}

extension JsonObject {
    /// A flag as `true` or as `"true"`.
    func isOn(_ name: String) -> Bool { self[name]?.flag == true || self[name]?.text == "true" }
}
