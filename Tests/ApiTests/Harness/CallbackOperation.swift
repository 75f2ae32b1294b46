import Crypto
import Kernel

/// One operation of a callback, signed as ecommpay signs.
struct CallbackOperation: Sendable {
    let id: Int64
    let type: String
    let status: String
    let minor: Int64
    var currency = "EUR"

    private var json: Json {
        [
            "code": "0", "created_date": "2027-01-15T08:00:00+0000", "date": "2027-01-15T08:00:05+0000",
            "id": .integer(id), "status": .string(status),
            "sum_initial": ["amount": .integer(minor), "currency": .string(currency)], "type": .string(type),
        ]
    }

    func signed(reference: String, status: String, key: String) throws -> [UInt8] {
        let payment: Json = ["id": .string(reference), "method": "card", "status": .string(status)]
        var message = JsonObject([("operation", json), ("payment", payment), ("project_id", 42)])
        let lines = Self.lines(.object(message), []).sorted()
        let mac = Hmac.sha512(key: Secret(key), Array(lines.joined(separator: ";").utf8))
        message["signature"] = .string(Base64.encode(mac))
        return Json.object(message).compactBytes
    }

    private static func lines(_ json: Json, _ path: [String]) -> [String] {
        if let members = json.members { return members.members.flatMap { lines($0.value, path + [$0.name]) } }
        return [(path + [json.scalarText ?? ""]).joined(separator: ":")]
    }
}
