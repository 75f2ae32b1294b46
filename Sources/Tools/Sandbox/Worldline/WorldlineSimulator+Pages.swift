import Kernel

/// The hosted page and the bank's 3-D Secure page, for people and scripts.
extension WorldlineSimulator {
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

    // MARK: The hosted page

    mutating func createCheckout(_ body: Json, _ merchant: WorldlineMerchant) throws(WorldlineRefusal) -> SandboxAnswer
    {
        try WorldlineShape.checkout.check(body)
        let page = body["hostedCheckoutSpecificInput"] ?? [:]
        guard let returnUrl = page["returnUrl"]?.text else {
            throw .invalid("hostedCheckoutSpecificInput.returnUrl", "is needed")
        }
        let minutes = page["sessionTimeout"]?.integer ?? 180
        let tries = page["allowedNumberOfPaymentAttempts"]?.integer ?? 10
        guard (1...1440).contains(minutes) else {
            throw .invalid("hostedCheckoutSpecificInput.sessionTimeout", "1 to 1440 minutes")
        }
        guard (1...10).contains(tries) else {
            throw .invalid("hostedCheckoutSpecificInput.allowedNumberOfPaymentAttempts", "1 to 10")
        }
        let checkout = WorldlineCheckout(
            id: nextNumber(),
            merchant: merchant.id,
            amount: try Self.money(body.at("order", "amountOfMoney"), "order.amountOfMoney"),
            request: body,
            returnUrl: returnUrl,
            mac: nextUuid(),
            deadline: now.adding(.seconds(minutes * 60)),
            triesLeft: tries
        )
        checkouts[checkout.id] = checkout
        add(.pageEnds(checkout.id), due: checkout.deadline)
        let url = "\(configuration.address)/worldline/checkout/\(checkout.id)"
        return .json([
            "RETURNMAC": .string(checkout.mac), "hostedCheckoutId": .string(checkout.id),
            "partialRedirectUrl": .string(url), "redirectUrl": .string(url),
        ])
    }

    mutating func checkoutRead(_ id: String, _ merchant: WorldlineMerchant) throws(WorldlineRefusal) -> SandboxAnswer {
        // A page's data vanish after three hours.
        guard let checkout = checkouts[id], checkout.merchant == merchant.id,
            now < checkout.deadline.adding(WorldlineTimings.session)
        else { throw .unknownId }
        let payment = checkout.payments.last.flatMap { payments[$0] }
        let created = payment.map { payment -> Json in
            let category: Json =
                payment.begun == .declined || payment.begun == .cancelledByPayer
                ? "REJECTED"
                : payment.begun == .authorized || payment.begun == .captured ? "SUCCESSFUL" : "STATUS_UNKNOWN"
            return ["payment": json(payment), "paymentStatusCategory": category]
        }
        return .json([
            ("createdPaymentOutput", checkout.state == .inProgress ? nil : created),
            ("status", .string(checkout.state.rawValue)),
        ])
    }

    mutating func pageEnded(_ id: String) {
        guard checkouts[id]?.state == .inProgress else { return }
        checkouts[id]?.state = .cancelled
    }

    func checkoutShown(_ id: String) -> SandboxAnswer {
        guard let checkout = checkouts[id] else { return .page(404, WorldlinePages.message("There is no such page")) }
        guard checkout.state == .inProgress else { return .page(200, WorldlinePages.message("Nothing to pay here")) }
        return .page(
            200,
            WorldlinePages.form(
                checkout.amount,
                title: "Checkout \(checkout.id)",
                action: "/worldline/checkout/\(id)",
                [.approve, .threeDS, .decline, .abandon]
            )
        )
    }

    /// The payer pressed a button; every try makes a payment of its own.
    mutating func checkoutPressed(_ id: String, _ fields: ControlFields?) -> SandboxAnswer {
        guard let checkout = checkouts[id], let merchant = merchants[checkout.merchant] else {
            return .page(404, WorldlinePages.message("There is no such page"))
        }
        guard checkout.state == .inProgress, let step = fields?.text("action").flatMap(Step.init),
            [.approve, .decline, .threeDS, .abandon].contains(step)
        else { return .page(409, WorldlinePages.message("That can't be done here")) }
        let back = checkout.returnUrl + Self.mark(checkout.returnUrl, "hostedCheckoutId", id, checkout.mac)
        if step == .abandon {
            checkouts[id]?.state = .cancelled
            return .seeOther(back)
        }
        let behaviour: WorldlineCard.Behaviour =
            step == .decline ? .declined : step == .threeDS ? .challenge : .frictionless
        let input = checkout.request["cardPaymentMethodSpecificInput"] ?? [:]
        let card = WorldlineCard.test(behaviour, lastFour: fields?.text("lastFour") ?? "1111")
        guard
            let number = try? begin(
                checkout.request,
                input,
                card,
                nil,
                merchant,
                returnUrl: back,
                checkout: checkout
            )
        else { return .page(409, WorldlinePages.message("That can't be done here")) }
        checkouts[id]?.payments.append(number)
        checkouts[id]?.triesLeft -= 1
        if step == .threeDS {
            change(number) { $0.begun = .redirected }
            return .seeOther("/worldline/3ds/\(payments[number]?.id ?? "")")
        }
        authorize(number)
        return .seeOther(pageGoesOn(number) ? "/worldline/checkout/\(id)" : back)
    }

    /// Whether the payer stays on the page: the try failed and there are more.
    private mutating func pageGoesOn(_ number: String) -> Bool {
        guard let payment = payments[number], let id = payment.checkout, let checkout = checkouts[id] else {
            return false
        }
        if payment.begun == .declined || payment.begun == .cancelledByPayer, checkout.triesLeft > 0 { return true }
        checkouts[id]?.state = .created
        return false
    }

    /// Members that the platform adds to the address that the payer comes back to.
    private static func mark(_ url: String, _ name: String, _ id: String, _ mac: String) -> String {
        (url.contains("?") ? "&" : "?") + FormEncoding.encode([("RETURNMAC", mac), (name, id)])
    }

    // MARK: The bank

    func challengeShown(_ id: String) -> SandboxAnswer {
        guard let payment = payments[WorldlinePayment.number(in: id)] else {
            return .page(404, WorldlinePages.message("There is no such payment"))
        }
        guard payment.begun == .redirected else { return .page(200, WorldlinePages.message("Nothing to confirm")) }
        return .page(
            200,
            WorldlinePages.form(
                payment.amount,
                title: "Your bank asks",
                action: "/worldline/3ds/\(id)",
                [.pass, .fail, .abandon]
            )
        )
    }

    mutating func challengePressed(_ id: String, _ fields: ControlFields?) -> SandboxAnswer {
        let number = WorldlinePayment.number(in: id)
        guard let payment = payments[number], payment.begun == .redirected,
            let step = fields?.text("action").flatMap(Step.init), [.pass, .fail, .abandon].contains(step)
        else { return .page(409, WorldlinePages.message("That can't be done here")) }
        switch step {
        case .pass:
            payments[number]?.begun = .authorizing
            authorize(number)
        case .fail:
            payments[number]?.declineCode = "40001134"
            change(number) { $0.begun = .declined }
        case .abandon, .approve, .decline, .threeDS: change(number) { $0.begun = .cancelledByPayer }
        }
        let goesOn = pageGoesOn(number)
        guard let target = payment.returnUrl else { return .page(200, WorldlinePages.message("Done")) }
        if let page = payment.checkout { return .seeOther(goesOn ? "/worldline/checkout/\(page)" : target) }
        return .seeOther(target + Self.mark(target, "paymentId", payment.id, payment.mac))
    }
}

/// Pages of the simulated provider.
enum WorldlinePages {
    static func message(_ text: String) -> String {
        Html.page(title: "Worldline sandbox", "<main><h1>\(text)</h1></main>")
    }

    static func form(
        _ amount: Money,
        title: String,
        action: String,
        _ steps: [WorldlineSimulator.Step]
    ) -> String {
        let buttons = Html.buttons(steps, \.label)
        return Html.page(
            title: "Worldline sandbox",
            """
            <main><p class="soft">Simulated Worldline Direct</p><h1>\(title)</h1>
            <p class="amount">\(amount.description)</p><form method="post" action="\(action)">\(buttons)</form></main>
            """
        )
    }

    static func overview(_ simulator: WorldlineSimulator) -> String {
        let payments = simulator.paymentNumbers.reversed().prefix(200).compactMap { simulator.payments[$0] }
        let rows = payments.map { payment -> [Html] in
            let followUps = payment.operations.map { "\($0.kind.rawValue) \($0.amount.description): \($0.status.text)" }
            return [
                "\(payment.merchant)", "\(payment.reference ?? "")", "\(payment.id)", "\(payment.amount.description)",
                "\(payment.begun.text) \(payment.begun.code)", "\(followUps.joined(separator: ", "))",
            ]
        }
        let heads = ["Merchant", "Reference", "Id", "Amount#", "Begun", "Followed by"]
        return SandboxFrame.overview(
            .worldline,
            payments: rows.count,
            """
            <p><a href="/worldline/sandbox/ledger">Ledger</a></p>\(SandboxFrame.table(heads, rows))
            """
        )
    }
}
