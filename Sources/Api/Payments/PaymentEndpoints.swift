import Kernel
import Payments

/// Payments: created, changed and read.
enum PaymentEndpoints {
    private static let one = "/v1/payments/{payment}"

    static let create = Endpoint.command(
        "createPayment",
        "/v1/payments",
        .json(CreatePaymentForm.payment),
        by: Api.createPayment
    )
    .documented(.payments, "Create a payment", "Payment", [200, 201, 202])
    .ids(["id", "instrument", "schedule"])
    .stored(PaymentCommand.Name.create.rawValue, Api.newPayment)
    .linked(.below(one, ["payment": "$response.body#/id"]))

    static let all: [Endpoint] = [
        create,
        .reading("listPayments", "/v1/payments", query: list, by: Api.listPayments)
            .documented(.payments, "List and search payments, newest first", "PaymentPage"),
        .reading("getPayment", one, by: Api.getPayment)
            .documented(.payments, "Read a payment", "Payment", [200, 304], problems: [404, 412])
            .linked(
                .to(
                    ["getInstrument", "removeInstrument", "checkInstrument"],
                    ["instrument": "$response.body#/savedInstruments/0"]
                )
            ),
        .payment("confirmPayment", one + "/confirm", .json(.claim), by: Api.confirmation)
            .documented(.payments, "Tell what the app's SDK said", "Payment")
            .claiming,
        .payment("capturePayment", one + "/capture", .optional(.capture), form: PaymentCommand.capture)
            .documented(.payments, "Capture what is held", "Payment")
            .stored(PaymentCommand.Name.capture.rawValue),
        .payment(
            "completeDelivery",
            one + "/complete-delivery",
            .optional(.delivery),
            form: PaymentCommand.completeDelivery
        )
        .documented(.payments, "Tell the provider that all is delivered", "Payment")
        .stored(PaymentCommand.Name.completeDelivery.rawValue),
        .payment("voidPayment", one + "/void", .optional(.void), form: PaymentCommand.void)
            .documented(.payments, "Give a hold back, or cancel an unpaid payment", "Payment")
            .stored(PaymentCommand.Name.void.rawValue),
        .payment("refundPayment", one + "/refund", .optional(.refund), ids: ["capture"], form: PaymentCommand.refund)
            .documented(.payments, "Refund what was captured", "Payment")
            .stored(PaymentCommand.Name.refund.rawValue),
        .payment("syncPayment", one + "/sync", .optional(.empty), form: PaymentCommand.sync)
            .documented(.payments, "Ask the provider how the payment stands", "Payment")
            .stored(PaymentCommand.Name.sync.rawValue),
        .asking("appParameters", one + "/app-parameters", .optional(.empty), by: Api.appParameters)
            .documented(
                .device,
                "Get the object that the app's SDK needs",
                "AppParameters",
                problems: [404, 409, 410]
            ),
        .asking("signature", one + "/signature", .json(.deviceString), by: Api.signature)
            .documented(.device, "Sign the string that the SDK made", "Signature", problems: [404, 409, 410]),
        .reading("nextAction", one + "/next-action", by: Api.nextAction)
            .documented(.device, "Read what the payer must do now", "NextAction", problems: [404]),
        .reading("paymentEvents", one + "/events", scope: .audit, query: Endpoint.Parameter.log, by: Api.paymentEvents)
            .documented(.payments, "Read a payment's log", "EventPage", problems: [404]),
        .reading("paymentInput", one + "/inputs/{input}", scope: .audit, by: Api.paymentInput)
            .documented(
                .payments,
                "Read what came in and caused an event; whoever reads is recorded",
                "Input",
                problems: [404]
            ),
        .reading("paymentReadModel", one + "/read-model", by: Api.paymentReadModel)
            .documented(.payments, "Read a payment's row in the read model", "PaymentRow", problems: [404]),
    ]

    private static var minorUnits: Json { Schema.integer(from: 0, to: .max) }

    /// Parameters that narrow lists of payments and of transfers.
    static let list: [Endpoint.Parameter] =
        [
            .init("status", Schema.words(PaymentStatus.self)), .reference,
            .init("providerReference", Schema.text("A name at the provider.", atMost: Limits.identifierBytes)),
            .customer,
            .init("email", Schema.text("An address that its payer gave.", atMost: Limits.emailBytes)),
            .init("card", Schema.text("As it is shown, as in 431422******0056.", atMost: Limits.identifierBytes)),
            .init("amount", minorUnits), .init("amountFrom", minorUnits), .init("amountTo", minorUnits),
            .init("currency", Schema.pattern("^[A-Z]{3}$")),
            .init("provider", Schema.text("As in ecommpay.", atMost: Limits.identifierBytes)), .account, .metadata,
            .init("method", Schema.words(PaymentMethod.self)),
            .init("accountMode", Schema.words(AccountFacts.Mode.self)),
            .init("createdFrom", Schema.time), .init("createdBefore", Schema.time),
            .init("needsOperator", Schema.flag), .init("disputed", Schema.flag),
        ] + Endpoint.Parameter.page
}

extension Endpoint {
    /// The same, with an app's claim as its body.
    var claiming: Endpoint {
        with {
            $0.most = .bytes(Limits.reportBodyBytes)
            $0.exempt = .claims
        }
    }
}
