import EventSourcing
import Http
import Kernel
import Payments
import Projections

/// Endpoints for what people decide: disputes, evidence, settled questions.
enum OperationEndpoints {
    private static let one = "/v1/payments/{payment}"
    private static let files = one + "/disputes/{dispute}/evidence"

    static let all: [Endpoint] = [
        .payment("openDispute", one + "/disputes", .json(.openDispute), ids: ["capture"], by: Api.openDispute)
            .documented(.operations, "Record a dispute", "Payment")
            .stored(PaymentCommand.Name.recordDispute.rawValue, stage: .opened).atOnce
            .linked(
                .to(
                    ["winDispute", "loseDispute"],
                    ["payment": "$request.path.payment", "dispute": "$response.body#/disputes/0/id"]
                )
            ),
        .payment("winDispute", one + "/disputes/{dispute}/won", .optional(.endDispute), by: Api.winDispute)
            .documented(.operations, "Record that a dispute was won", "Payment")
            .stored(PaymentCommand.Name.recordDispute.rawValue, stage: .won).atOnce,
        .payment("loseDispute", one + "/disputes/{dispute}/lost", .optional(.endDispute), by: Api.loseDispute)
            .documented(.operations, "Record that a dispute was lost", "Payment")
            .stored(PaymentCommand.Name.recordDispute.rawValue, stage: .lost).atOnce,
        .asking("addDisputeEvidence", files, DisputeEvidenceSchemas.body, by: Api.takeDisputeEvidence)
            .documented(.operations, "Keep a file about a dispute, sealed", "DisputeEvidence", [200, 201])
            .with {
                $0.query = [
                    .init("name", Schema.text("As receipt.pdf.", atMost: Limits.identifierBytes), isNeeded: true)
                ]
                $0.most = .bytes(Limits.evidenceFileBytes)
                $0.isStreamed = true
            },
        .reading("listDisputeEvidence", files, by: Api.listDisputeEvidence)
            .documented(.operations, "List the files about a dispute", "DisputeEvidencePage", problems: [404]),
        .reading("readDisputeEvidence", files + "/{evidence}", scope: .audit, by: Api.readDisputeEvidence)
            .documented(
                .operations,
                "Read a file about a dispute; whoever reads is recorded",
                "DisputeEvidenceContent",
                problems: [404]
            ),
        .payment("addEvidence", one + "/evidence", .json(.evidence), scope: .resolve, form: PaymentCommand.evidence)
            .documented(.operations, "Add what a person found out", "Payment")
            .stored(PaymentCommand.Name.addEvidence.rawValue).atOnce,
        .payment(
            "proposeResolution",
            one + "/resolutions",
            .json(.proposal),
            scope: .resolve,
            form: PaymentCommand.proposal
        )
        .documented(.operations, "Propose how an open question is settled", "Payment")
        .ids(["verdict.operation"])
        .atOnce
        .linked(
            .to(
                ["approveResolution"],
                ["payment": "$request.path.payment", "resolution": "$response.body#/resolutions/0/id"]
            )
        ),
        .payment(
            "approveResolution",
            one + "/resolutions/{resolution}/approve",
            .json(.approval),
            scope: .approve,
            by: Api.approval
        )
        .documented(.operations, "Approve another person's proposal", "Payment"),
        .reading(
            "listUnresolved",
            "/v1/operations/unresolved",
            scope: .audit,
            query: [.init("needsOperator", Schema.flag)] + Endpoint.Parameter.page,
            by: Api.listUnresolved
        )
        .documented(.operations, "List payments and transfers that are owed something", "UnresolvedPage"),
    ]
}

extension Api {
    /// Payments and transfers that someone still owes something, with what and who; on the first page also what is
    /// unresolved and no payment's.
    func listUnresolved(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.query)
        var query = PaymentQuery(nil)
        query.hasObligations = true
        query.needsOperator = try form.flag("needsOperator") ?? false
        let seal = try page(&form, &query, call)
        let filter = query
        let found = try await reader.payments(filter, merchant: call.merchant)
        var openItems: [OpenItem]?
        if filter.cursor == nil {
            openItems = try await asked { () async throws(StoreFailure) in
                try await reader.tables.openItems(of: call.merchant, limit: filter.limit)
            }.filter { !filter.needsOperator || $0.needsOperator }
        }
        return .json(
            200,
            .compact([
                ("items", .array(found.rows)), ("matters", openItems.map { .array($0.map(\.json)) }),
                ("next", found.next.map { .string(seal.text($0)) }),
            ])
        )
    }

    func openDispute(_ call: Call, _: Payment) async throws(Problem) -> PaymentCommand {
        try .dispute(call.body, DerivedNames.dispute(openedBy: call.inputId))
    }

    func winDispute(_ call: Call, _ payment: Payment) async throws(Problem) -> PaymentCommand {
        try .endDispute(call.body, try dispute(call, payment), .won)
    }

    func loseDispute(_ call: Call, _ payment: Payment) async throws(Problem) -> PaymentCommand {
        try .endDispute(call.body, try dispute(call, payment), .lost)
    }

    func approval(_ call: Call, _: Payment) async throws(Problem) -> PaymentCommand {
        guard let proposal = call.path["resolution"].flatMap({ Uuid($0) }) else {
            throw Problem(.proposalUnknown, "There is no such proposal.")
        }
        return try .approval(call.body, of: proposal)
    }

    private func dispute(_ call: Call, _ payment: Payment) throws(Problem) -> Dispute {
        guard let id = call.path["dispute"].flatMap({ DisputeId($0) }), let known = payment.disputes[id] else {
            throw Problem(.disputeUnknown, "There is no such dispute.")
        }
        return known
    }
}
