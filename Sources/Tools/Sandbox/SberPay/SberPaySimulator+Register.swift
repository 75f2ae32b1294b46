import Kernel

/// Orders are opened.
extension SberPaySimulator {
    private static let names = [
        "orderNumber", "amount", "currency", "returnUrl", "failUrl", "description", "language", "clientId",
        "merchantLogin", "jsonParams", "sessionTimeoutSecs", "expirationDate", "bindingId", "features", "phone",
        "email", "orderBundle", "dynamicCallbackUrl",
    ]
    private static let features: Set<String> = [
        "VERIFY", "AUTO_PAYMENT", "FORCE_SSL", "FORCE_TDS", "FORCE_FULL_TDS",
    ]

    mutating func registered(_ call: Call, isHold: Bool) throws(SberPayRefusal) -> (Json, String) {
        try call.fields.checkNames(Self.names)
        let number = try orderNumber(call)
        guard order(number: number, of: call.merchant.userName) == nil else {
            throw SberPayRefusal(code: 1, message: "Order number is registered already")
        }
        let params = try call.fields.object("jsonParams")
        let order = try order(call, number, params, isHold: isHold)
        if let binding = order.bindingId {
            guard bindings[binding]?.clientId == order.clientId, bindings[binding]?.userName == order.userName else {
                throw .parameter("bindingId")
            }
        }
        keep(order)
        add(.deadline(order.id), due: order.deadline)
        if call.merchant.dialect == .ecom { announce(order, "created", succeeded: true) }
        return (opened(order, call.merchant), number)
    }

    private func orderNumber(_ call: Call) throws(SberPayRefusal) -> String {
        let number = try call.fields.needed("orderNumber", 1...(call.merchant.dialect == .ecom ? 36 : 32))
        guard number.unicodeScalars.allSatisfy({ (0x20...0x7E).contains($0.value) || $0.value >= 0x400 }) else {
            throw .parameter("orderNumber")
        }
        return number
    }

    /// Reads the parameters of a registration, each by its documented form.
    private mutating func order(_ call: Call, _ number: String, _ params: JsonObject, isHold: Bool)
        throws(SberPayRefusal) -> SberPayOrder
    {
        let fields = call.fields
        guard let amount = try fields.amount("amount") else { throw SberPayRefusal(code: 12, message: "Empty amount") }
        let words = Set(try fields.text("features", 1...255)?.split(separator: ";").map(String.init) ?? [])
        guard words.isSubset(of: Self.features) else { throw .parameter("features") }
        let isCheck = words.contains("VERIFY")
        guard isCheck ? amount == 0 : amount > 0 else { throw .parameter("amount") }
        try checkCurrency(call)
        let returnUrl = try address("returnUrl", fields)
        guard let returnUrl else { throw SberPayRefusal(code: 4, message: "[returnUrl] is missing") }
        if let language = try fields.text("language", 2...2), language.lowercased() != language {
            throw .parameter("language")
        }
        let app = try app(call, params)
        return SberPayOrder(
            id: nextId(),
            number: number,
            userName: call.merchant.userName,
            amount: amount,
            isHold: isHold,
            isCheck: isCheck,
            description: try fields.text("description", 1...512),
            clientId: try fields.text("clientId", 1...255),
            features: words,
            returnUrl: returnUrl,
            failUrl: try address("failUrl", fields) ?? returnUrl,
            callbackUrl: try address("dynamicCallbackUrl", fields),
            deadline: try deadline(fields),
            registeredAt: now,
            invoiceId: app.invoice,
            deepLink: app.link,
            mandate: try mandate(params),
            bindingId: try fields.id("bindingId")
        )
    }

    private func checkCurrency(_ call: Call) throws(SberPayRefusal) {
        guard let currency = try call.fields.text("currency", 3...3) else { return }
        guard currency == "643" || currency == "810" else { throw SberPayRefusal(code: 3, message: "Unknown currency") }
    }

    private func address(_ name: String, _ fields: SberPayFields) throws(SberPayRefusal) -> String? {
        guard let text = try fields.text(name, 12...2048) else { return nil }
        guard text.isHttpAddress else { throw .parameter(name) }
        return text
    }

    /// `expirationDate`, in Moscow, wins over `sessionTimeoutSecs`.
    private func deadline(_ fields: SberPayFields) throws(SberPayRefusal) -> Timestamp {
        if let text = try fields.text("expirationDate", 19...19) {
            guard let moscow = Timestamp(text + "Z") else { throw .parameter("expirationDate") }
            return moscow.adding(.seconds(-3 * 3600))
        }
        let seconds = try fields.amount("sessionTimeoutSecs").map { Duration.seconds($0) }
        return now.adding(seconds ?? configuration.timings.lived(configuration.timings.order))
    }

    /// Names the order for the bank's app: at one gateway by the order's id, at the other by an id of its own.
    private mutating func app(_ call: Call, _ params: JsonObject) throws(SberPayRefusal) -> (
        invoice: String?, link: String?
    ) {
        let (isApp, isPush) = (params.isOn("app2app"), params.isOn("back2app"))
        guard !(isApp && isPush) else { throw .parameter("jsonParams") }
        if isApp {
            let os = (params["app.osType"] ?? params["osType"])?.text
            guard os == "ios" || os == "android", params["app.deepLink"]?.text?.isEmpty == false else {
                throw .parameter("jsonParams.app")
            }
        }
        guard isApp || isPush || params.isOn("web2app") else { return (nil, nil) }
        let invoice = nextId()
        let kind = isApp ? "App2App" : "Web2App"
        return (invoice, "sberpay://invoicing/v2?bankInvoiceId=\(invoice)&operationType=\(kind)")
    }

    private func mandate(_ params: JsonObject) throws(SberPayRefusal) -> SberPayOrder.Mandate? {
        let (expiry, days) = (params["recurringExpiry"]?.text, params["recurringFrequency"]?.text)
        guard expiry != nil || days != nil else { return nil }
        if let expiry, expiry.utf8.count != 8 || Int64(expiry) == nil { throw .parameter("jsonParams.recurringExpiry") }
        guard let days = days.flatMap({ Int64($0) }), (1...9999).contains(days) else {
            throw .parameter("jsonParams.recurringFrequency")
        }
        return SberPayOrder.Mandate(expiry: expiry, days: days)
    }

    /// The answer; the older gateway's has no `errorCode`.
    private mutating func opened(_ order: SberPayOrder, _ merchant: SberPayMerchant) -> Json {
        let isInactive = order.deepLink != nil && takeFault("register", [.appInactive]) != nil
        let external: Json? =
            order.deepLink == nil
            ? nil
            : .compact([
                ("sbolDeepLink", order.deepLink.map(Json.string)),
                ("sbolBankInvoiceId", shownInvoice(order).map(Json.string)),
                ("sbolInactive", isInactive ? "true" : nil),
            ])
        let form = "\(configuration.address)/\(Self.mount)/pp/pay_ru?orderId=\(order.id)"
        let members: [(String, Json?)] = [
            ("orderId", .string(order.id)), ("formUrl", .string(form)), ("externalParams", external),
        ]
        switch merchant.dialect {
        case .legacy: return .compact(members)
        case .ecom: return .compact([("errorCode", "0"), ("errorMessage", "Success")] + members)
        }
    }

    /// Dashed and of its own at the older gateway, the order's id without dashes at the other.
    func shownInvoice(_ order: SberPayOrder) -> String? {
        guard let invoice = order.invoiceId else { return nil }
        switch merchants[order.userName]?.dialect {
        case .ecom: return order.id.filter { $0 != "-" }
        case .legacy, nil: return invoice
        }
    }

    // MARK: By binding

    /// Registers and debits in one call; the mandate's limits hold.
    mutating func debited(_ call: Call) throws(SberPayRefusal) -> (Json, String) {
        try call.fields.checkNames([
            "orderNumber", "bindingId", "amount", "currency", "description", "additionalParameters", "language",
        ])
        let number = try orderNumber(call)
        guard order(number: number, of: call.merchant.userName) == nil else {
            throw SberPayRefusal(code: 1, message: "Order number is registered already")
        }
        guard let id = try call.fields.id("bindingId"), let binding = bindings[id], binding.isActive,
            binding.userName == call.merchant.userName
        else { throw SberPayRefusal(code: 2, message: "Binding is not found") }
        guard let amount = try call.fields.amount("amount"), amount > 0 else { throw .parameter("amount") }
        try checkCurrency(call)
        let order = SberPayOrder(
            id: nextId(),
            number: number,
            userName: call.merchant.userName,
            amount: amount,
            isHold: false,
            isCheck: false,
            description: try call.fields.text("description", 1...512),
            clientId: binding.clientId,
            features: ["AUTO_PAYMENT"],
            returnUrl: "",
            failUrl: "",
            callbackUrl: nil,
            deadline: now.adding(configuration.timings.order),
            registeredAt: now,
            invoiceId: nil,
            deepLink: nil,
            bindingId: id,
            way: "CARD_BINDING"
        )
        keep(order)
        charge(order.id, binding)
        var shown = orders[order.id] ?? order
        if takeFault("recurrentPayment", [.unknownOutcome]) != nil {
            shown = order
            shown.actionCode = 151_019
        }
        let body: Json = [
            "success": true, "data": ["orderId": .string(order.id), "orderNumber": .string(number)],
            "orderStatus": status(shown),
        ]
        return (body, number)
    }

    /// Pays an open order with a binding of its client.
    mutating func paidByBinding(_ call: Call) throws(SberPayRefusal) -> (Json, String) {
        try call.fields.checkNames(["mdOrder", "bindingId", "ip", "cvc", "email", "jsonParams", "termUrl", "language"])
        guard let id = try call.fields.id("mdOrder"), let order = orders[id], order.userName == call.merchant.userName
        else { throw .unknownOrder }
        guard let name = try call.fields.id("bindingId"), let binding = bindings[name], binding.isActive,
            order.clientId == binding.clientId
        else { throw SberPayRefusal(code: 2, message: "Binding is not found") }
        guard order.isPayable(at: now), try call.fields.text("ip") != nil else { throw .wrongState }
        orders[id]?.bindingId = name
        orders[id]?.way = "CARD_BINDING"
        if order.features.contains("AUTO_PAYMENT") {
            charge(id, binding)
            let redirect = (orders[id]?.status == .declined ? order.failUrl : order.returnUrl)
            return (["errorCode": "0", "info": "Payment is processed", "redirect": .string(redirect)], order.number)
        }
        orders[id]?.status = .atBank
        let acs = "\(configuration.address)/\(Self.mount)/pp/pay_ru?orderId=\(id)"
        return (
            ["errorCode": "0", "acsUrl": .string(acs), "cReq": "c2FuZGJveA", "termUrl": .string(acs)], order.number
        )
    }

    /// Debits a binding without its payer: within its mandate, or declined.
    private mutating func charge(_ id: String, _ binding: SberPayBinding) {
        let days = binding.mandate?.days ?? 0
        let isTooSoon = binding.chargedAt.map { livedDay(calendarNow) < livedDay($0) + days } ?? false
        let hasEnded = binding.mandate?.expiry.map { $0 < day(calendarNow) } ?? false
        guard !isTooSoon, !hasEnded else { return refuse(id, code: 341_014) }
        pay(id)
    }

    /// The bank counts days in Moscow, shortened as its waits are.
    private func livedDay(_ moment: Timestamp) -> Int64 {
        let day = 86_400_000_000 / max(1, configuration.timings.speed)
        return (moment.microseconds + 3 * 3_600_000_000) / day
    }
}
