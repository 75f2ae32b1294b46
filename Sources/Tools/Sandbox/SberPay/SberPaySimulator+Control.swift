import Kernel

/// Commands of scripts and of people behind the counter.
extension SberPaySimulator {
    mutating func routeControl(_ request: SandboxRequest, _ path: [String]) -> SandboxAnswer {
        if request.method == "GET" { return shown(path, request) }
        guard request.method == "POST", let fields = ControlFields(request) else {
            return .badFields
        }
        switch (path.first, path.count) {
        case ("app", 1): return appUsed(fields)
        case ("faults", 1): return faultAsked(fields)
        case ("merchants", 2): return merchantChanged(path[1], fields)
        case ("orders", 3): return orderTouched(path[1], path[2], fields)
        case ("bindings", 3): return bindingTouched(path[1], path[2])
        case ("calendar", 1): return calendarMoved(fields)
        default: return .notFound
        }
    }

    private func shown(_ path: [String], _ request: SandboxRequest) -> SandboxAnswer {
        let payment = request.queryValue("payment_id")
        switch (path.first, path.count) {
        case (nil, 0): return .page(200, SberPayPages.overview(self))
        case ("ledger", 1): return .json(200, ledger.json(payment: payment))
        case ("settlement", 1): return settlementAsked(request, .sberPay)
        case ("journal", 1): return .json(200, diary.json(payment: payment))
        case ("orders", 2):
            guard let order = order(named: path[1]) else { return .refused(404, "not_found", "No such order.") }
            return .json(200, status(order))
        case ("bindings", 1):
            let client = request.queryValue("client_id")
            let found = bindingIds.compactMap { bindings[$0] }.filter { client == nil || $0.clientId == client }
            return .json(200, ["bindings": .array(found.map(Self.shown))])
        default: return .notFound
        }
    }

    private static func shown(_ binding: SberPayBinding) -> Json {
        .compact([
            ("bindingId", .string(binding.id)), ("clientId", .string(binding.clientId)),
            ("expiry", .string(binding.expiry)), ("isActive", .bool(binding.isActive)),
            ("mandateExpiry", binding.mandate?.expiry.map(Json.string)),
            ("mandateDays", binding.mandate.map { .integer($0.days) }),
        ])
    }

    private mutating func merchantChanged(_ userName: String, _ fields: ControlFields) -> SandboxAnswer {
        guard merchants[userName] != nil else { return .refused(404, "not_found", "No such merchant.") }
        if let url = fields.text("callback_url") {
            guard url.isHttpAddress else { return .badAddress("callback_url") }
            merchants[userName]?.callbackUrl = url
        }
        if let word = fields.text("callback_form") {
            guard let form = SberPayMerchant.CallbackForm(rawValue: word) else {
                return .refused(422, "bad_form", "callback_form is get or post.")
            }
            merchants[userName]?.callbackForm = form
        }
        if let flag = fields.json["lists_operations"]?.flag { merchants[userName]?.listsOperations = flag }
        if let flag = fields.json["deposits_are_net"]?.flag { merchants[userName]?.depositsAreNet = flag }
        return .json(200, ["userName": .string(userName)])
    }

    /// The payer's steps by script, and what staff does in the cabinet without being asked by the daemon.
    private mutating func orderTouched(_ name: String, _ action: String, _ fields: ControlFields) -> SandboxAnswer {
        guard let order = order(named: name) else { return .refused(404, "not_found", "No such order.") }
        let amount = fields.integer("amount")
        if action != "play" { note("staff", action, payment: order.number, "") }
        do throws(SberPayRefusal) {
            switch action {
            case "play":
                guard let step = fields.text("action").flatMap(Step.init) else {
                    return .refused(422, "unknown_action", "action is a button of the page.")
                }
                guard play(step, order.id, code: fields.integer("code")) else { throw .wrongState }
            case "deposit": try deposit(order, amount ?? 0)
            case "reverse": try reverse(order, amount)
            case "refund": try refund(order, amount ?? order.deposited - order.refunded, nil)
            case "expire": deadlineReached(order.id)
            default: return .refused(422, "unknown_action", "The cabinet has no such action.")
            }
        } catch {
            return .refused(409, "wrong_state", error.message)
        }
        return .json(202, orders[order.id].map(status) ?? .null)
    }

    private mutating func calendarMoved(_ fields: ControlFields) -> SandboxAnswer {
        guard let days = fields.integer("days"), (1...3660).contains(days) else {
            return .refused(422, "bad_number", "days is 1 to 3660.")
        }
        calendarAhead += .seconds(days * 86_400)
        return .json(200, ["day": .string(day(calendarNow))])
    }

    private mutating func bindingTouched(_ id: String, _ action: String) -> SandboxAnswer {
        guard bindings[id] != nil else { return .refused(404, "not_found", "No such binding.") }
        switch action {
        case "deactivate": setActive(id, false)
        case "activate": setActive(id, true)
        default: return .refused(422, "unknown_action", "A binding is activated or deactivated.")
        }
        return .json(202, ["bindingId": .string(id)])
    }
}

/// Pages of the simulated bank.
enum SberPayPages {
    static func form(_ order: SberPayOrder) -> String {
        var steps: [SberPaySimulator.Step] =
            order.status == .atBank ? [.pass, .fail] : [.approve, .threeDS, .decline, .refuse, .wait, .abandon]
        if order.status != .atBank, order.clientId != nil { steps.insert(.save, at: 1) }
        let buttons = Html.buttons(steps, \.label)
        let note: Html = order.tries > 0 ? "<p class=\"note\">The last try failed (\(order.actionCode)).</p>" : ""
        return Html.page(
            title: "Sber sandbox",
            """
            <main><p class="soft">Simulated Sber acquiring, order \(order.number)</p>
            <h1>\(order.description ?? "Order")</h1><p class="amount">\(rubles(order.amount))</p>\(note)
            <form method="post" action="/sberpay/pp/pay_ru?orderId=\(order.id)">\(buttons)</form></main>
            """
        )
    }

    private static func rubles(_ kopecks: Int64) -> String {
        Currency("RUB").map { Money(kopecks, $0).description } ?? ""
    }

    static func overview(_ simulator: SberPaySimulator) -> String {
        let rows = simulator.orderIds.reversed().prefix(200).compactMap { simulator.orders[$0] }.map {
            order -> [Html] in
            let operations = order.operations.map { "\($0.type) \(rubles($0.amount))" }
            return [
                "\(order.userName)", "\(order.number)", "\(order.description ?? "")", "\(rubles(order.amount))",
                "\(order.status.word) \(order.actionCode)", "\(operations.joined(separator: ", "))",
                order.isPayable(at: simulator.now) ? link(order) : "",
            ]
        }
        let heads = ["User", "Reference", "About", "Amount#", "State", "Operations", "Page"]
        return SandboxFrame.overview(
            .sberPay,
            payments: rows.count,
            """
            <p><a href="/sberpay/sandbox/ledger">Ledger</a>
            <a href="/sberpay/sandbox/journal">Journal</a> <a href="/sberpay/sandbox/bindings">Bindings</a></p>
            \(SandboxFrame.table(heads, rows))
            <h2>The bank's app</h2><form method="post" action="/sberpay/sandbox/app">
            <label>Parameters as the daemon gave them <input type="text" name="parameters"></label>
            <label>or a link <input type="text" name="link"></label>
            <button name="action" value="approve">Pay</button> <button name="action" value="wait">Pay, wait</button>
            <button name="action" value="decline">Be declined</button> <button name="action" value="cancel">Cancel</button>
            <button name="action" value="token">Take a token only</button></form>
            """
        )
    }

    private static func link(_ order: SberPayOrder) -> Html {
        "<a href=\"/sberpay/pp/pay_ru?orderId=\(order.id)\">open</a>"
    }
}
