import Kernel

/// The fields of a control request: a JSON object, or what a browser's form sends.
struct ControlFields: Hashable, Sendable {
    let json: Json

    init(_ json: Json) { self.json = json }

    init?(_ request: SandboxRequest) {
        if request.body.isEmpty {
            json = .object(JsonObject([]))
            return
        }
        if let value = try? Json(request.body) {
            guard value.members != nil else { return nil }
            json = value
            return
        }
        guard let pairs = FormEncoding.decode(String(decoding: request.body, as: UTF8.self)) else { return nil }
        var object = JsonObject([])
        for pair in pairs { object[pair.name] = .string(pair.value) }
        json = .object(object)
    }

    func text(_ name: String) -> String? {
        guard let text = json[name]?.scalarText, !text.isEmpty else { return nil }
        return text
    }

    func integer(_ name: String) -> Int64? { text(name).flatMap { Int64($0) } }

    /// Every field that is a text or a number.
    var texts: [String: String] {
        var all: [String: String] = [:]
        for member in json.members?.members ?? [] { all[member.name] = member.value.scalarText }
        return all
    }
}
