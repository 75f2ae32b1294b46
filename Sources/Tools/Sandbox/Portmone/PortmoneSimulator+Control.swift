import Kernel

/// Commands of scripts and of people behind the counter.
extension PortmoneSimulator {
    mutating func routeControl(_ request: SandboxRequest, _ path: [String]) -> SandboxAnswer {
        if request.method == "GET" { return shown(path, request) }
        guard request.method == "POST", let fields = ControlFields(request) else {
            return .badFields
        }
        switch (path.first, path.count) {
        case ("app", 1): return appPaid(fields)
        case ("users", 1), ("bills", 1): return utilitiesTouched(path, fields)
        case ("faults", 1): return faultAsked(fields)
        case ("merchants", 2): return merchantChanged(path[1], fields)
        case ("orders", 4): return orderTouched(PortmoneOrderKey(payeeId: path[1], number: path[2]), path[3], fields)
        default: return .notFound
        }
    }

    private func shown(_ path: [String], _ request: SandboxRequest) -> SandboxAnswer {
        switch (path.first, path.count) {
        case (nil, 0): return .page(200, PortmonePages.overview(self))
        case ("ledger", 1):
            return .json(
                200,
                ledger.json(payment: request.queryValue("payment_id")) { entry in
                    let order = PortmoneOrderKey(payeeId: entry.owner.account, number: entry.owner.payment)
                    return [
                        "amount": .integer(entry.amount.minor), "currency": .string(entry.amount.currency.code),
                        "kind": .string(entry.kind.rawValue), "operation": .string(entry.operation),
                        "savesOnly": .bool(orders[order]?.savesOnly ?? false),
                    ]
                }
            )
        case ("bills", 1): return utilitiesShown()
        case ("settlement", 1): return settlementAsked(request, .portmone)
        case ("orders", 3):
            let key = PortmoneOrderKey(payeeId: path[1], number: path[2])
            guard let order = orders[key] else { return .notFound }
            return .json(200, ["bills": .array(order.bills.map { row($0, order, status: $0.status.rawValue) })])
        default: return .notFound
        }
    }

    private mutating func merchantChanged(_ payee: String, _ fields: ControlFields) -> SandboxAnswer {
        guard merchants[payee] != nil else { return .notFound }
        if let url = fields.text("notification_url") {
            guard url.isHttpAddress else { return .badAddress("notification_url") }
            merchants[payee]?.notificationUrl = url
        }
        if let mode = fields.text("mode") {
            guard let mode = PortmoneMerchant.Mode(rawValue: mode) else {
                return .refused(422, "bad_mode", "mode is normal, autoCancel or autoCancelVanishing.")
            }
            merchants[payee]?.mode = mode
        }
        return .json(200, ["payeeId": .string(payee)])
    }

    /// The payer's steps by script, and what staff does in the cabinet without being asked by the daemon.
    private mutating func orderTouched(
        _ key: PortmoneOrderKey,
        _ action: String,
        _ fields: ControlFields
    ) -> SandboxAnswer {
        guard let order = orders[key] else { return .notFound }
        let amount = fields.text("amount").flatMap { try? Money(decimal: $0, order.amount.currency) }
        switch action {
        case "play":
            guard let step = Self.step(fields), order.paid == nil, order.held == nil else {
                return .refused(409, "wrong_state", "The bill does not allow that now.")
            }
            _ = play(step, key)
        case "capture":
            guard let held = order.held, let sum = amount ?? order.held?.amount,
                (1...held.amount.minor).contains(sum.minor)
            else { return .refused(409, "wrong_state", "Nothing is held, or less.") }
            capture(key, held, sum)
        case "reject":
            guard let held = order.held else { return .refused(409, "wrong_state", "Nothing is held.") }
            release(key, held)
        case "refund":
            guard let paid = order.paid, paid.amount.minor > order.returned, !order.isTransfer else {
                return .refused(409, "wrong_state", "Nothing is paid.")
            }
            let left = Money(paid.amount.minor - order.returned, paid.amount.currency)
            let sum = amount ?? left
            guard (1...left.minor).contains(sum.minor) else {
                return .refused(409, "wrong_state", "Less is left.")
            }
            _ = refund(key, paid, sum)
        case "chargeback":
            guard let paid = order.paid else { return .refused(409, "wrong_state", "Nothing is paid.") }
            change(key, paid.id) { $0.isChargedBack = true }
        case "give_back":
            guard let id = (order.paid ?? order.held)?.id, !order.isTransfer else {
                return .refused(409, "wrong_state", "Nothing is paid or held.")
            }
            giveBackDue(key, id)
        default: return .refused(422, "unknown_action", "The cabinet has no such action.")
        }
        return .json(202, ["bills": .integer(Int64(orders[key]?.bills.count ?? 0))])
    }
}
