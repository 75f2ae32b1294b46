import Kernel

/// The payer: on the page, or in the app.
extension PortmoneSimulator {
    enum Step: String, CaseIterable {
        case approve, decline, threeDS, pass, fail, abandon

        var label: String {
            switch self {
            case .approve: "Pay"
            case .decline: "Pay with a card that is declined"
            case .threeDS: "Pay with 3-D Secure"
            case .pass: "Confirm at the bank"
            case .fail: "Fail at the bank"
            case .abandon: "Leave"
            }
        }
    }

    func pageShown(_ id: String) -> SandboxAnswer {
        guard let order = pages[id].flatMap({ orders[$0] }) else {
            return .page(404, Html.message("No such bill", "Open the link again."))
        }
        guard isOpen(order) else {
            return .page(200, Html.message("Nothing to pay", "The bill is paid, closed or too old."))
        }
        return .page(200, PortmonePages.form(order, page: id, asksBank: challenged(order) != nil))
    }

    private func isOpen(_ order: PortmoneOrder) -> Bool {
        !order.isClosed && order.paid == nil && order.held == nil && now < order.expiresAt
    }

    private func challenged(_ order: PortmoneOrder) -> PortmoneOrder.Bill? {
        order.bills.last { $0.status == .created }
    }

    /// The payer clicked; a browser goes back to the shop, by GET and without parameters.
    mutating func pagePressed(_ id: String, _ fields: ControlFields?) -> SandboxAnswer {
        guard let key = pages[id], let step = fields.flatMap(Self.step) else {
            return .page(404, Html.message("No such bill or button", "Open the link again."))
        }
        guard let order = orders[key], isOpen(order) else {
            return .page(409, Html.message("Nothing to pay", "The bill is paid, closed or too old."))
        }
        let isDone = play(step, key)
        switch step {
        case .threeDS: return .seeOther("/portmone/r3/pg/\(id)")
        case .approve, .pass, .decline, .fail, .abandon: return .seeOther(isDone ? order.successUrl : order.failureUrl)
        }
    }

    /// The button that was pressed, or what the test card that was typed makes of `pay`.
    static func step(_ fields: ControlFields) -> Step? {
        guard fields.text("action") == "pay" else { return fields.text("action").flatMap(Step.init) }
        switch fields.text("card").map({ $0.filter { !$0.isWhitespace } }) {
        case goodCard?: return .approve
        case badCard?: return .decline
        default: return nil
        }
    }

    /// The provider's own test cards; they are typed on its page and in its SDK and nowhere else.
    static let goodCard = "4444333322221111"
    static let badCard = "4111111111111111"

    /// Plays a step of the payer; tells whether the money is there.
    mutating func play(_ step: Step, _ key: PortmoneOrderKey) -> Bool {
        guard let order = orders[key] else { return false }
        switch step {
        case .abandon: return false
        case .threeDS:
            _ = begun(order)
            return false
        case .approve, .pass:
            succeeded(order, challenged(order)?.id ?? begun(order))
            return true
        case .decline, .fail:
            let id = challenged(order)?.id ?? begun(order)
            change(key, id) { bill in
                bill.status = .rejected
                bill.errorCode = "51"
                bill.errorText = "Недостатньо коштів"
            }
            return false
        }
    }

    private mutating func begun(_ order: PortmoneOrder) -> String {
        let bill = PortmoneOrder.Bill(id: nextBillId(), status: .created, amount: order.amount, madeAt: now)
        orders[order.key]?.bills.append(bill)
        return bill.id
    }

    private mutating func succeeded(_ order: PortmoneOrder, _ id: String) {
        let isHold = order.isHold || order.savesOnly
        let token = order.returnsToken || order.savesOnly ? "3138" + nextPageId().uppercased() : ""
        if !token.isEmpty { tokens.insert(token) }
        change(order.key, id) { bill in
            bill.status = isHold ? .held : .paid
            bill.token = token
        }
        book(isHold ? .hold : order.isTransfer ? .transfer : .charge, order.amount, owner(order.key), id)
        if !isHold { announce(order.key, id) }
        let isAutomatic = (merchants[order.key.payeeId]?.mode ?? .normal) != .normal
        if order.savesOnly || (isAutomatic && !order.isTransfer) {
            let wait = configuration.timings.lived(configuration.timings.giveBack)
            add(.giveBack(order.key, bill: id), after: wait)
        }
    }

    /// The provider gives money back that nobody asked to be given back.
    mutating func giveBackDue(_ key: PortmoneOrderKey, _ id: String) {
        guard let bill = orders[key]?.bills.first(where: { $0.id == id }) else { return }
        switch bill.status {
        case .held: release(key, bill)
        case .paid:
            let left = Money(bill.amount.minor - (orders[key]?.returned ?? 0), bill.amount.currency)
            book(.refund, left, owner(key), id)
            if merchants[key.payeeId]?.mode == .autoCancelVanishing {
                orders[key]?.bills.removeAll { $0.id == id }
            } else {
                change(key, id) { $0.status = .rejected }
            }
        case .created, .rejected, .returned: break
        }
    }

    /// The app's SDK with the parameters that the daemon gave; answers with the SDK's `Bill`.
    mutating func appPaid(_ fields: ControlFields) -> SandboxAnswer {
        let given = fields.json["parameters"] ?? fields.text("parameters").flatMap { try? Json(text: $0) } ?? [:]
        let params = given["params"] ?? [:]
        guard let step = Self.step(fields) else {
            return .refused(
                422,
                "unknown_action",
                "action is one of pay, approve, decline, threeDS, pass, fail, abandon."
            )
        }
        let saves = given["call"]?.text == "saveCard"
        guard let payee = params["payeeId"]?.text, merchants[payee] != nil,
            let number = params["billNumber"]?.text, (1...120).contains(number.count),
            let currency = Currency(params["billCurrency"]?.text ?? "UAH"),
            let amount = try? Money(decimal: saves ? "1.00" : params["billAmount"]?.text ?? "", currency)
        else { return .refused(422, "bad_parameters", "payeeId, billNumber, billAmount and billCurrency are needed.") }
        let call = given["call"]?.text ?? ""
        if call == "payByToken", !tokens.contains(given.at("tokenParams", "tokenData")?.text ?? "") {
            return .refused(422, "token_unknown", "The token is not one of this provider's.")
        }
        let ceiling = params["billAmountWcvv"]?.text.flatMap { try? Money(decimal: $0, currency) }
        let skipsCvv = params["paymentFlowType"] == "withoutCVV" && amount.minor < ceiling?.minor ?? 0
        let key = PortmoneOrderKey(payeeId: payee, number: number)
        if let known = orders[key], known.paid != nil || known.held != nil {
            return .refused(409, "paid_already", "The bill number was paid.")
        }
        if orders[key] == nil {
            keep(
                PortmoneOrder(
                    key: key,
                    amount: amount,
                    isHold: params["preauthFlag"]?.flag ?? false,
                    savesOnly: saves,
                    returnsToken: given["call"]?.text != "transfer",
                    isTransfer: given["call"]?.text == "transfer",
                    description: params["description"]?.text ?? "",
                    attributes: (1...4).map { params["attribute\($0)"]?.text ?? "" },
                    successUrl: "",
                    failureUrl: "",
                    expiresAt: .distantFuture
                )
            )
        }
        _ = play(step, key)
        guard let bill = orders[key]?.bills.last else { return .json(200, ["bill": .null, "cancelled": true]) }
        return .json([
            "billNumber": .string(number), "cvvAsked": .bool(!skipsCvv),
            "bill": [
                "billId": .string(bill.id), "status": .string(bill.status.rawValue),
                "billAmount": .string(bill.amount.decimal), "cardMask": "444433******1111",
                "commissionAmount": "0.50", "payeeName": "Sandbox", "token": .string(bill.token),
                "recieptUrl": .string(receiptUrl(bill)), "contractNumber": .string(orders[key]?.description ?? ""),
                "payDate": .integer(bill.madeAt.microseconds / 1000),
            ],
        ])
    }
}

/// Pages of the simulated provider.
enum PortmonePages {
    static func form(_ order: PortmoneOrder, page: String, asksBank: Bool) -> String {
        let steps: [PortmoneSimulator.Step] = asksBank ? [.pass, .fail] : [.approve, .threeDS, .decline, .abandon]
        let buttons = Html.buttons(steps, \.label)
        return Html.page(
            title: "Portmone sandbox",
            """
            <main><p class="soft">Simulated Portmone, bill \(order.key.number)</p><h1>\(order.description)</h1>
            <p class="amount">\(order.amount.description)</p>
            <form method="post" action="/portmone/r3/pg/\(page)"><label>Card
            <input type="text" name="card" value="\(PortmoneSimulator.goodCard)"></label>
            <button name="action" value="pay">Pay by card</button>\(buttons)</form></main>
            """
        )
    }

    static func bank(md: String, back: String) -> String {
        let id = String(md.dropFirst(3))
        let buttons = ["pass", "fail"].map { word in
            Html("<button name=\"PaRes\" value=\"\(word)-\(id)\">\(word)</button>")
        }
        return Html.page(
            title: "Simulated bank",
            """
            <main><h1>Confirm at the bank</h1><form method="post" action="\(back)">
            <input type="hidden" name="MD" value="\(md)">\(buttons)</form></main>
            """
        )
    }

    static func overview(_ simulator: PortmoneSimulator) -> String {
        let rows = simulator.orderKeys.reversed().prefix(200).compactMap { simulator.orders[$0] }.map {
            order -> [Html] in
            let bills = order.bills.map { "\($0.id) \($0.status.rawValue) \($0.amount.decimal)" }
            return [
                "\(order.key.payeeId)", "\(order.key.number)", "\(order.description)", "\(order.amount.description)",
                "\(bills.joined(separator: ", "))",
            ]
        }
        return SandboxFrame.overview(
            .portmone,
            payments: rows.count,
            """
            <p><a href="/portmone/sandbox/ledger">Ledger</a></p>
            \(SandboxFrame.table(["Payee", "Reference", "About", "Amount#", "Bills"], rows))
            <h2>App</h2><form method="post" action="/portmone/sandbox/app"><label>Parameters as the daemon gave them
            <input type="text" name="parameters"></label><button name="action" value="approve">Pay</button>
            <button name="action" value="decline">Be declined</button></form>
            """
        )
    }
}
