import Kernel

/// The portal, scripts, and what staff does without being asked by a merchant's daemon.
extension WorldlineSimulator {
    mutating func control(_ request: SandboxRequest, _ path: [String]) -> SandboxAnswer {
        if request.method == "GET" { return shown(path, request) }
        guard request.method == "POST", let fields = ControlFields(request) else {
            return .badFields
        }
        switch (path.first, path.count) {
        case ("faults", 1):
            return faultAsked(fields, canBeBusy: true) { $0.isOfEvents ? ["event"] : Call.allCases.map(\.rawValue) }
        case ("merchants", 2): return merchantChanged(path[1], fields)
        case ("merchants", 3) where path[2] == "verify": return addressChecked(path[1], fields)
        case ("payments", 3): return paymentTouched(path[1], path[2], fields)
        case ("events", 3) where path[2] == "send": return eventSent(path[1])
        case ("tokens", 3) where path[2] == "forget":
            guard tokens[path[1]] != nil else { return .notFound }
            tokens[path[1]]?.isForgotten = true
            return .json(200, [:])
        default: return .notFound
        }
    }

    /// A payment as its merchant reads it, with what the sandbox saw of it.
    private func watched(_ payment: WorldlinePayment) -> Json {
        guard let indicator = payment.seriesIndicator, var members = details(payment).members else {
            return details(payment)
        }
        members["seriesIndicator"] = .string(indicator)
        members["initialReference"] = payment.initialReference.map(Json.string) ?? .null
        return .object(members)
    }

    private func shown(_ path: [String], _ request: SandboxRequest) -> SandboxAnswer {
        let wanted = request.queryValue("reference")
        switch (path.first, path.count) {
        case (nil, 0): return .page(200, WorldlinePages.overview(self))
        case ("ledger", 1):
            return .json(
                200,
                ledger.json(payment: wanted) { entry in
                    [
                        "amount": .integer(entry.amount.minor), "currency": .string(entry.amount.currency.code),
                        "kind": .string(entry.kind.rawValue), "operation": .string(entry.operation),
                        "reference": .string(entry.owner.payment),
                    ]
                }
            )
        case ("settlement", 1): return settlementAsked(request, .worldline)
        case ("payments", 1):
            let list = paymentNumbers.compactMap { payments[$0] }.filter { wanted == nil || $0.reference == wanted }
            return .json(200, ["payments": .array(list.map(watched))])
        case ("events", 1):
            let shown = core.noticesInOrder.filter { wanted == nil || events[Int($0.id)].reference == wanted }
            let list = shown.map { notice -> Json in
                [
                    "attempts": .integer(Int64(notice.attempts)), "delivered": .bool(notice.isDelivered),
                    "id": .integer(notice.id), "url": .string(notice.url),
                    "body": .string(String(decoding: notice.body, as: UTF8.self)),
                ]
            }
            return .json(200, ["events": .array(list)])
        default: return .notFound
        }
    }

    /// `webhookUrl`, `webhookKeyId` with `webhookSecret`, `revokeOldKeys`, `idForm`, `batch`, `listsAccounts`.
    private mutating func merchantChanged(_ id: String, _ fields: ControlFields) -> SandboxAnswer {
        guard var merchant = merchants[id] else { return .notFound }
        if let url = fields.text("webhookUrl") {
            guard url.isHttpAddress else { return .badAddress("webhookUrl") }
            if !merchant.webhookUrls.contains(url) {
                merchant.webhookUrls = Array((merchant.webhookUrls + [url]).suffix(5))
            }
        }
        if let key = fields.text("webhookKeyId"), let secret = fields.text("webhookSecret") {
            merchant.webhookKeys.append(WorldlineMerchant.Key(id: key, secret: Secret(secret)))
        }
        if let form = fields.text("idForm") {
            guard let form = WorldlineMerchant.IdForm(rawValue: form) else {
                return .refused(422, "bad_form", "idForm is digits or underscore.")
            }
            merchant.idForm = form
        }
        if let batch = fields.integer("batch") {
            guard (1...100).contains(batch) else { return .refused(422, "bad_number", "batch is 1 to 100.") }
            merchant.batch = Int(batch)
        }
        if let lists = fields.text("listsAccounts") { merchant.listsAccounts = lists == "true" }
        merchants[id] = merchant
        return .json(
            200,
            ["merchant": .string(id), "webhookKeys": .array(merchant.webhookKeys.map { .string($0.id) })]
        )
    }

    private mutating func addressChecked(_ id: String, _ fields: ControlFields) -> SandboxAnswer {
        guard let merchant = merchants[id], let url = fields.text("url") ?? merchant.webhookUrls.last else {
            return .refused(404, "not_found", "No such merchant, or no address.")
        }
        send([], merchant, url, nil, echo: nextUuid())
        return .json(202, ["event": .integer(Int64(events.count - 1))])
    }

    private mutating func eventSent(_ text: String) -> SandboxAnswer {
        guard let notice = Int64(text).flatMap({ core.notices[$0] }) else { return .notFound }
        tellAgain(notice)
        return .json(202, [:])
    }

    /// `settle` and `refuse` end what the acquirer has not answered; `capture`, `cancel` and `refund` are the portal's, and
    /// `event` tells of a dispute.
    private mutating func paymentTouched(_ id: String, _ action: String, _ fields: ControlFields) -> SandboxAnswer {
        guard
            let payment = payments[WorldlinePayment.number(in: id)]
                ?? payments.values.first(where: { $0.reference == id })
        else { return .notFound }
        var body: [(String, Json?)] = []
        if let minor = fields.integer("amount") {
            let money: Json = Self.money(Money(minor, payment.amount.currency))
            body = action == "capture" ? [("amount", .integer(minor)), ("isFinal", false)] : [("amountOfMoney", money)]
        }
        do throws(WorldlineRefusal) {
            switch action {
            case "capture": _ = try capture(payment, .compact(body))
            case "cancel": _ = try cancel(payment, .compact(body))
            case "refund": _ = try refund(payment, .compact(body))
            case "settle", "refuse":
                let awaited = payment.operations.last { $0.status.isAwaited }?.index
                settle(payment.number, awaited, declines: action == "refuse")
            default: return .refused(422, "unknown_action", "The portal has no such action.")
            }
        } catch {
            return error.answer()
        }
        return .json(202, details(payments[payment.number] ?? payment))
    }
}
