import Kernel

/// The interface beside the gateway: wallets that a merchant passes on, their 3-D Secure, and transfers by page.
extension PortmoneSimulator {
    mutating func jsonApiReceived(_ body: [UInt8]) -> SandboxAnswer {
        received(body) { simulator, method, json in
            let result = simulator.jsonApiCalled(method, json.at("params", "data") ?? [:])
            return ["id": json["id"] ?? "1", "result": result]
        }
    }

    private mutating func jsonApiCalled(_ method: String, _ data: Json) -> Json {
        if method == "confirmMpi" { return confirmed(data) }
        // The payee of a transfer is known by its login alone.
        guard let merchant = merchant(data) ?? transferMerchant(method, data) else {
            return Self.refusal("2", "Login or password is incorrect")
        }
        switch method {
        case "APay": return walletPaid(data["paymentData"], data, merchant)
        case "GPay": return walletPaid(data["gPayToken"], data, merchant)
        case "getLinkMoneyTransfer": return transferLinkMade(data, merchant)
        default: return Self.refusal("10", "Unknown method")
        }
    }

    private func transferMerchant(_ method: String, _ data: Json) -> PortmoneMerchant? {
        guard method == "getLinkMoneyTransfer" else { return nil }
        return merchants.values.first { merchant in
            merchant.login == data["login"]?.text && merchant.password == Secret(data["password"]?.text ?? "")
        }
    }

    private func newOrder(
        _ data: Json,
        _ merchant: PortmoneMerchant,
        isTransfer: Bool
    ) -> PortmoneOrder? {
        guard let number = data["shopOrderNumber"]?.text, (1...120).contains(number.count),
            let currency = Currency(data["billCurrency"]?.text ?? "UAH"),
            let amount = data["billAmount"]?.scalarText.flatMap({ try? Money(decimal: $0, currency) }), amount.minor > 0
        else { return nil }
        let back = data["successUrl"]?.text ?? ""
        return PortmoneOrder(
            key: PortmoneOrderKey(payeeId: merchant.payeeId, number: number),
            amount: amount,
            isHold: false,
            savesOnly: false,
            returnsToken: false,
            isTransfer: isTransfer,
            description: data["purpose"]?.text ?? "",
            attributes: ["", "", "", ""],
            successUrl: back,
            failureUrl: back,
            expiresAt: .distantFuture
        )
    }

    // MARK: Transfers

    private mutating func transferLinkMade(_ data: Json, _ merchant: PortmoneMerchant) -> Json {
        guard data["shopBillId"]?.scalarText?.isEmpty == false, let order = newOrder(data, merchant, isTransfer: true)
        else { return Self.refusal("3", "Recipient, order number or amount is incorrect") }
        if let known = orders[order.key], known.paid != nil {
            return Self.refusal("7", "Bill is paid or closed already")
        }
        keep(order)
        return ["link": .string(pageMade(order.key))]
    }

    // MARK: Wallets

    /// Pays by a wallet's token, in which a word asks for 3-D Secure or a refusal.
    private mutating func walletPaid(_ token: Json?, _ data: Json, _ merchant: PortmoneMerchant) -> Json {
        let text = token?.text ?? token?.canonicalText ?? ""
        guard !text.isEmpty, let order = newOrder(data, merchant, isTransfer: false) else {
            return Self.refusal("3", "Token, order number or amount is incorrect")
        }
        if let known = orders[order.key], known.paid != nil {
            return Self.refusal("7", "Bill is paid or closed already")
        }
        keep(order)
        let step: Step = text.contains("3ds") ? .threeDS : text.contains("decline") ? .decline : .approve
        _ = play(step, order.key)
        return walletResult(order.key)
    }

    private func walletResult(_ key: PortmoneOrderKey) -> Json {
        guard let order = orders[key], let bill = order.bills.last else { return Self.refusal("12", "No such bill") }
        let asksBank = bill.status == .created
        return .compact([
            ("status", .string(bill.status.rawValue)), ("errorCode", .string(bill.errorCode)),
            ("error", .string(bill.errorText)), ("shopBillId", .string(bill.id)),
            ("billAmount", .string(Self.short(bill.amount))), ("billNumber", .string(key.number)),
            ("billCurrency", .string(bill.amount.currency.code)), ("cardMask", "444433******1111"),
            ("authCode", asksBank ? "" : .string(Self.authCode)), ("pdfUrl", asksBank ? "" : .string(receiptUrl(bill))),
            ("isNeed3DS", asksBank ? "Y" : "N"),
            ("actionMPI", asksBank ? .string("\(configuration.address)/portmone/acs") : nil),
            ("md", asksBank ? .string("md-\(bill.id)") : nil), ("pareq", asksBank ? .string("pareq-\(bill.id)") : nil),
        ])
    }

    /// The payer's bank has answered: its word decides what becomes of the bill.
    private mutating func confirmed(_ data: Json) -> Json {
        guard let id = data["shopBillId"]?.scalarText, data["MD"]?.text == "md-\(id)",
            let key = orderKeys.first(where: { orders[$0]?.bills.contains { $0.id == id } == true }),
            orders[key]?.bills.first(where: { $0.id == id })?.status == .created
        else { return Self.refusal("12", "No such bill waits for its bank") }
        _ = play(data["PaRes"]?.text == "pass-\(id)" ? .pass : .fail, key)
        return walletResult(key)
    }

    /// The bank's page: it sends the payer back to the merchant with its word.
    func acsShown(_ fields: ControlFields?) -> SandboxAnswer {
        guard let md = fields?.text("MD"), let back = fields?.text("TermUrl"), md.hasPrefix("md-"),
            back.isHttpAddress
        else { return .page(400, Html.message("Bad request", "MD and TermUrl are needed.")) }
        return .page(200, PortmonePages.bank(md: md, back: back))
    }

    static let authCode = "TESTPM"

    func receiptUrl(_ bill: PortmoneOrder.Bill) -> String {
        "\(configuration.address)/portmone/r3/services/receipts/get-receipts/shop-bill-id/\(bill.id)"
    }

    func receiptShown(_ id: String) -> SandboxAnswer {
        let known = orders.values.lazy.compactMap { order in order.bills.first { $0.id == id } }.first
        guard let bill = known else {
            return .page(404, Html.message("No such receipt", "It may be too old."))
        }
        return .page(200, Html.message("Receipt \(id)", "\(bill.amount.description), \(bill.status.rawValue)"))
    }
}
