import Kernel

/// Payments without a form: by a saved card's token, or as a debit of a registered series.
extension EcommpaySimulator {
    /// The order of a Gate request that makes a payment.
    private func newOrder(_ request: GateRequest, _ type: EcommpayOperationType) throws(GateRefusal) -> EcommpayOrder {
        let key = EcommpayPaymentKey(project: request.project.id, id: try request.requirePaymentId())
        guard payments[key] == nil else { throw GateRefusal(code: .paymentIdTaken) }
        guard let customer = request.body.at("customer", "id")?.text, !customer.isEmpty else {
            throw GateRefusal(code: .fieldMissing)
        }
        let amount = try request.newAmount(allowsZero: type == .verification)
        var order = EcommpayOrder(key: key, channel: .gate, amount: amount)
        order.firstOperation = type
        order.mode = type == .verification ? .cardVerify : .purchase
        order.customerId = customer
        order.description = request.body.at("payment", "description")?.text
        order.callbackUrl = request.body.at("general", "merchant_callback_url")?.text
        order.allowsRetries = false
        if let seconds = request.body.at("callback", "delay")?.integer {
            guard (0...EcommpayLimits.callbackDelay.components.seconds).contains(seconds) else {
                throw GateRefusal(code: .fieldMissing)
            }
            order.callbackDelay = .seconds(seconds)
        }
        order.callbacksDisabled = request.body.at("callback", "force_disable")?.integer == 1
        return order
    }

    mutating func tokenPaymentRequested(
        _ request: GateRequest,
        _ type: EcommpayOperationType
    ) throws(GateRefusal) -> SandboxAnswer {
        let order = try newOrder(request, type)
        guard let token = request.body["token"]?.text,
            let card = EcommpayTestCard.withToken(token, project: request.project.id)
        else { throw GateRefusal(code: .tokenUnknown) }
        let plan = EcommpayMagicAmount(order.amount)?.plan ?? card.unattendedPlan
        return created(order, plan, card)
    }

    mutating func seriesDebitRequested(_ request: GateRequest) throws(GateRefusal) -> SandboxAnswer {
        var order = try newOrder(request, .recurring)
        let entry = try knownSeries(request)
        guard entry.isActive else { throw GateRefusal(code: .seriesCancelled) }
        order.seriesId = entry.id
        let plan = EcommpayMagicAmount(order.amount)?.plan ?? entry.card.debitPlan
        return created(order, plan, entry.card)
    }

    /// The platform debits a series by itself, as when a date of its calendar has come.
    ///
    /// What such a debit's payment id is the provider has not said; here it is the series' own name and a number.
    mutating func seriesRan(_ id: Int64, amount listed: Int64? = nil) -> SandboxAnswer {
        guard let entry = series[id], entry.isActive else { return .notFound }
        let number = entry.runs + 1
        series[id]?.runs = number
        let registering = payments[EcommpayPaymentKey(project: entry.project, id: entry.registeredBy)]?.order
        let name = entry.terms["scheduled_payment_id"]?.text ?? entry.registeredBy + "-s"
        let minor = listed ?? entry.terms["amount"]?.integer ?? registering?.amount.minor ?? 0
        let key = EcommpayPaymentKey(project: entry.project, id: "\(name)-\(number)")
        var order = EcommpayOrder(key: key, channel: .gate, amount: Money(minor, entry.currency))
        order.firstOperation = .recurring
        order.customerId = entry.customerId
        order.callbackUrl = registering?.callbackUrl
        order.allowsRetries = false
        order.seriesId = id
        attemptStarted(order, plan: EcommpayMagicAmount(order.amount)?.plan ?? entry.card.debitPlan, card: entry.card)
        return .json(202, .compact([("payment_id", .string(key.id))]))
    }

    /// Waits for the next date of a series' calendar, where the platform keeps one.
    mutating func armSeries(_ id: Int64) {
        guard let entry = series[id], entry.isActive, let calendar = SeriesCalendar(entry.terms),
            let run = calendar.next(after: now)
        else { return }
        add(.series(id, epoch: entry.epoch, amount: run.amount), due: run.at)
    }

    private mutating func created(
        _ order: EcommpayOrder,
        _ plan: EcommpayPlan,
        _ card: EcommpayTestCard
    ) -> SandboxAnswer {
        attemptStarted(order, plan: plan, card: card)
        return acceptance(payments[order.key]?.operations.last?.requestId ?? "", order.key)
    }

    private func knownSeries(_ request: GateRequest) throws(GateRefusal) -> EcommpaySeries {
        guard let id = request.body.at("recurring", "id")?.integer, let entry = series[id],
            entry.project == request.project.id
        else { throw GateRefusal(code: .seriesUnknown) }
        return entry
    }

    mutating func seriesCancelRequested(_ request: GateRequest) throws(GateRefusal) -> SandboxAnswer {
        let entry = try knownSeries(request)
        guard entry.isActive else { throw GateRefusal(code: .seriesCancelled) }
        series[entry.id]?.isActive = false
        series[entry.id]?.epoch += 1
        announceOther(
            seriesBody(entry.id),
            project: entry.project,
            url: request.body.at("general", "merchant_callback_url")?.text,
            about: "series cancelled",
            inGeneral: false
        )
        let key = EcommpayPaymentKey(project: entry.project, id: request.paymentId ?? entry.registeredBy)
        return acceptance(nextRequestId(), key)
    }

    /// Takes changed members over; which they may be is what a registration has.
    mutating func seriesUpdateRequested(_ request: GateRequest) throws(GateRefusal) -> SandboxAnswer {
        let entry = try knownSeries(request)
        guard entry.isActive else { throw GateRefusal(code: .seriesCancelled) }
        guard let changes = request.body["recurring"]?.members else { throw GateRefusal(code: .fieldMissing) }
        var terms = entry.terms.members ?? JsonObject([])
        for member in changes.members where member.name != "id" { terms[member.name] = member.value }
        series[entry.id]?.terms = .object(terms)
        series[entry.id]?.epoch += 1
        armSeries(entry.id)
        announceOther(
            seriesBody(entry.id),
            project: entry.project,
            url: request.body.at("general", "merchant_callback_url")?.text,
            about: "series updated",
            inGeneral: false
        )
        let key = EcommpayPaymentKey(project: entry.project, id: request.paymentId ?? entry.registeredBy)
        return acceptance(nextRequestId(), key)
    }

    mutating func seriesInfoRequested(_ request: GateRequest) throws(GateRefusal) -> SandboxAnswer {
        signedAnswer(seriesBody(try knownSeries(request).id), request.project)
    }

    private func seriesBody(_ id: Int64) -> Json {
        guard let entry = series[id] else { return .null }
        return .compact([
            ("project_id", .integer(entry.project)),
            (
                "recurring",
                .compact([
                    ("id", .integer(id)), ("status", .string(entry.isActive ? "active" : "cancelled")),
                    ("type", entry.terms["type"] ?? "U"), ("currency", .string(entry.currency.code)),
                    ("exp_year", entry.terms["expiry_year"] ?? "2030"),
                    ("exp_month", entry.terms["expiry_month"] ?? "11"), ("period", entry.terms["period"]),
                    ("interval", entry.terms["interval"]), ("time", entry.terms["time"]),
                    ("amount", entry.terms["amount"]),
                ])
            ),
        ])
    }
}

extension EcommpayTestCard {
    /// The course of a payment that nobody watches: a challenge can't be answered.
    fileprivate var unattendedPlan: EcommpayPlan {
        switch self {
        case .visaApproved, .visaSeriesWrongData, .visaSeriesNoFunds: EcommpayPlan([.approve])
        case .visaDeclined: EcommpayPlan([.decline], code: .generalDecline)
        case .visaChallenge: EcommpayPlan([.approve])
        case .mastercardChallengeDeclined: EcommpayPlan([.decline], codeText: "10722")
        }
    }

    /// The course of a debit of the card's series.
    fileprivate var debitPlan: EcommpayPlan {
        switch self {
        case .visaSeriesWrongData: EcommpayPlan([.decline], codeText: "10102")
        case .visaSeriesNoFunds: EcommpayPlan([.decline], codeText: "10105")
        case .visaApproved, .visaDeclined, .visaChallenge, .mastercardChallengeDeclined: unattendedPlan
        }
    }
}
