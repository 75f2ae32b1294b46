import Conformance
import Kernel
import Payments
import Portmone
import ProviderKit

/// Payment creation: the signed request, the answer, and the text of a split payment.
struct LinkCase {
    private let item: Json

    init(_ item: Json) { self.item = item }

    var violations: [String] {
        var found = splitViolations
        if let request = item["request"] {
            found += request["body"]?.text == nil ? jsonViolations(request) : formViolations(request)
        }
        if item["response"] != nil { found += Comparison.violations(expected: item["expected"], actual: reading) }
        let says = item["request"] != nil || item["response"] != nil || item["parts"] != nil
        return says ? found : ["the case has neither request, answer nor parts"]
    }

    // MARK: Split

    private var splitViolations: [String] {
        guard let items = item["parts"]?.items else { return [] }
        let parts: [SplitPart] = items.compactMap { part in
            CaseShop.money(part["amount"]?.scalarText).map { amount in
                SplitPart(
                    payeeId: part["payeeId"]?.scalarText ?? "",
                    amount: amount,
                    description: part["description"]?.text ?? ""
                )
            }
        }
        guard parts.count == items.count else { return ["parts: an amount can't be read"] }
        var found = Comparison.text("attribute5", expected: item["attribute5"], actual: SplitPart.text(parts))
        let isValid =
            SplitPart.sum(parts) == CaseShop.money(item["billAmount"]?.scalarText)
            && parts.allSatisfy { SplitPart.isPlain($0.description) && SplitPart.isPlain($0.payeeId) }
        let expected = item["valid"]?.flag ?? item["expected_valid"]?.flag ?? (item["expected"]?["error"] == nil)
        if isValid != expected { found.append("valid: expected \(expected), got \(isValid)") }
        return found
    }

    /// Reads `description:payee;amount;` groups back.
    static func split(_ text: String) -> [Json] {
        let pieces = text.split(separator: ";", omittingEmptySubsequences: true).map(String.init)
        return stride(from: 0, to: pieces.count - 1, by: 2).compactMap { index in
            let halves = pieces[index].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, let amount = CaseShop.money(pieces[index + 1]) else { return nil }
            return [
                "payeeId": .string(String(halves[1])), "amount": .integer(amount.minor),
                "description": .string(String(halves[0])),
            ]
        }
    }

    // MARK: Requests

    private func jsonViolations(_ request: Json) -> [String] {
        guard let body = request["body"], let dt = body.at("payee", "dt")?.text, let now = Self.moment(dt) else {
            return ["request: no body or time"]
        }
        let shop = shop(body)
        let allowed = body.at("order", "expTime")?.scalarText.flatMap { Int64($0) } ?? 0
        let dispatch = shop.dispatch(
            .operation(shop.mode.operation),
            amount: shop.amount,
            deadline: now.adding(.seconds(allowed))
        )
        switch shop.body(dispatch, at: now) {
        case .failure(let failure): return ["request: \(failure.text)"]
        case .success(let bytes):
            guard let made = try? Json(bytes) else { return ["request: no JSON was made"] }
            var wanted = body
            if body.at("order", "expTime") == nil, let order = body["order"]?.members {
                wanted = body.with("order", .object(order))
            }
            var found = Comparison.differences(wanted, made, "request")
            found += address(request, "POST", shop.account)
            return found
        }
    }

    private func formViolations(_ request: Json) -> [String] {
        guard let pairs = request["body"]?.text.flatMap({ FormEncoding.decode($0) }) else {
            return ["request: the form can't be decoded"]
        }
        func field(_ name: String) -> Json? { pairs.first { $0.name == name }.map { .string($0.value) } }
        let body = Json.compact([
            ("payee", .compact([("payeeId", field("payee_id")), ("login", field("login"))])),
            (
                "order",
                .compact([
                    ("shopOrderNumber", field("shop_order_number")), ("billAmount", field("bill_amount")),
                    ("billCurrency", field("bill_currency")), ("description", field("description")),
                    ("preauthFlag", field("preauth_flag")), ("attribute1", field("attribute1")),
                    ("attribute2", field("attribute2")), ("attribute3", field("attribute3")),
                    ("attribute4", field("attribute4")), ("attribute5", field("attribute5")),
                ])
            ),
            ("payer", .compact([("lang", field("lang"))])),
        ])
        let shop = shop(body)
        let dispatch = shop.dispatch(.operation(shop.mode.operation), amount: shop.amount)
        switch shop.body(dispatch, at: .epoch) {
        case .failure(let failure): return ["request: \(failure.text)"]
        case .success(let bytes):
            guard var made = try? Json(bytes) else { return ["request: no JSON was made"] }
            // Where the payer comes back to is the merchant's, whatever it looks like.
            if var order = made["order"]?.members {
                order["successUrl"] = field("success_url") ?? ""
                order["failureUrl"] = field("failure_url") ?? ""
                made = made.with("order", .object(order))
            }
            let ours = LinkPayment.formPairs(made)
            return Comparison.pairs(request["body"]?.text ?? "", ours, optional: Set(ours.map(\.name)))
                + address(request, "POST", shop.account)
        }
    }

    /// Method and address, where the case names them.
    private func address(_ request: Json, _ method: String, _ account: AccountSettings) -> [String] {
        var found = Comparison.text("request.method", expected: request["method"], actual: method)
        let url = (try? PortmoneSettings.of(account))?.gatewayUrl ?? ""
        found += Comparison.text("request.url", expected: request["url"], actual: url)
        return found
    }

    /// `yyyyMMddHHmmss`, read as UTC.
    private static func moment(_ dt: String) -> Timestamp? {
        let digits = Array(dt)
        guard digits.count == 14 else { return nil }
        func part(_ range: Range<Int>) -> String { String(digits[range]) }
        return Timestamp(
            "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(8..<10)):\(part(10..<12)):\(part(12..<14))Z"
        )
    }

    private func shop(_ body: Json) -> CaseShop {
        var shop = CaseShop()
        let order = body["order"] ?? [:]
        shop.signingKey = item["signingKey"]?.text ?? ""
        for (name, wire) in [("payeeId", "payeeId"), ("login", "login"), ("shopSiteId", "shopSiteId")] {
            if let value = body["payee"]?[wire]?.scalarText { shop.settings.append((name, .string(value))) }
        }
        shop.reference = order["shopOrderNumber"]?.scalarText ?? ""
        shop.amount = CaseShop.money(order["billAmount"]?.scalarText, order["billCurrency"]?.text ?? "UAH")
        shop.description = order["description"]?.text
        shop.mode = order["preauthFlag"] == "Y" ? .authorize : .sale
        if body["token"]?["tokenFlag"] == "Y" {
            shop.method = .instrument
            shop.token = body["token"]?["token"]
        }
        func flag(_ value: Json?) -> Json? { value?.text.map { .bool($0 == "Y") } }
        let attributes = (1...4).map { number in (String(number), order["attribute\(number)"]) }
        let split = Self.split(order["attribute5"]?.text ?? "")
        let email = body["payer"]?["emailAddress"].flatMap { $0 == "" ? nil : $0 }
        let mask = body["token"]?["cardMask"].flatMap { $0 == "" ? nil : $0 }
        shop.details = .compact([
            ("payer", .compact([("email", email)])),
            ("language", body["payer"]?["lang"]),
            ("attributes", .compact(attributes)),
            ("split", split.isEmpty ? nil : .array(split)),
            ("saveCard", flag(body["token"]?["returnToken"])),
            ("cardMask", mask),
            ("urls", .compact([("success", order["successUrl"]), ("fail", order["failureUrl"])])),
            (
                "presentation",
                .compact([
                    ("showEmail", flag(body["payer"]?["showEmail"])),
                    ("otherPaymentMethods", flag(body["token"]?["otherPaymentMethods"])),
                    ("paymentTypes", Self.flags(body["paymentTypes"])),
                    ("priorityPaymentTypes", Self.numbers(body["priorityPaymentTypes"])),
                ])
            ),
        ])
        return shop
    }

    private static func flags(_ json: Json?) -> Json? {
        json?.members.map { .object(JsonObject($0.members.map { ($0.name, .bool($0.value == "Y")) })) }
    }

    private static func numbers(_ json: Json?) -> Json? {
        json?.members.map { object in
            .compact(object.members.map { ($0.name, $0.value.scalarText.flatMap { Int64($0) }.map(Json.integer)) })
        }
    }

    // MARK: Answers

    private var reading: [String: Json] {
        let response = item["response"] ?? [:]
        var shop = CaseShop()
        if let request = item["request"], request["body"]?.members != nil { shop = self.shop(request["body"] ?? [:]) }
        let bytes = CallCase.bytes(response["body"])
        let headers = response["location"]?.text.map { ["location": $0] } ?? [:]
        let facts = CaseShop.adapter.interpret(
            .answered(
                .operation(.sale),
                status: Int(response["status"]?.integer ?? 200),
                headers: headers,
                body: bytes
            ),
            shop.interpretation
        )
        var view = PortmoneStates.view()
        _ = view.apply(facts)
        var actual: [String: Json] = [:]
        for fact in facts {
            switch fact {
            case .order(let order):
                actual["state"] = .string(ProviderReading(view.state).rawValue)
                actual["redirectUrl"] = order.handover["url"]
            case .dispatch(.notExecuted(let decline)):
                actual["error"] = .compact([("code", decline.code.map(Json.string)), ("kind", "permanent")])
            case .dispatch(.unknown):
                let isReadable = if case .unreadable = Answer(bytes) { false } else { true }
                actual["error"] = ["kind": isReadable ? "protocol" : "unparsable"]
            case .dispatch, .operation, .statement, .complete, .attempt, .instrument, .instrumentNews, .receipt,
                .dispute, .method, .series,
                .seriesDebit,
                .fee, .commission, .contradiction,
                .question, .firstAnswer, .unrecognised:
                break
            }
        }
        return actual
    }
}

extension Json {
    /// The same object with one member replaced.
    func with(_ name: String, _ value: Json) -> Json {
        guard var members else { return self }
        members[name] = value
        return .object(members)
    }
}
