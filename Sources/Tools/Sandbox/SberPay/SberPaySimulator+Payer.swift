import Kernel

/// The payer: on the page, at the issuer's check, or in the bank's app.
extension SberPaySimulator {
    enum Step: String, CaseIterable {
        case approve, save, decline, refuse, threeDS, pass, fail, wait, abandon

        var label: String {
            switch self {
            case .approve: "Pay"
            case .save: "Pay and keep the card"
            case .decline: "Try a card without money"
            case .refuse: "Be declined for good"
            case .threeDS: "Pay with 3-D Secure"
            case .pass: "Confirm at the bank"
            case .fail: "Fail at the bank"
            case .wait: "Pay, and let the bank think about it"
            case .abandon: "Leave"
            }
        }
    }

    /// Failed tries that end an order.
    static let triesAtMost = 3

    func pageShown(_ id: String) -> SandboxAnswer {
        guard let order = orders[id] else {
            return .page(404, Html.message("No such order", "Open the link again."))
        }
        guard order.isPayable(at: now) else {
            return .page(200, Html.message("Nothing to pay", "The order is paid, ended or being worked on."))
        }
        return .page(200, SberPayPages.form(order))
    }

    /// The payer clicked; the older gateway adds its order's id to the address that the payer goes back to.
    mutating func pagePressed(_ id: String, _ fields: ControlFields?) -> SandboxAnswer {
        guard let step = fields?.text("action").flatMap(Step.init), let order = orders[id] else {
            return .page(404, Html.message("No such order or button", "Open the link again."))
        }
        guard play(step, id, code: fields?.integer("code")) else {
            return .page(409, Html.message("Not now", "The order is paid, ended or at another point."))
        }
        let page = "/\(Self.mount)/pp/pay_ru?orderId=\(id)"
        guard let after = orders[id] else { return .seeOther(page) }
        switch step {
        case .threeDS: return .seeOther(page)
        case .decline, .fail: return .seeOther(after.isPayable(at: now) ? page : back(order, order.failUrl))
        case .refuse, .abandon: return .seeOther(back(order, order.failUrl))
        case .approve, .save, .pass, .wait: return .seeOther(back(order, order.returnUrl))
        }
    }

    private func back(_ order: SberPayOrder, _ url: String) -> String {
        guard merchants[order.userName]?.dialect == .legacy else { return url }
        return url + (url.contains("?") ? "&" : "?") + "orderId=\(order.id)&lang=ru"
    }

    /// Plays a step of the payer; `false` where the order does not allow it.
    mutating func play(_ step: Step, _ id: String, code: Int64? = nil) -> Bool {
        guard let order = orders[id], order.isPayable(at: now) else { return false }
        if step == .pass || step == .fail, order.status != .atBank { return false }
        note("payer", step.rawValue, payment: order.number, String(order.status.rawValue))
        switch step {
        case .abandon: break
        case .threeDS: orders[id]?.status = .atBank
        case .approve, .pass: pay(id)
        case .save:
            orders[id]?.savesCard = true
            pay(id)
        case .decline: failTry(id, code: code ?? 116)
        case .fail: failTry(id, code: code ?? -2006)
        case .refuse: refuse(id, code: code ?? 2022)
        case .wait:
            orders[id]?.isProcessing = true
            orders[id]?.actionCode = -9000
            add(.settle(id), after: configuration.timings.lived(configuration.timings.processing))
        }
        return true
    }

    mutating func settled(_ id: String) {
        guard orders[id]?.isProcessing == true else { return }
        pay(id)
    }

    /// Money moves, or a card is found good.
    mutating func pay(_ id: String) {
        guard let order = orders[id] else { return }
        orders[id]?.isProcessing = false
        orders[id]?.actionCode = 0
        let time = now
        orders[id]?.paidAt = time
        keepCard(order)
        guard !order.isCheck else {
            orders[id]?.status = .reversed
            return tell(id, "reversed")
        }
        orders[id]?.approved = order.amount
        if order.isHold {
            book(.hold, order.amount, order, add("PREAUTHORIZATION", order.amount, to: id))
            orders[id]?.status = .held
            return tell(id, "approved")
        }
        book(.charge, order.amount, order, add("AUTHORIZATION", order.amount, to: id))
        orders[id]?.status = .deposited
        orders[id]?.deposited = order.amount
        tell(id, "deposited")
    }

    /// The card stays with the bank where its owner is known and agrees; a binding that pays is the same one.
    private mutating func keepCard(_ order: SberPayOrder) {
        if let id = order.bindingId {
            let day = calendarNow
            bindings[id]?.chargedAt = day
            return
        }
        guard let client = order.clientId, !order.features.contains("FORCE_SSL"),
            order.savesCard || order.isCheck || order.mandate != nil
        else { return }
        let id = nextId()
        bindings[id] = SberPayBinding(
            id: id,
            userName: order.userName,
            clientId: client,
            maskedPan: Self.maskedPan,
            expiry: Self.cardExpiry,
            mandate: order.mandate,
            chargedAt: order.isCheck ? nil : calendarNow
        )
        bindingIds.append(id)
        orders[order.id]?.bindingId = id
        guard let kept = orders[order.id], merchants[order.userName]?.dialect == .legacy else { return }
        announce(kept, "bindingCreated", succeeded: true, more: [("bindingId", id), ("clientId", client)])
    }

    /// A failed try leaves an order that can be paid, until the tries are used up.
    private mutating func failTry(_ id: String, code: Int64) {
        guard let order = orders[id] else { return }
        orders[id]?.tries += 1
        guard order.tries + 1 < Self.triesAtMost else { return refuse(id, code: -2013) }
        orders[id]?.status = .registered
        orders[id]?.actionCode = code
        tell(id, order.isHold ? "approved" : "deposited", succeeded: false)
    }

    mutating func refuse(_ id: String, code: Int64) {
        guard let order = orders[id] else { return }
        orders[id]?.isProcessing = false
        orders[id]?.status = .declined
        orders[id]?.actionCode = code
        tell(id, order.isHold ? "approved" : "deposited", succeeded: false)
    }

    mutating func deadlineReached(_ id: String) {
        guard let order = orders[id] else { return }
        switch order.status {
        case .registered, .atBank: break
        case .held, .deposited, .reversed, .returned, .declined: return
        }
        // What the bank thinks about is not cut off.
        guard !order.isProcessing else { return }
        orders[id]?.status = .declined
        orders[id]?.actionCode = -2007
        tell(id, "declinedByTimeout", succeeded: false)
    }
}

/// The bank's app with the SDK, or behind a link.
extension SberPaySimulator {
    /// `{"parameters": …}` as the daemon gave them, or `{"link": …}`; answers what the SDK's calls say.
    mutating func appUsed(_ fields: ControlFields) -> SandboxAnswer {
        let action = fields.text("action") ?? ""
        let given = fields.json["parameters"].flatMap { $0.text.flatMap { try? Json(text: $0) } ?? $0 } ?? [:]
        let request = given["getPaymentToken"] ?? [:]
        let invoice =
            fields.text("link").flatMap(Self.invoice) ?? (request["bankInvoiceId"] ?? request["orderId"])?.text ?? ""
        guard let order = orders.values.first(where: { shownInvoice($0) == invoice || $0.id == invoice }),
            let merchant = merchants[order.userName]
        else { return .refused(404, "unknown_invoice", "The app knows no such invoice.") }
        if fields.text("link") == nil, let wrong = wrongParameter(request, given, order, merchant) {
            return .refused(422, "bad_parameters", "\(wrong) is wrong.")
        }
        note("app", action, payment: order.number, String(order.status.rawValue))
        switch action {
        case "cancel", "error": return .json(200, ["getPaymentToken": ["state": .string(action)]])
        default: break
        }
        let token: Json = ["state": "success", "paymentTokenId": .string(nextId())]
        if action == "token" { return .json(200, ["getPaymentToken": token]) }
        if request["recurrentEnabled"]?.flag == true, orders[order.id]?.mandate == nil {
            orders[order.id]?.mandate = SberPayOrder.Mandate(
                expiry: request["recurrentExpiry"]?.text,
                days: request["recurrentFrequency"]?.integer ?? 1
            )
        }
        guard let step = Step(rawValue: action) else {
            return .refused(422, "unknown_action", "action is token, cancel, error or a button of the page.")
        }
        orders[order.id]?.way = "SBERPAY"
        // The app declines with its own code.
        guard play(step, order.id, code: step == .decline ? -999 : fields.integer("code")) else {
            return .refused(409, "wrong_state", "The order is paid, ended or at another point.")
        }
        return .json(200, ["getPaymentToken": token, "pay": ["state": .string(Self.word(step))]])
    }

    private static func word(_ step: Step) -> String {
        switch step {
        case .approve, .save, .pass: "success"
        case .wait, .threeDS: "waiting"
        case .decline, .refuse, .fail: "error"
        case .abandon: "cancel"
        }
    }

    private static func invoice(_ link: String) -> String? {
        guard link.hasPrefix("sberpay://"), let query = link.split(separator: "?").last else { return nil }
        return FormEncoding.decode(query)?.first { $0.name == "bankInvoiceId" }?.value
    }

    /// The SDK looks at what it is started with.
    private func wrongParameter(_ request: Json, _ given: Json, _ order: SberPayOrder, _ merchant: SberPayMerchant)
        -> String?
    {
        let key = request["apiKey"]?.text ?? ""
        guard (1...512).contains(key.count), merchant.sdkKey == nil || merchant.sdkKey == Secret(key) else {
            return "apiKey"
        }
        guard request["merchantLogin"]?.text == merchant.merchantLogin else { return "merchantLogin" }
        guard request["redirectUri"]?.text?.isEmpty == false else { return "redirectUri" }
        guard given.at("pay", "orderId")?.text == shownInvoice(order) || given.at("pay", "orderId")?.text == order.id
        else { return "pay.orderId" }
        // The shorter form names the order alone.
        if request["orderId"] != nil { return nil }
        guard request["amount"]?.integer == order.amount else { return "amount" }
        guard request["currency"]?.scalarText == "643" else { return "currency" }
        guard let recurs = request["recurrentEnabled"]?.flag, let days = request["recurrentFrequency"]?.integer,
            recurs ? (1...28).contains(days) : days == 0
        else { return "recurrentFrequency" }
        return nil
    }
}
