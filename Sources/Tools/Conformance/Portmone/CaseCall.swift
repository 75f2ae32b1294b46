import Conformance
import Kernel
import Payments
import Portmone
import ProviderKit

/// A request of a case, and the adapter's own request made again from its values.
struct CaseCall {
    private let request: Json?
    /// The case's members by the names of the JSON spelling.
    private let values: [String: String]
    private let method: String
    private let isForm: Bool
    /// The document of a JSON request.
    private let document: Json

    init(_ request: Json?) {
        self.request = request
        let body = request?["body"]
        let text = body?.text
        let parsed = text.flatMap { try? Json(text: $0) } ?? body ?? .null
        isForm = text != nil && parsed.members == nil
        document = parsed
        var values: [String: String] = [:]
        if isForm {
            let pairs = FormEncoding.decode(text ?? "") ?? []
            for pair in pairs { values[Self.names[pair.name] ?? pair.name] = pair.value }
            method = [values["method"], values["action"]].compactMap(\.self).joined(separator: ".")
        } else {
            for member in document.at("params", "data")?.members?.members ?? [] {
                values[member.name] = member.value.scalarText
            }
            method = document["method"]?.text ?? ""
        }
        self.values = values
    }

    private static let names = [
        "payee_id": "payeeId", "shop_bill_id": "shopbillId", "shop_order_number": "shopOrderNumber",
        "postauth_amount": "postauthAmount", "return_amount": "returnAmount",
    ]

    var billId: String? { values["shopbillId"] ?? values["shopBillId"] }
    var number: String? { values["shopOrderNumber"] }

    var amount: Money? {
        guard let text = values["postauthAmount"] ?? values["returnAmount"] ?? values["billAmount"],
            let amount = CaseShop.money(text, values["billCurrency"] ?? "UAH"), amount.minor > 0
        else { return nil }
        return amount
    }

    var kind: OperationKind? {
        switch method {
        case "confirmPreauth", "preauth.set_paid": .capture
        case "rejectPreauth", "preauth.reject": .void
        case "return": .refund
        case "APay", "GPay": .sale
        default: nil
        }
    }

    var settings: [(String, Json)] {
        var found: [(String, Json)] = [("protocol", isForm ? "xml" : "json")]
        if let payee = values["payeeId"] { found.append(("payeeId", .string(payee))) }
        if let login = values["login"] { found.append(("login", .string(login))) }
        if let language = values["lang"], isForm { found.append(("legacyLanguage", .string(language))) }
        if let name = values["aPayMerchantName"] { found.append(("applePayMerchantId", .string(name))) }
        if kind == .sale { found.append(("walletMode", "relay")) }
        return found
    }

    /// The faults of the request that the adapter makes; none where the case has no request.
    var violations: [String] {
        guard request?["body"] != nil else { return [] }
        if method == "confirmMpi" { return confirmationViolations }
        let purpose: DispatchPurpose
        if method == "result" {
            purpose = .query
        } else if let kind {
            purpose = .operation(kind)
        } else {
            return ["request: unknown method \(method)"]
        }
        let shop = shop
        let reason = values["message"]
        let hold = CaseShop.money("1000000.00")
        let asked = kind == .void ? amount ?? hold : amount
        switch shop.body(shop.dispatch(purpose, amount: asked, reason: reason), at: .epoch) {
        case .failure(let failure): return ["request: \(failure.text)"]
        case .success(let bytes): return differences(bytes) + addressViolations(shop)
        }
    }

    private var shop: CaseShop {
        var shop = CaseShop()
        shop.settings = settings
        shop.reference = number ?? "ORD"
        shop.amount = amount
        shop.password = values["password"] ?? ""
        shop.mode = kind == .capture || kind == .void ? .authorize : .sale
        if let billId { shop.order = ProviderOrder(id: billId, handover: ["shopBillId": .string(billId)]) }
        guard kind == .sale else { return shop }
        shop.method = .wallet
        let isApple = method == "APay"
        let token = document.at("params", "data", isApple ? "paymentData" : "gPayToken") ?? ""
        shop.walletToken = token.text ?? token.canonicalText
        shop.details = ["wallet": ["kind": isApple ? "applePay" : "googlePay", "token": OnceHole.hole("wallet")]]
        return shop
    }

    private func addressViolations(_ shop: CaseShop) -> [String] {
        guard let settings = try? PortmoneSettings.of(shop.account) else { return ["settings"] }
        let url = kind == .sale ? settings.jsonApiUrl : settings.gatewayUrl
        return Comparison.text("request.url", expected: request?["url"], actual: url)
            + Comparison.text("request.method", expected: request?["method"], actual: "POST")
    }

    private func differences(_ bytes: [UInt8]) -> [String] {
        let text = String(decoding: bytes, as: UTF8.self)
        if isForm {
            let optional: Set<String> = ["start_date", "end_date", "lang"]
            return Comparison.pairs(request?["body"]?.text ?? "", FormEncoding.decode(text) ?? [], optional: optional)
        }
        guard let made = try? Json(bytes) else { return ["request: no JSON was made"] }
        return Comparison.text("request.method", expected: document["method"], actual: made["method"]?.text ?? "")
            + dataDifferences(made)
    }

    /// Members of `params.data`, numbers and texts alike, amounts as exact decimals.
    private func dataDifferences(_ made: Json) -> [String] {
        let dates: Set<String> = ["startDate", "endDate"]
        // Where a bill is named by its id alone, our number stands beside it all the same.
        let optional = number == nil ? dates.union(["shopOrderNumber"]) : dates
        let wanted = document.at("params", "data")?.members ?? JsonObject([])
        let ours = made.at("params", "data")?.members ?? JsonObject([])
        var found: [String] = []
        for member in wanted.members {
            let value = ours[member.name]
            if !Self.isSame(member.name, member.value, value ?? .null) {
                let given = value?.canonicalText ?? "nothing"
                found.append("request.\(member.name): expected \(member.value.canonicalText), got \(given)")
            }
        }
        for name in ours.names where wanted[name] == nil && !optional.contains(name) {
            found.append("request.\(name): not expected")
        }
        return found
    }

    private static func isSame(_ name: String, _ left: Json, _ right: Json) -> Bool {
        guard let one = left.scalarText, let two = right.scalarText else {
            return right.text == left.canonicalText || left == right
        }
        if name.hasSuffix("Amount"), let first = CaseShop.money(one) { return first == CaseShop.money(two) }
        return one == two
    }

    private var confirmationViolations: [String] {
        let data = document.at("params", "data") ?? [:]
        let made = JsonApi.confirmation(
            md: data["MD"] ?? .null,
            paRes: data["PaRes"] ?? .null,
            bill: .string(billId ?? "")
        )
        return dataDifferences(made)
    }
}
