import EventSourcing
import Kernel
import Payments

/// Transfers to another card: payments with a resource of their own.
enum TransferEndpoints {
    private static let one = "/v1/transfers/{transfer}"

    static let all: [Endpoint] = [
        .command("createTransfer", "/v1/transfers", .json(CreatePaymentForm.transfer), by: Api.createPayment)
            .documented(.transfers, "Create a transfer to another card", "Transfer", [200, 201, 202])
            .ids(["id", "instrument"])
            .stored(PaymentCommand.Name.create.text(in: .transfer), Api.newPayment)
            .linked(.below(one, ["transfer": "$response.body#/id"])),
        .reading("listTransfers", "/v1/transfers", query: PaymentEndpoints.list, by: Api.listPayments)
            .documented(.transfers, "List and search transfers, newest first", "TransferPage"),
        .reading("getTransfer", one, by: Api.getPayment)
            .documented(.transfers, "Read a transfer", "Transfer", [200, 304], problems: [404, 412]),
        .payment(
            "confirmTransfer",
            one + "/confirm",
            .json(.claim.example(["call": "return", "fields": ["RESULT": "0"]])),
            by: Api.confirmation
        )
        .documented(.transfers, "Tell what the app's SDK said", "Transfer")
        .claiming,
        .payment("syncTransfer", one + "/sync", .optional(.empty), form: PaymentCommand.sync)
            .documented(.transfers, "Ask the provider how the transfer stands", "Transfer")
            .stored(PaymentCommand.Name.sync.text(in: .transfer)),
        .asking("transferAppParameters", one + "/app-parameters", .optional(.empty), by: Api.appParameters)
            .documented(
                .transfers,
                "Get the object that the app's SDK needs",
                "AppParameters",
                problems: [404, 409, 410]
            ),
        .reading("transferNextAction", one + "/next-action", by: Api.nextAction)
            .documented(.transfers, "Read what the payer must do now", "NextAction", problems: [404]),
        .reading("transferEvents", one + "/events", scope: .audit, query: Endpoint.Parameter.log, by: Api.paymentEvents)
            .documented(.transfers, "Read a transfer's log", "EventPage", problems: [404]),
        .reading("transferInput", one + "/inputs/{input}", scope: .audit, by: Api.paymentInput)
            .documented(
                .transfers,
                "Read what came in and caused an event; whoever reads is recorded",
                "Input",
                problems: [404]
            ),
        .payment(
            "addTransferEvidence",
            one + "/evidence",
            .json(.evidence),
            scope: .resolve,
            form: PaymentCommand.evidence
        )
        .documented(.operations, "Add what a person found out about a transfer", "Transfer")
        .stored(PaymentCommand.Name.addEvidence.text(in: .transfer)).atOnce,
        .payment(
            "proposeTransferResolution",
            one + "/resolutions",
            .json(.proposal),
            scope: .resolve,
            form: PaymentCommand.proposal
        )
        .documented(.operations, "Propose how an open question about a transfer is settled", "Transfer")
        .ids(["verdict.operation"])
        .atOnce
        .linked(
            .to(
                ["approveTransferResolution"],
                ["transfer": "$request.path.transfer", "resolution": "$response.body#/resolutions/0/id"]
            )
        ),
        .payment(
            "approveTransferResolution",
            one + "/resolutions/{resolution}/approve",
            .json(.approval),
            scope: .approve,
            by: Api.approval
        )
        .documented(.operations, "Approve another person's proposal about a transfer", "Transfer"),
    ]
}
