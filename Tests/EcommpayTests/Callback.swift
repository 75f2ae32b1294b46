import Crypto
import Http
import Kernel

/// Writes callbacks as the provider does, with a signature of its own making.
struct Callback {
    var members: JsonObject

    init(
        type: String? = "sale",
        status: String = "success",
        payment: String? = "success",
        amount: Json = 1999,
        code: String = "0",
        id: Int64 = 5_028_800_010_128_001,
        changes: [(String, Json)] = []
    ) {
        members = JsonObject([("project_id", 42)])
        members["payment"] = .compact([
            ("id", "pay-7"), ("status", payment.map(Json.string)), ("method", "card"),
            ("sum", ["amount": amount, "currency": "EUR"]),
        ])
        if let type {
            members["operation"] = [
                "id": .integer(id), "type": .string(type), "status": .string(status),
                "date": "2026-03-02T10:00:05+0000", "created_date": "2026-03-02T10:00:00+0000",
                "sum_initial": ["amount": amount, "currency": "EUR"], "code": .string(code),
            ]
        }
        for (name, value) in changes { members[name] = value }
    }

    var json: Json { .object(members) }
    var unsigned: [UInt8] { json.compactBytes }

    /// The body with the signature over `lines`, each `path:value`, which the test has put in order.
    func signed(over lines: [String], key: String = Shop.key) -> [UInt8] {
        let mac = Hmac.sha512(key: Secret(key), Array(lines.joined(separator: ";").utf8))
        var signed = members
        signed["signature"] = .string(Base64.encode(mac))
        return Json.object(signed).compactBytes
    }

    /// The body with a signature over leaves sorted as bytes: the same as natural order while no list is long.
    func signed(key: String = Shop.key) -> [UInt8] {
        signed(over: Self.leaves(json).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }, key: key)
    }

    static func leaves(_ json: Json, _ path: String = "") -> [String] {
        func step(_ name: String) -> String { path.isEmpty ? name : "\(path):\(name)" }
        switch json {
        case .null: return ["\(path):"]
        case .bool(let flag): return ["\(path):\(flag ? 1 : 0)"]
        case .number(let number): return ["\(path):\(number.text)"]
        case .string(let text): return ["\(path):\(text)"]
        case .array(let items): return items.enumerated().flatMap { leaves($0.element, step(String($0.offset))) }
        case .object(let object): return object.members.flatMap { leaves($0.value, step($0.name)) }
        }
    }

    static func request(_ body: [UInt8]) -> HttpRequest { HttpRequest(method: .post, target: "/", body: body) }
}
