import Kernel

/// Bodies about a payment, in callbacks and in answers to status requests.
extension EcommpaySimulator {
    /// A callback without its signature.
    func callbackBody(_ payment: EcommpayPayment, _ operation: EcommpayOperation) -> Json {
        var members: [(String, Json?)] = [
            ("project_id", .integer(payment.key.project)), ("payment", paymentObject(payment, operation)),
            ("customer", customerObject(payment)), ("operation", operationObject(operation)),
        ]
        if !operation.isFollowUp { members += attemptMembers(payment, operation) }
        return .compact(members)
    }

    /// An answer to a status request without its signature.
    func statusBody(_ payment: EcommpayPayment) -> Json {
        let lastRefund = payment.operations.last { $0.merchantRefundId != nil }
        var members: [(String, Json?)] = [
            ("project_id", .integer(payment.key.project)), ("payment", paymentObject(payment, lastRefund)),
            ("customer", customerObject(payment)),
        ]
        if let index = payment.attemptIndex { members += attemptMembers(payment, payment.operations[index]) }
        members.append(("operations", .array(payment.operations.map(operationObject))))
        return .compact(members)
    }

    private func paymentObject(_ payment: EcommpayPayment, _ operation: EcommpayOperation?) -> Json {
        var members: [(String, Json?)] = [
            ("id", .string(payment.key.id)), ("type", .string(paymentType(payment))),
            ("status", .string(payment.status.rawValue)), ("date", .string(EcommpaySimulator.date(payment.changedAt))),
            ("method", .string(payment.order.method)), ("sum", EcommpaySimulator.sum(shownSum(payment))),
            ("description", payment.order.description.map(Json.string)),
            ("merchant_refund_id", operation?.merchantRefundId.map(Json.string)),
        ]
        if payment.rest == .awaitingCustomer, let end = payment.attemptsEnd {
            let left = max(0, end.microseconds - now.microseconds) * timings.speed / 1_000_000
            members.append(("is_new_attempts_available", .bool(payment.mayTryAgain(at: now))))
            members.append(("attempts_timeout", .integer(left)))
        }
        return .compact(members)
    }

    private func paymentType(_ payment: EcommpayPayment) -> String {
        switch payment.order.firstOperation {
        case .verification: "account verification"
        case .recurring: "recurring"
        case .sale, .auth, .capture, .cancel, .refund, .reversal, .refundReverse, .manualChange: "purchase"
        }
    }

    /// `payment.sum`: what was asked for; what is reserved; what the merchant still has.
    private func shownSum(_ payment: EcommpayPayment) -> Money {
        let totals = ledger.totals(of: owner(payment.key))
        let currency = payment.order.amount.currency
        if totals.captured > 0 { return Money(totals.kept, currency) }
        if totals.reserved > 0 { return Money(totals.reserved, currency) }
        return payment.order.amount
    }

    private func customerObject(_ payment: EcommpayPayment) -> Json? {
        guard let id = payment.order.customerId else { return nil }
        return .compact([("id", .string(id)), ("phone", payment.order.customerPhone.map(Json.string))])
    }

    private func operationObject(_ operation: EcommpayOperation) -> Json {
        let suffix = operation.id % 100_000_000
        return .compact([
            ("id", .integer(operation.id)), ("type", .string(operation.type.rawValue)),
            ("status", .string(operation.status.rawValue)),
            ("date", .string(EcommpaySimulator.date(operation.changedAt))),
            ("created_date", .string(EcommpaySimulator.date(operation.createdAt))),
            ("request_id", .string(operation.requestId)), ("sum_initial", EcommpaySimulator.sum(operation.amount)),
            ("sum_converted", EcommpaySimulator.sum(operation.amount)), ("code", .string(operation.code)),
            ("message", .string(EcommpayCode.message(of: operation.code))),
            (
                "provider",
                .compact([
                    ("id", .integer(6)), ("payment_id", .string("167845\(suffix)")),
                    ("auth_code", .string(String(100_000 + suffix % 900_000))), ("endpoint_id", .integer(6)),
                ])
            ),
        ])
    }

    /// The members of the try alone: card, series, and what the payer must do.
    private func attemptMembers(_ payment: EcommpayPayment, _ operation: EcommpayOperation) -> [(String, Json?)] {
        let page = formOfPayment[payment.key].map { "\(configuration.address)/payment/form/\($0)" }
        let address = page ?? "\(configuration.address)/sandbox/payments/\(payment.key.project)"
        switch payment.rest {
        case .awaiting3ds: return [challengeMember(payment, address)]
        case .awaitingRedirect:
            return [
                (
                    "return_url",
                    .compact([("method", "GET"), ("body", .array([])), ("url", .string(address))])
                )
            ]
        case .awaitingClarification:
            return [("clarification_fields", ["avs_data": ["avs_post_code", "avs_street_address"]])]
        case .awaitingCustomerAction:
            return [
                (
                    "display_data",
                    .array([.compact([("type", "qr_data"), ("title", "QR code"), ("data", .string(address))])])
                )
            ]
        case .awaitingCapture, .success, .reversed, .partiallyReversed, .refunded, .partiallyRefunded, .cancelled,
            .canceled:
            return [("account", accountObject(payment)), ("recurring", seriesObject(payment))]
        case .processing, .externalProcessing, .awaitingCustomer, .decline, .error, .internalError, .externalError,
            .expired, .unheardOf:
            return []
        }
    }

    /// Version 2 of the protocol, or version 1 where the card's issuer is behind the times.
    private func challengeMember(_ payment: EcommpayPayment, _ address: String) -> (String, Json?) {
        if payment.card == .mastercardChallengeDeclined {
            return (
                "acs",
                .compact([
                    ("acs_url", .string(address)), ("md", "bWQ="), ("pa_req", "cGFyZXE="),
                    ("term_url", .string(address)),
                ])
            )
        }
        return (
            "threeds2",
            ["redirect": .compact([("url", .string(address)), ("params", ["creq": "eyJ0ZXN0Ijp0cnVlfQ"])])]
        )
    }

    private func accountObject(_ payment: EcommpayPayment) -> Json? {
        guard payment.order.method == "card", payment.order.firstOperation != .recurring else { return nil }
        let givesToken = projects[payment.key.project]?.givesTokens == true
        return .compact([
            ("number", .string(payment.card.masked)),
            ("token", givesToken ? .string(payment.card.token(project: payment.key.project)) : nil),
            ("type", .string(payment.card.brand)), ("card_holder", "TEST CARDHOLDER"),
            ("id", .integer(payment.card.accountId)), ("expiry_month", "11"), ("expiry_year", "2030"),
        ])
    }

    private func seriesObject(_ payment: EcommpayPayment) -> Json? {
        guard let id = payment.seriesId, let entry = series[id] else { return nil }
        return .compact([
            ("id", .integer(id)), ("currency", .string(entry.currency.code)),
            ("valid_thru", "2030-11-30T23:59:59+0000"),
        ])
    }

    static func sum(_ money: Money) -> Json {
        .object(JsonObject([("amount", .integer(money.minor)), ("currency", .string(money.currency.code))]))
    }

    /// `2026-03-02T10:00:05+0000`.
    static func date(_ time: Timestamp) -> String { time.wholeSeconds.dropLast() + "+0000" }
}
