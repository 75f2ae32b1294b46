import Http
import Kernel
import Payments

/// A request about a series, read off the wire.
enum HostileSeriesAsk: Hashable, Sendable {
    case cancel
    case update(minor: Int64?)
    /// A charge, or a question about one.
    case payment(HostileAsk)

    /// `nil` for a request that the reference does not know.
    init?(_ request: OutgoingRequest) {
        let path = request.url.split(separator: "/").dropFirst(2).joined(separator: "/")
        guard request.method == .post, let body = try? Json(request.body) else { return nil }
        let isOurs = body.at("recurring", "id") == .integer(HostileSeriesWords.series)
        switch path {
        case "v2/payment/card/recurring/cancel":
            guard isOurs else { return nil }
            self = .cancel
        case "v2/payment/card/recurring/update":
            guard isOurs else { return nil }
            self = .update(minor: body.at("recurring", "amount")?.integer)
        case "v2/payment/card/recurring":
            guard isOurs, let name = body.at("general", "payment_id")?.text else { return nil }
            let minor = body.at("payment", "amount")?.integer
            self = .payment(HostileAsk(.move(.sale), reference: name, name: name, minor: minor))
        default:
            guard let ask = EcommpayTableWire().read(request), ask.purpose == .look else { return nil }
            self = .payment(ask)
        }
    }
}

/// ecommpay's words for series, beside those for payments.
enum HostileSeriesWords {
    static let series: Int64 = 1_640_000_321
    static let odd = ["no-operation", "unreadable", "other-series", "no-series", "told-twice"]
    private static let project: Json = 42

    /// Documented refusals, each by its code; a series that is over is none to a cancel.
    static func refusals(_ scene: HostileSeriesScene) -> [String] {
        switch scene {
        case .cancel: ["unknown-3181", "over-3184", "signature-3261", "duplicate-3613"]
        case .update: ["unknown-3181", "over-3184", "signature-3261", "invalid-3001"]
        case .debit: ["over-3184", "signature-3261", "invalid-3001"]
        case .callback: []
        }
    }

    /// Refusals of a cancel that say that the series is over, or about to be.
    static let meansDone: Set<String> = ["over-3184", "duplicate-3613"]

    static func refusal(_ name: String) -> HttpResponse {
        let code = name.split(separator: "-").last.map(String.init) ?? ""
        return .json(400, ["code": .string(code), "message": "Refused", "project_id": project, "status": "error"])
    }

    static let success = HttpResponse.json(200, ["project_id": project, "request_id": "r-1", "status": "success"])

    /// The callback about a payment that took money, or about the series that it registered.
    static func callback(_ name: String, _ minor: Int64, number: Int, type: String, at now: Timestamp) -> Json {
        let date = Json.string(String(now.wholeSeconds.dropLast()) + "+0000")
        return [
            "operation": [
                "code": "0", "created_date": date, "date": date, "id": .integer(5_028_800_010_128_000 + Int64(number)),
                "status": "success", "sum_initial": ["amount": .integer(minor), "currency": "EUR"],
                "type": .string(type),
            ],
            "payment": ["id": .string(name), "method": "card", "status": "success"], "project_id": project,
            "recurring": ["currency": "EUR", "id": .integer(series)],
        ]
    }

    /// The callback with something wrong in it.
    static func odd(_ name: String, _ callback: Json) -> Json {
        func without(_ member: String) -> Json {
            .object(
                JsonObject((callback.members?.members ?? []).filter { $0.name != member }.map { ($0.name, $0.value) })
            )
        }
        switch name {
        case "no-operation": return without("operation")
        case "unreadable": return callback.changing("amount") { _ in "1,00x" }
        case "other-series":
            var members = callback.members ?? JsonObject([])
            members["recurring"] = ["currency": "EUR", "id": .integer(series + 1)]
            return .object(members)
        case "no-series": return without("recurring")
        default: return callback
        }
    }
}
