import Kernel

/// Commands of scripts and of the overview page: play the payer, play the Dashboard, order faults.
extension EcommpaySimulator {
    /// Plays one step, or a list of which each follows when the one before has come to rest.
    mutating func played(_ key: EcommpayPaymentKey, _ fields: ControlFields) -> SandboxAnswer {
        let names = fields.json["scenario"]?.items?.compactMap(\.text) ?? fields.text("scenario").map { [$0] } ?? []
        var steps: [EcommpayStep] = []
        for name in names {
            if name == "amount" {
                let amount = payments[key]?.order.amount ?? formOfPayment[key].flatMap { forms[$0]?.order?.amount }
                steps += amount.flatMap(EcommpayMagicAmount.init)?.plan.steps ?? [.approve]
                continue
            }
            guard let step = EcommpayStep(spelling: name) else {
                return .refused(422, "unknown_scenario", "No scenario is called \(name).")
            }
            steps.append(step)
        }
        guard let first = steps.first else { return .refused(422, "unknown_scenario", "scenario is missing.") }
        let card = fields.text("card").flatMap(EcommpayTestCard.init)
        let code = fields.text("code")
        do throws(EcommpayStepRefusal) {
            if payments[key] == nil, let form = formOfPayment[key] {
                try stepPlayed(first, onForm: form, code: code, card: card)
            } else {
                try stepPlayed(first, on: key, code: code, card: card)
            }
        } catch {
            let status = error == .unknownPayment ? 404 : 409
            return .refused(status, error.rawValue, "\(first.rawValue) can't be played on this payment now.")
        }
        if steps.count > 1 {
            payments[key]?.script = Array(steps.dropFirst())
            if let code { payments[key]?.scriptCode = code }
            if payments[key]?.rest != .processing { armScript(key) }
        }
        return .json(202, payments[key].map(paymentJson) ?? .compact([("payment_id", .string(key.id))]))
    }

    /// Somebody at the merchant or the platform works in the Dashboard.
    mutating func dashboardUsed(_ key: EcommpayPaymentKey, _ fields: ControlFields) -> SandboxAnswer {
        guard payments[key] != nil else { return .notFound }
        let amount = fields.integer("amount")
        do throws(EcommpayStepRefusal) {
            switch fields.text("action") {
            case "capture": try staffCaptured(key, amount: amount)
            case "refund": try staffRefunded(key, amount: amount)
            case "cancel": try holdCancelled(key, amount: amount)
            case "auto_release": try holdReleased(key)
            case "refund_reverse": try staffUndidRefund(key)
            case "manual_decline": try staffDeclined(key)
            default: return .refused(422, "unknown_action", "The Dashboard has no such action.")
            }
        } catch {
            return .refused(409, error.rawValue, "The payment does not allow that now.")
        }
        return .json(202, payments[key].map(paymentJson) ?? .null)
    }

    private mutating func holdCancelled(_ key: EcommpayPaymentKey, amount: Int64?) throws(EcommpayStepRefusal) {
        guard let money = try? cancellable(key, amount) else { throw .wrongState }
        followUpStarted(key, .cancel, amount: money, isCommanded: false)
    }

    /// The merchant tells the platform's support where callbacks go that have no address of their own.
    mutating func projectChanged(_ id: Int64, _ fields: ControlFields) -> SandboxAnswer {
        guard projects[id] != nil else { return .notFound }
        guard let url = fields.text("callback_url"), url.isHttpAddress else { return .badAddress("callback_url") }
        projects[id]?.callbackUrl = url
        return .json(200, .compact([("project_id", .integer(id)), ("callback_url", .string(url))]))
    }

    mutating func faultAsked(_ fields: ControlFields) -> SandboxAnswer {
        guard let kind = fields.text("fault").flatMap(EcommpayFault.Kind.init) else {
            return .refused(422, "unknown_fault", "fault is one of the words in the table.")
        }
        let point: EcommpayFault.Point
        if let text = fields.text("on") {
            guard let named = EcommpayFault.Point(rawValue: text) else {
                return .refused(422, "unknown_point", "No request is called \(text).")
            }
            guard kind.points.contains(named) else {
                return .refused(422, "wrong_point", "\(kind.rawValue) never strikes at \(text).")
            }
            point = named
        } else {
            point = .any
        }
        let times = fields.integer("times") ?? 1
        let status = fields.integer("status") ?? 500
        let milliseconds = fields.integer("milliseconds") ?? 3000
        guard (1...1_000_000).contains(times), (500...599).contains(status), (0...3_600_000).contains(milliseconds)
        else { return .refused(422, "bad_number", "times, status or milliseconds are out of range.") }
        addFault(
            kind,
            at: point,
            project: fields.integer("project_id"),
            paymentId: fields.text("payment_id"),
            times: Int(times),
            milliseconds: milliseconds,
            status: Int(status)
        )
        return .json(201, faultsJson)
    }

    mutating func addFault(
        _ kind: EcommpayFault.Kind,
        at point: EcommpayFault.Point,
        project: Int64?,
        paymentId: String?,
        times: Int,
        milliseconds: Int64 = 3000,
        status: Int = 500
    ) {
        core.faults.append(
            EcommpayFault(
                id: core.count(),
                kind: kind,
                point: point,
                project: project,
                paymentId: paymentId,
                milliseconds: milliseconds,
                status: status,
                times: times
            )
        )
    }
}

/// The state as JSON, for scripts.
extension EcommpaySimulator {
    var faultsJson: Json {
        let list = faults.map { fault in
            Json.compact([
                ("id", .integer(fault.id)), ("fault", .string(fault.kind.rawValue)),
                ("on", .string(fault.point.rawValue)), ("project_id", fault.project.map(Json.integer)),
                ("payment_id", fault.paymentId.map(Json.string)), ("times", .integer(Int64(fault.times))),
            ])
        }
        return .compact([("faults", .array(list))])
    }

    var paymentsJson: Json {
        .compact([("payments", .array(paymentOrder.compactMap { payments[$0] }.map(paymentJson)))])
    }

    func paymentJson(_ payment: EcommpayPayment) -> Json {
        let operations = payment.operations.map { operation in
            Json.compact([
                ("id", .integer(operation.id)), ("type", .string(operation.type.rawValue)),
                ("status", .string(operation.status.rawValue)), ("amount", .integer(operation.amount.minor)),
                ("code", .string(operation.code)), ("merchant_refund_id", operation.merchantRefundId.map(Json.string)),
                ("commanded", .bool(operation.isCommanded)),
                ("created_date", .string(EcommpaySimulator.date(operation.createdAt))),
                ("date", .string(EcommpaySimulator.date(operation.changedAt))),
            ])
        }
        return .compact([
            ("project_id", .integer(payment.key.project)), ("payment_id", .string(payment.key.id)),
            ("status", .string(payment.status.rawValue)), ("channel", .string(payment.order.channel.rawValue)),
            ("amount", .integer(payment.order.amount.minor)), ("currency", .string(payment.order.amount.currency.code)),
            ("card", .string(payment.card.masked)), ("attempts", .integer(Int64(payment.attemptsUsed))),
            ("form", formOfPayment[payment.key].map { .string("/payment/form/\($0)") }),
            ("operations", .array(operations)), ("totals", totalsJson(ledger.totals(of: owner(payment.key)))),
        ])
    }

    private func totalsJson(_ totals: SandboxLedger.Totals) -> Json {
        .compact([
            ("held", .integer(totals.held)), ("captured", .integer(totals.captured)),
            ("released", .integer(totals.released)), ("refunded", .integer(totals.refunded)),
            ("reserved", .integer(totals.reserved)), ("kept", .integer(totals.kept)),
        ])
    }

    func ledgerJson(_ entries: [SandboxLedger.Entry]) -> Json {
        let list = entries.map { entry in
            Json.compact([
                ("number", .integer(Int64(entry.number))), ("at", .string(entry.at.description)),
                ("project", .string(entry.owner.account)), ("payment_id", .string(entry.owner.payment)),
                ("operation", .string(entry.operation)), ("kind", .string(entry.kind.rawValue)),
                ("amount", .integer(entry.amount.minor)), ("currency", .string(entry.amount.currency.code)),
            ])
        }
        let owners = Set(entries.map(\.owner)).sorted { ($0.account, $0.payment) < ($1.account, $1.payment) }
        let totals = owners.map { owner in
            Json.compact([
                ("project", .string(owner.account)), ("payment_id", .string(owner.payment)),
                ("totals", totalsJson(ledger.totals(of: owner))),
            ])
        }
        return .compact([("entries", .array(list)), ("payments", .array(totals))])
    }

    func callbacksJson(_ deliveries: [EcommpayCallbackLog.Delivery]) -> Json {
        let list = deliveries.map { delivery in
            let attempts = delivery.attempts.map { attempt in
                Json.compact([
                    ("at", .string(attempt.at.description)),
                    (
                        "status",
                        attempt.reply.map { reply in
                            switch reply {
                            case .status(let status): .integer(Int64(status))
                            case .noAnswer: .null
                            }
                        }
                    ),
                ])
            }
            return Json.compact([
                ("id", .integer(delivery.id)), ("project_id", .integer(delivery.project)),
                ("payment_id", delivery.paymentId.map(Json.string)), ("url", delivery.url.map(Json.string)),
                ("about", .string(delivery.summary)), ("state", .string(delivery.state.rawValue)),
                ("created_at", .string(delivery.createdAt.description)), ("attempts", .array(attempts)),
            ])
        }
        return .compact([("callbacks", .array(list))])
    }
}
