import Kernel

/// Payments and operations as answers and events write them.
extension WorldlineSimulator {
    /// `operation` makes it the payment as an event about that operation shows it: under the operation's id and status.
    func json(_ payment: WorldlinePayment, _ operation: WorldlinePayment.Operation? = nil) -> Json {
        let status = operation?.status ?? payment.status
        return .compact([
            (
                "hostedCheckoutSpecificOutput",
                payment.checkout.map { ["hostedCheckoutId": .string($0), "variant": ""] }
            ), ("id", .string(payment.id(operation?.index ?? 0))), ("paymentOutput", output(payment)),
            ("status", .string(status.text)),
            ("statusOutput", statusOutput(payment, status, operation?.changedAt ?? payment.statusChangedAt)),
        ])
    }

    func details(_ payment: WorldlinePayment) -> Json {
        var members = json(payment).members ?? JsonObject([])
        let first: Json = [
            "id": .string(payment.id), "amountOfMoney": Self.money(payment.amount), "paymentMethod": "card",
            "references": .compact([("merchantReference", payment.reference.map(Json.string))]),
            "status": .string(payment.begun.text),
            "statusOutput": [
                "statusCode": .integer(payment.begun.code), "statusCategory": .string(payment.begun.category),
            ],
        ]
        members["Operations"] = .array([first] + payment.operations.map { entry($0, of: payment) })
        return .object(members)
    }

    private func entry(_ operation: WorldlinePayment.Operation, of payment: WorldlinePayment) -> Json {
        .compact([
            ("id", .string(payment.id(operation.index))), ("amountOfMoney", Self.money(operation.amount)),
            ("paymentMethod", "card"),
            ("references", .compact([("merchantReference", payment.reference.map(Json.string))])),
            (
                "operationReferences",
                operation.reference.map { ["merchantReference": .string($0)] }
            ), ("status", .string(operation.status.text)),
            (
                "statusOutput",
                [
                    "statusCode": .integer(operation.status.code),
                    "statusCategory": .string(operation.status.category),
                    "statusCodeChangeDateTime": .string(Self.digits(operation.changedAt)),
                ]
            ),
        ])
    }

    /// The answer to a capture or refund, and an entry of their lists.
    func json(_ operation: WorldlinePayment.Operation, of payment: WorldlinePayment) -> Json {
        let output: Json = .compact([
            ("amountOfMoney", Self.money(operation.amount)), ("paymentMethod", "card"),
            ("references", .compact([("merchantReference", payment.reference.map(Json.string))])),
            ("operationReferences", operation.reference.map { ["merchantReference": .string($0)] }),
        ])
        let isCapture = operation.kind == .capture
        // Captures name their code alone.
        let status: Json = .compact([
            ("statusCode", .integer(operation.status.code)),
            ("statusCategory", isCapture ? nil : .string(operation.status.category)),
            ("isCancellable", isCapture ? nil : false),
        ])
        return [
            "id": .string(payment.id(operation.index)), isCapture ? "captureOutput" : "refundOutput": output,
            "status": .string(operation.status.text), "statusOutput": status,
        ]
    }

    func list(_ payment: WorldlinePayment, _ kind: WorldlinePayment.Operation.Kind) -> [Json] {
        payment.operations.filter { $0.kind == kind }.map { json($0, of: payment) }
    }

    private func output(_ payment: WorldlinePayment) -> Json {
        let isAuthorized =
            payment.begun == .authorized || payment.begun == .captureRequested || payment.begun == .captured
        let card: Json = .compact([
            ("authorisationCode", isAuthorized ? "test123" : nil),
            (
                "card",
                [
                    "bin": "411111", "cardNumber": .string(payment.card.masked), "countryCode": "BE",
                    "expiryDate": .string(payment.card.expiry),
                ]
            ), ("fraudResults", ["avsResult": "0", "cvvResult": "0", "fraudServiceResult": "accepted"]),
            (
                "initialSchemeTransactionId",
                isAuthorized ? .string(payment.initialReference ?? payment.schemeReference) : nil
            ),
            ("paymentProductId", .integer(payment.card.product)),
            (
                "threeDSecureResults",
                isAuthorized
                    ? [
                        "eci": "5", "flow": payment.card.behaviour == .challenge ? "challenge" : "frictionless",
                        "liability": "issuer",
                    ]
                    : nil
            ), ("token", payment.token.map(Json.string)),
        ])
        return .compact([
            ("amountOfMoney", Self.money(payment.amount)), ("cardPaymentMethodSpecificOutput", card),
            ("customer", ["device": ["ipAddressCountryCode": "99"]]), ("paymentMethod", "card"),
            ("references", .compact([("merchantReference", payment.reference.map(Json.string))])),
        ])
    }

    private func statusOutput(_ payment: WorldlinePayment, _ status: WorldlineStatus, _ changedAt: Timestamp) -> Json {
        let errors: Json? = status == .declined ? [["errorCode": .string(payment.declineCode), "id": "DECLINED"]] : nil
        return .compact([
            ("errors", errors), ("isAuthorized", .bool(payment.begun == .authorized)),
            ("isCancellable", .bool(payment.capturable > 0)), ("isRefundable", .bool(payment.refundable > 0)),
            ("statusCategory", .string(status.category)), ("statusCode", .integer(status.code)),
            ("statusCodeChangeDateTime", .string(Self.digits(changedAt))),
        ])
    }

    static func money(_ amount: Money) -> Json {
        ["amount": .integer(amount.minor), "currencyCode": .string(amount.currency.code)]
    }

    /// `YYYYMMDDHHMMSS`.
    private static func digits(_ time: Timestamp) -> String {
        String(time.wholeSeconds.filter { $0.isNumber })
    }
}
