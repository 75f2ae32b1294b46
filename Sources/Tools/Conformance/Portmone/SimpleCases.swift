import Conformance
import Kernel
import Payments
import Portmone
import ProviderKit

/// The signature and the text that it is made over.
enum SignatureCase {
    static func violations(_ item: Json) -> [String] {
        guard let input = item["input"], let payeeId = input["payeeId"]?.scalarText, let dt = input["dt"]?.scalarText,
            let number = input["shopOrderNumber"]?.scalarText, let amount = input["billAmount"]?.scalarText,
            let login = input["login"]?.scalarText, let key = input["key"]?.scalarText
        else { return ["no whole input"] }
        let message = Signature.message(payeeId: payeeId, dt: dt, orderNumber: number, amount: amount, login: login)
        let text = String(decoding: message, as: UTF8.self)
        return Comparison.text("message", expected: item["message"], actual: text)
            + Comparison.text(
                "signature",
                expected: item["signature"],
                actual: Signature.sign(message, key: Secret(key))
            )
    }
}

/// Cases of what a browser brings back.
enum ReturnCase {
    static func violations(_ item: Json) -> [String] {
        let read = BrowserReturn(item["fields"] ?? [:])
        func text(_ value: String?) -> Json { value.map(Json.string) ?? .null }
        let fields = read.fields
        let actual: [String: Json] = [
            "hint": .string(read.hint.rawValue),
            "shopBillId": text(fields.billId),
            "shopOrderNumber": text(fields.orderNumber),
            "amount": text(CaseShop.money(fields.amountText)?.decimal),
            "ipsToken": text(fields.text("ipstoken")),
            "token": text(fields.text("token")),
            "cardMask": text(fields.cardMask),
            "authCode": text(fields.text("approvalcode")),
            "receiptUrl": text(fields.text("receipturl")),
            "lang": text(fields.text("lang")),
            "description": text(fields.text("description")),
            "reasonText": text(read.reason),
            "mustConfirmWithResult": .bool(read.hint != .none),
        ]
        return Comparison.violations(expected: item["expected"], actual: actual)
    }
}

/// Bills as an app reports them, against what was asked for.
enum BillResultCase {
    static func violations(_ item: Json) -> [String] {
        let requested = lines((item["requested"]?.members?.members ?? []).map { ($0.name, $0.value.scalarText) })
        let reports = (item["ubills"]?.items ?? []).map { BillReport($0) }
        return Comparison.violations(
            expected: item["expected"],
            actual: words(BillOutcomes(requested, reports, source: .claim))
        )
    }

    static func lines(_ pairs: [(id: String, amount: String?)]) -> [BillLine] {
        guard let hryvnia = Amounts.hryvnia else { return [] }
        return pairs.enumerated().map { place, pair in
            BillLine(ordinal: place + 1, id: pair.id, amount: CaseShop.money(pair.amount) ?? .zero(hryvnia))
        }
    }

    /// The outcome in the words of the files.
    static func words(_ outcomes: BillOutcomes) -> [String: Json] {
        let flagged = outcomes.bills.filter(\.amountDiffers)
        let repeatable = outcomes.repeatable
        return [
            "batch": .string(outcomes.whole.rawValue),
            "bills": .object(JsonObject(outcomes.bills.map { ($0.id, .string($0.outcome.rawValue)) })),
            "flags": .object(JsonObject(flagged.map { ($0.id, ["amount_mismatch"]) })),
            "charged": outcomes.charged.map { .string($0.decimal) } ?? .null,
            "commission": outcomes.commission.map { .string($0.decimal) } ?? .null,
            "ignored": .array(outcomes.foreign.map(Json.string)),
            "foreign": .array(outcomes.foreign.map(Json.string)),
            "alert": .bool(!outcomes.foreign.isEmpty),
            "resubmittable": .array(repeatable.map(Json.string)),
        ]
    }
}

/// Calls about utility bills: the body that is sent and the reading of the answer.
struct BillCallCase {
    private let item: Json

    init(_ item: Json) { self.item = item }

    var violations: [String] {
        requestViolations + Comparison.violations(expected: item["expected"], actual: actual)
    }

    private var data: Json { item.at("request", "params", "data") ?? [:] }

    private func text(_ name: String) -> String { data[name]?.scalarText ?? "" }

    private var orders: [BillLine] {
        let asked = (data["bills"]?.items ?? []).map { bill in
            (bill["id"]?.scalarText ?? "", bill["billAmount"]?.scalarText)
        }
        guard asked.isEmpty else { return BillResultCase.lines(asked) }
        if let ids = item["requested"]?.items { return BillResultCase.lines(ids.map { ($0.scalarText ?? "", nil) }) }
        return BillResultCase.lines(
            (item["requested"]?.members?.members ?? []).map { ($0.name, $0.value.scalarText) }
        )
    }

    /// The call that the case's method names, made again from the case's values.
    private var requestViolations: [String] {
        guard let request = item["request"] else { return [] }
        let made: Json
        switch request["method"]?.text {
        case "getcred": made = MerchantBills.credentials(login: text("login"), password: text("password"))
        case "checkToken":
            made = MerchantBills.checkToken(
                text("token"),
                contractNumber: text("contractNumber"),
                credentials: text("credentials")
            )
        case "getBillsCommission":
            made = MerchantBills.commission(
                orders,
                token: .string(text("token")),
                credentials: .string(text("credentials"))
            )
        case "payBillsSdk":
            made = MerchantBills.pay(
                orders,
                token: .string(text("token")),
                credentials: .string(text("credentials"))
            )
        default: return ["request: unknown method"]
        }
        guard var wanted = request.members, var ours = made.members else { return ["request: no object"] }
        wanted["id"] = nil
        ours["id"] = nil
        return Json.object(wanted) == Json.object(ours)
            ? [] : ["request: expected \(request.canonicalText), got \(made.canonicalText)"]
    }

    private var actual: [String: Json] {
        switch BillAnswer(item["response"]?.compactBytes ?? []) {
        case .credentials(let value): return ["credentials": value]
        case .card(let card):
            return [
                "usable": .bool(card.isUsable), "cardMask": card.mask.map(Json.string) ?? .null,
                "expirationDate": card.expiry.map(Json.string) ?? .null,
                "contractNumber": card.contractNumber.map(Json.string) ?? .null,
            ]
        case .price(let price):
            return ["amount": .string(price.amount.decimal), "commission": .string(price.commission.decimal)]
        case .unknownBills: return ["error": ["kind": "bad_bill_ids"]]
        case .bills(let reports): return BillResultCase.words(BillOutcomes(orders, reports, source: .answer))
        case .refused(let code, _): return refusal(code)
        case .unreadable: return refusal(nil)
        }
    }

    /// After a refused payment no bill's outcome is known.
    private func refusal(_ code: String?) -> [String: Json] {
        var words = BillResultCase.words(BillOutcomes(orders, [], source: .answer))
        words["error"] = .compact([("code", code.map(Json.string))])
        return words
    }
}
