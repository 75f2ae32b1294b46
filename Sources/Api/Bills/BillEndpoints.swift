import Http
import Kernel
import Payments

/// Bills in bulk: batches with their uploads, and the cards and credentials that pay them.
package enum BillEndpoints {
    private static let one = "/v1/bill-batches/{batch}"
    private static let resolutions = one + "/bills/{bill}/resolutions"
    private static let approval = Body.json(.approval.example(["seenVersion": 3]))

    /// None takes other commands' identifiers.
    static let all = (batches + cards).map { endpoint in
        endpoint.with {
            $0.identifiers = ["id", "instrument", "credentials"]
            $0.wording = .brief
            if case .commands = $0.exempt { $0.exempt = .members([]) }
        }
    }

    private static let batches: [Endpoint] = [
        .command("createBillBatch", "/v1/bill-batches", .json(.createBillBatch), by: Api.createBatch)
            .documented(.bills, "Begin a batch of bills", "BillBatch", [200, 201, 202])
            .stored(BillBatchCommand.Name.create.rawValue, Api.newBatch)
            .versioned,
        .reading("listBillBatches", "/v1/bill-batches", query: Endpoint.Parameter.page, by: Api.listBatches)
            .documented(.bills, "List batches, newest first", "BillBatchPage"),
        .reading("getBillBatch", one, by: Api.getBatch)
            .documented(.bills, "Read how far a batch is", "BillBatch", [200, 304], problems: [404, 412]),
        .asking("uploadBills", one + "/bills", lines, method: .put, by: Api.upload)
            .documented(
                .bills,
                "Upload bills as lines of JSON, read while they come in",
                "BillBatch",
                problems: [404, 409]
            )
            .with {
                $0.query = [.init("page", Schema.integer(from: 1, to: Int64(BillBatch.mostPages)))]
                $0.most = .bytes(BillLimitsOfApi.uploadBytes)
                $0.isStreamed = true
            },
        .command("submitBillBatch", one + "/submit", .optional(.submitBillBatch), by: Api.submitBatch)
            .documented(.bills, "Close the upload and begin to pay", "BillBatch", problems: [404, 409])
            .stored(BillBatchCommand.Name.submit.rawValue, Api.storedSubmission)
            .versioned,
        .command("continueBillBatch", one + "/continue", .optional(.continueBillBatch), by: Api.continueBatch)
            .documented(.bills, "Go on with a batch that was stopped", "BillBatch", problems: [404, 409])
            .versioned,
        .reading("listBills", one + "/bills", query: list, by: Api.listBills)
            .documented(
                .bills,
                "List a batch's bills with their outcomes, as JSON or as lines",
                "BillPage",
                problems: [404]
            )
            .with { $0.answer = .lines("BillPage", of: "BillRow") },
        .reading("getBill", one + "/bills/{bill}", by: Api.getBill)
            .documented(.bills, "Read one bill", "Bill", problems: [404]),
        .reading("billBatchAction", one + "/next-action", by: Api.batchAction)
            .documented(.bills, "Read what the payer must do now", "BillAction", problems: [404]),
        .asking("billAppParameters", one + "/app-parameters", .optional(.empty), by: Api.billParameters)
            .documented(
                .bills,
                "Get the object that the app's SDK pays the bills with",
                "BillAppParameters",
                problems: [404, 409, 410]
            ),
        .command("claimBills", one + "/claims", .json(.billClaim), by: Api.claimBills)
            .documented(.bills, "Tell what the app's SDK said about the bills", "BillBatch", problems: [404, 409]),
        .command("proposeBillResolution", resolutions, .json(.billProposal), scope: .resolve, by: Api.proposeBill)
            .documented(.bills, "Propose what became of a bill that nobody knows about", "Bill", problems: [404, 409]),
        .command(
            "approveBillResolution",
            resolutions + "/{resolution}/approve",
            approval,
            scope: .approve,
            by: Api.approveBill
        )
        .documented(.bills, "Approve another person's proposal", "Bill", problems: [404, 409]),
    ]

    private static let cards: [Endpoint] = [
        .command("saveBillCredentials", "/v1/bill-credentials", .json(.billCredentials), by: Api.saveCredentials)
            .documented(
                .bills,
                "Exchange a user's own login and password for what stands for them",
                "SavedBillCredentials"
            )
            .with { $0.exempt = .members(["password"]) },
        .asking(
            "billCardParameters",
            "/v1/bill-cards/app-parameters",
            .json(.billCardParameters),
            by: Api.billCardParameters
        )
        .documented(
            .bills,
            "Get the object that the app's SDK saves a card for bills with",
            "BillAppParameters",
            problems: [410]
        ),
        .command("saveBillCard", "/v1/bill-cards", .json(.saveBillCard), by: Api.saveBillCard)
            .documented(
                .bills,
                "Keep the token that the app got for a card",
                "SavedBillCredentials",
                problems: [409, 410]
            )
            .with { $0.exempt = .members(["token"]) },
        .asking("checkBillCard", "/v1/bill-cards/check", .json(.checkBillCard), by: Api.checkCard)
            .documented(.bills, "Ask whether a saved card can pay bills", "BillCard", problems: [410]),
    ]

    private static let lines = Body.raw(
        "application/x-ndjson",
        // A text whose lines are such objects: generators then take bytes, not one object.
        [
            "type": "string", "format": "binary", "contentMediaType": "application/x-ndjson",
            "contentSchema": Schema.ref("BillLine"),
        ],
        "One such object a line."
    )

    private static let list: [Endpoint.Parameter] = [
        .init("outcome", Schema.words(BillWord.self)),
        .init("after", Schema.integer(from: 0, to: Int64(Int32.max))), .limit(BillLimitsOfApi.pageBills),
    ]
}

/// How much of bills is taken at once.
package enum BillLimitsOfApi {
    /// Bytes of one upload, which is never held as a whole.
    package static let uploadBytes = 128 * 1024 * 1024
    /// Bills of one page of an answer or an export.
    package static let pageBills = 1000
    package static let loginBytes = 128
    package static let passwordBytes = 256
    package static let tokenBytes = 512
    package static let languageBytes = 64
}
