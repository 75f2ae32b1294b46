import Kernel

/// Calls of a merchant's server.
extension PortmoneSimulator {
    mutating func gatewayReceived(_ body: [UInt8]) -> SandboxAnswer {
        received(body) { simulator, method, json in simulator.called(method, json) }
    }

    /// Answers a call, with the faults that were asked for.
    mutating func received(
        _ body: [UInt8],
        _ call: (inout PortmoneSimulator, String, Json) -> Json
    ) -> SandboxAnswer {
        guard let json = try? Json(body), let method = json["method"]?.text else {
            return .page(200, "<html><body><div class=\"response error\">Bad request</div></body></html>")
        }
        if takeFault(method, [.html]) != nil {
            return .page(200, "<html><body><div class=\"response error\">Out of order</div></body></html>")
        }
        var answer = SandboxAnswer.json(200, call(&self, method, json))
        if let fault = takeFault(method, [.slow, .lostAnswer, .errorAfter]) {
            switch fault.kind {
            case .slow: answer.delay = .milliseconds(fault.milliseconds)
            case .lostAnswer: answer.fate = .lost
            case .errorAfter: answer = .text(500, "Internal error\n")
            case .html, .unknownStatus, .duplicateNotice, .withheldNotice: break
            }
        }
        return answer
    }

    private mutating func called(_ method: String, _ json: Json) -> Json {
        if method == "createLinkPayment" { return linkMade(json) }
        let data = json.at("params", "data") ?? [:]
        guard let merchant = merchant(data) else { return Self.refusal("2", "Login or password is incorrect") }
        guard let key = key(data, merchant) else {
            return method == "result" ? [] : Self.refusal("12", "Order is not found")
        }
        switch method {
        case "result": return .array(rows(key, data))
        case "confirmPreauth": return confirmed(key, data)
        case "rejectPreauth": return rejected(key)
        case "return": return returned(key, data)
        case "closeInvoice": return closed(key)
        default: return Self.refusal("10", "Unknown method")
        }
    }

    /// The merchant whose login and password a call carries.
    func merchant(_ data: Json) -> PortmoneMerchant? {
        guard let merchant = data["payeeId"]?.scalarText.flatMap({ merchants[$0] }),
            merchant.login == data["login"]?.text,
            merchant.password == Secret(data["password"]?.text ?? "")
        else { return nil }
        return merchant
    }

    static func refusal(_ code: String, _ text: String) -> Json {
        ["errorCode": .string(code), "error": .string(text)]
    }

    /// By our number, by the bill's id, or by both together.
    private func key(_ data: Json, _ merchant: PortmoneMerchant) -> PortmoneOrderKey? {
        let number = data["shopOrderNumber"]?.scalarText
        let bill = data["shopbillId"]?.scalarText
        guard number != nil || bill != nil else { return nil }
        return orderKeys.first { key in
            guard key.payeeId == merchant.payeeId, number == nil || key.number == number else { return false }
            return bill == nil || orders[key]?.bills.contains { $0.id == bill } == true
        }
    }

    // MARK: Creation

    private mutating func linkMade(_ json: Json) -> Json {
        let payee = json["payee"] ?? [:]
        let order = json["order"] ?? [:]
        guard let merchant = payee["payeeId"]?.scalarText.flatMap({ merchants[$0] }),
            merchant.login == payee["login"]?.text
        else { return Self.refusal("2", "Payee or login is unknown") }
        let number = order["shopOrderNumber"]?.text ?? ""
        let amountText = order["billAmount"]?.text ?? ""
        let signature = PortmoneSignature.make(
            payeeId: merchant.payeeId,
            dt: payee["dt"]?.text ?? "",
            number: number,
            amount: amountText,
            login: merchant.login,
            key: merchant.signingKey
        )
        guard payee["signature"]?.text == signature else { return Self.refusal("6", "Signature is incorrect") }
        guard (1...120).contains(number.count),
            let currency = Currency(order["billCurrency"]?.text ?? "UAH"),
            let amount = try? Money(decimal: amountText, currency), amount.minor > 0
        else { return Self.refusal("3", "Order number or amount is incorrect") }
        let key = PortmoneOrderKey(payeeId: merchant.payeeId, number: number)
        if let known = orders[key], known.paid != nil || known.held != nil || known.isClosed {
            return Self.refusal("7", "Bill is paid or closed already")
        }
        if json.at("token", "tokenFlag") == "Y", !tokens.contains(json.at("token", "token")?.text ?? "") {
            return Self.refusal("8", "Token is unknown")
        }
        let seconds = order["expTime"]?.scalarText.flatMap { Int64($0) } ?? 86_400
        var made = PortmoneOrder(
            key: key,
            amount: amount,
            isHold: order["preauthFlag"] == "Y",
            savesOnly: json.at("paymentTypes", "createtokenonly") == "Y",
            returnsToken: json.at("token", "returnToken") == "Y",
            isTransfer: json.at("token", "sellerToken")?.text != nil,
            description: order["description"]?.text ?? "",
            attributes: (1...4).map { order["attribute\($0)"]?.text ?? "" },
            successUrl: order["successUrl"]?.text ?? "",
            failureUrl: order["failureUrl"]?.text ?? "",
            expiresAt: now.adding(.seconds(min(seconds, 31_536_000)))
        )
        made.bills = orders[key]?.bills ?? []
        keep(made)
        return ["errorCode": "0", "error": "", "linkPayment": .string(pageMade(key))]
    }

    /// A page for the payer, by its address.
    mutating func pageMade(_ key: PortmoneOrderKey) -> String {
        let page = nextPageId()
        pages[page] = key
        return "\(configuration.address)/portmone/r3/pg/\(page)"
    }

    mutating func keep(_ order: PortmoneOrder) {
        if orders[order.key] == nil { orderKeys.append(order.key) }
        orders[order.key] = order
    }

    // MARK: Status

    private mutating func rows(_ key: PortmoneOrderKey, _ data: Json) -> [Json] {
        guard let order = orders[key] else { return [] }
        let oldest = data["startDate"]?.text.flatMap(Self.day) ?? now.adding(.seconds(-31 * 86_400)).seconds / 86_400
        let youngest = data["endDate"]?.text.flatMap(Self.day) ?? now.seconds / 86_400 + 1
        // Dates are the provider's own, a few hours ahead of the ledger's.
        let bills = order.bills.filter { bill in
            let day = bill.madeAt.seconds / 86_400
            return day >= oldest - 1 && day <= youngest + 1
        }
        let isOdd = !bills.isEmpty && takeFault("result", [.unknownStatus]) != nil
        return bills.reversed().map { row($0, order, status: isOdd ? "HOLDED" : $0.status.rawValue) }
    }

    private static func day(_ text: String) -> Int64? {
        let parts = text.split(separator: ".").compactMap { Int64($0) }
        guard parts.count == 3 else { return nil }
        return CivilDate(year: parts[2], month: parts[1], day: parts[0])?.daysSinceEpoch
    }

    func row(_ bill: PortmoneOrder.Bill, _ order: PortmoneOrder, status: String) -> Json {
        var members: [(String, Json?)] = [
            ("shopBillId", .string(bill.id)), ("shopOrderNumber", .string(order.key.number)),
            ("payee_id", .string(order.key.payeeId)), ("description", .string(order.description)),
            ("billAmount", .string(Self.short(bill.amount))), ("status", .string(status)),
        ]
        for number in 1...4 {
            let text = order.attributes[number - 1]
            members.append(("attribute\(number)", text.isEmpty ? .null : .string(text)))
        }
        members += [
            ("commission", bill.status == .paid ? "0.50" : "0"), ("chargeback", bill.isChargedBack ? "Y" : "N"),
            ("pay_date", .string(Self.payDate(bill.madeAt))), ("authCode", .string(Self.authCode)),
            ("payee_name", "Sandbox"), ("rrn", .string("7\(bill.id)")),
            ("errorCode", .string(bill.errorCode)), ("errorMessage", .string(bill.errorText)),
            ("cardMask", "444433******1111"), ("cardTypeName", "VISA"), ("token", .string(bill.token)),
            ("gateType", "Card"),
        ]
        return .compact(members)
    }

    /// The older spelling, which answers to captures and voids use.
    private func snake(_ bill: PortmoneOrder.Bill, _ order: PortmoneOrder) -> Json {
        [
            "shop_bill_id": .string(bill.id), "shop_order_number": .string(order.key.number),
            "description": .string(order.description), "bill_amount": .string(Self.short(bill.amount)),
            "auth_code": "TESTPM", "status": .string(bill.status.rawValue), "pay_order_date": .null,
            "error_code": "0", "error_message": "",
        ]
    }

    /// Whole amounts are written without a fraction.
    static func short(_ amount: Money) -> String {
        let text = amount.decimal
        return text.hasSuffix(".00") ? String(text.dropLast(3)) : text
    }

    /// In winter time; the provider writes no zone.
    static func payDate(_ moment: Timestamp) -> String {
        let text = moment.adding(.seconds(7200)).wholeSeconds
        let parts = text.dropLast().split(separator: "T").map(String.init)
        let date = parts[0].split(separator: "-").reversed().joined(separator: ".")
        return "\(date) \(parts[1])"
    }

    // MARK: Follow-ups

    private mutating func confirmed(_ key: PortmoneOrderKey, _ data: Json) -> Json {
        guard let order = orders[key], let held = order.held, !order.savesOnly else {
            let status = orders[key]?.bills.last?.status.rawValue ?? ""
            return ["error_code": "5", "error_message": .string("Can't be confirmed [status=\(status)]")]
        }
        let asked = data["postauthAmount"]?.scalarText.flatMap { try? Money(decimal: $0, order.amount.currency) }
        guard let asked, asked.minor > 0, asked.minor <= held.amount.minor else {
            return ["error_code": "5", "error_message": "The amount is not within the hold"]
        }
        capture(key, held, asked)
        guard let after = orders[key], let bill = after.bills.first(where: { $0.id == held.id }) else { return [] }
        return [snake(bill, after)]
    }

    mutating func capture(_ key: PortmoneOrderKey, _ held: PortmoneOrder.Bill, _ amount: Money) {
        book(.capture, amount, owner(key), held.id)
        book(.release, Money(held.amount.minor - amount.minor, amount.currency), owner(key), held.id)
        change(key, held.id) { bill in
            bill.status = .paid
            bill.amount = amount
        }
        announce(key, held.id)
    }

    private mutating func rejected(_ key: PortmoneOrderKey) -> Json {
        guard let order = orders[key], let held = order.held else {
            return ["error_code": "6", "error_message": "The bill was cancelled before"]
        }
        release(key, held)
        guard let after = orders[key], let bill = after.bills.first(where: { $0.id == held.id }) else { return [:] }
        return snake(bill, after)
    }

    mutating func release(_ key: PortmoneOrderKey, _ held: PortmoneOrder.Bill) {
        book(.release, held.amount, owner(key), held.id)
        change(key, held.id) { $0.status = .rejected }
    }

    private mutating func returned(_ key: PortmoneOrderKey, _ data: Json) -> Json {
        guard let order = orders[key], let paid = order.paid, !order.isTransfer else {
            return ["error_code": "1", "error_message": "ORA-20001: the bill is not paid"]
        }
        let asked = data["returnAmount"]?.scalarText.flatMap { try? Money(decimal: $0, order.amount.currency) }
        guard let asked, asked.minor > 0, asked.minor <= paid.amount.minor - order.returned else {
            return ["error_code": "1", "error_message": "The amount is not within what was paid"]
        }
        let bill = refund(key, paid, asked)
        return orders[key].map { [row(bill, $0, status: bill.status.rawValue)] } ?? []
    }

    mutating func refund(
        _ key: PortmoneOrderKey,
        _ paid: PortmoneOrder.Bill,
        _ amount: Money
    ) -> PortmoneOrder.Bill {
        let bill = PortmoneOrder.Bill(
            id: nextBillId(),
            status: .returned,
            amount: Money(-amount.minor, amount.currency),
            madeAt: now
        )
        book(.refund, amount, owner(key), bill.id)
        orders[key]?.bills.append(bill)
        change(key, paid.id) { $0.errorText = "Returned \(amount.decimal), bill \(bill.id)" }
        return bill
    }

    private mutating func closed(_ key: PortmoneOrderKey) -> Json {
        guard let order = orders[key], order.paid == nil, order.held == nil else {
            return Self.refusal("5", "The bill can't be closed")
        }
        orders[key]?.isClosed = true
        return ["error_code": "0", "error_message": "", "shop_order_number": .string(key.number), "status": "REJECTED"]
    }

    mutating func change(_ key: PortmoneOrderKey, _ id: String, _ edit: (inout PortmoneOrder.Bill) -> Void) {
        guard let index = orders[key]?.bills.firstIndex(where: { $0.id == id }) else { return }
        guard var bill = orders[key]?.bills[index] else { return }
        edit(&bill)
        orders[key]?.bills[index] = bill
    }
}
