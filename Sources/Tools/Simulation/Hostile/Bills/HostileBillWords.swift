import Http
import Kernel
import Payments

/// An amount that the provider took for one bill.
struct HostileBillEntry: Hashable, Sendable {
    let id: String
    let minor: Int64
    /// Counts the provider's payments.
    let number: Int
    var isBack = false
}

/// A request about bills, read off the wire.
struct HostileBillAsk: Hashable, Sendable {
    enum Purpose: Hashable, Sendable {
        case price, payment
    }

    let purpose: Purpose
    let bills: [(id: String, minor: Int64)]
    let credentials: String

    static func == (one: HostileBillAsk, other: HostileBillAsk) -> Bool {
        one.purpose == other.purpose && one.credentials == other.credentials && one.ids == other.ids
    }

    func hash(into hasher: inout Hasher) { hasher.combine(ids) }

    var ids: [String] { bills.map(\.id) }

    /// `nil` for a request that the reference does not know.
    init?(_ request: OutgoingRequest) {
        guard request.method == .post, request.url.hasSuffix("/merchant-bills"), let body = try? Json(request.body),
            let data = body.at("params", "data"), let items = data["bills"]?.items,
            let credentials = data["credentials"]?.text, data["token"]?.text?.isEmpty == false
        else { return nil }
        switch body["method"]?.text {
        case "getBillsCommission": purpose = .price
        case "payBillsSdk": purpose = .payment
        default: return nil
        }
        bills = items.compactMap { item in
            guard let id = item["id"]?.text, let minor = HostileBillWords.kopecks(item["billAmount"]) else {
                return nil
            }
            return (id, minor)
        }
        guard bills.count == items.count, !bills.isEmpty else { return nil }
        self.credentials = credentials
    }
}

/// Portmone's call for many bills in the words of its reference.
enum HostileBillWords {
    static let stale = "credentials-1"
    static let refusals = [stale, "refused-500"]
    static let odd = [
        "fewer", "more", "row-twice", "other-id", "amounts-absent", "amounts-unreadable", "words-unheard",
        "not-a-list", "step-last",
    ]
    /// The walk stops at the second bill.
    static let step = HostileAnswer.odd("step")

    static func kopecks(_ json: Json?) -> Int64? {
        guard let text = json?.scalarText, let hryvnia = Currency("UAH") else { return nil }
        return try? Money(decimal: text, hryvnia).minor
    }

    static func decimal(_ minor: Int64) -> Json {
        .string("\(minor / 100).\(minor % 100 < 10 ? "0" : "")\(minor % 100)")
    }

    static func refusal(_ name: String) -> HttpResponse {
        let code = name.split(separator: "-").last.map(String.init) ?? ""
        return .json(200, ["error": ["code": .string(code), "message": "Refused"], "id": "1"])
    }

    static let oddBody: Json = ["error": ["code": "9977", "message": "Unheard of"]]

    /// A row for each payment of the bill, or one that says why there is none.
    static func rows(_ ask: HostileBillAsk, _ ledger: [HostileBillEntry]) -> [Json] {
        ask.bills.flatMap { bill -> [Json] in
            let entries = ledger.filter { $0.id == bill.id }
            guard !entries.isEmpty else { return [row(bill.id, bill.minor, "REJECTED", nil)] }
            return entries.map { row(bill.id, bill.minor, $0.isBack ? "RETURN" : "PAYED", $0) }
        }
    }

    static func row(_ id: String, _ asked: Int64, _ status: String, _ entry: HostileBillEntry?) -> Json {
        let paid = entry?.minor ?? 0
        return [
            "authCode": .string(entry.map { "A\($0.number)" } ?? ""), "billAmount": decimal(asked),
            "billId": .string(id),
            "commission": .string(paid > 0 ? "0.50" : "0"), "errorCode": .string(entry == nil ? "51" : "0"),
            "errorMessage": .string(entry == nil ? "Declined by the bank" : ""), "mpiFlag": "N",
            "paidAmount": decimal(paid), "status": .string(status),
            "transactionId": .string(entry.map { "T\($0.number)" } ?? ""),
        ]
    }

    static func stepRow(_ id: String, _ asked: Int64) -> Json {
        [
            "actionMPI": "https://acs.example", "billAmount": decimal(asked), "billId": .string(id),
            "errorCode": "0", "errorMessage": "", "md": "md-1", "mpiFlag": "Y", "paidAmount": "0.00",
            "pareq": "cGFyZXE=", "status": "CREATED", "termUrl": "https://term.example",
        ]
    }

    static func list(_ rows: [Json]) -> HttpResponse { .json(200, ["id": "1", "result": .array(rows)]) }

    /// The success with something wrong in it.
    static func odd(_ name: String, _ rows: [Json], _ ask: HostileBillAsk) -> HttpResponse {
        switch name {
        case "fewer": return list(Array(rows.dropLast()))
        case "more": return list([row("foreign-1", 5000, "PAYED", foreign)] + rows)
        case "row-twice":
            // What an SDK tells that asked for a paid bill again.
            return list(rows + ask.bills.prefix(1).map { row($0.id, $0.minor, "", nil) })
        case "other-id":
            return list(rows.map { $0["billId"]?.text == ask.ids[0] ? $0.changing("billid") { _ in "other-1" } : $0 })
        case "amounts-absent":
            return list(
                rows.map { row in
                    .object(
                        JsonObject(
                            (row.members?.members ?? []).filter { !$0.name.hasSuffix("Amount") }.map {
                                ($0.name, $0.value)
                            }
                        )
                    )
                }
            )
        case "amounts-unreadable": return list(rows).changing("amount") { _ in "1,00x" }
        case "words-unheard": return list(rows).changing("status") { _ in "unheard of" }
        case "not-a-list": return .json(200, ["id": "1", "result": ["bills": .array(rows)]])
        case "step-last":
            // The walk is said to have stopped at the last bill, whatever was done.
            return list(rows.filter { $0["billId"]?.text != ask.ids.last } + ask.bills.suffix(1).map(stepRow))
        default: return list(rows)
        }
    }

    private static let foreign = HostileBillEntry(id: "foreign-1", minor: 5000, number: 99)

    // MARK: Prices

    static func price(_ ask: HostileBillAsk) -> HttpResponse {
        let total = ask.bills.reduce(0) { $0 + $1.minor }
        return .json(
            200,
            [
                "id": "1",
                "result": [
                    "amount": decimal(total), "commission": decimal(Int64(50 * ask.bills.count)),
                    "payeeData": .array(
                        ask.ids.map { ["commission": "0.50", "description": "Water", "id": .string($0)] }
                    ),
                    "totalCommissionText": "",
                ],
            ]
        )
    }

    /// That it knows none of the bills.
    static let noPrice = HttpResponse.json(
        200,
        ["id": "1", "result": ["amount": 0, "commission": 0, "payeeData": [], "totalCommissionText": ""]]
    )
}
