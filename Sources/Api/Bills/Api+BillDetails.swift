import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Projections
import ProviderKit

extension Api {
    // MARK: Bills

    /// A page of bills as JSON, or as one line each where the client wants NDJSON.
    func listBills(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.query)
        var query = BillQuery(batch: try call.batchId())
        query.outcome = try form.word("outcome")
        query.after = try form.integer("after", in: 0...Int(Int32.max)) ?? 0
        query.limit = try form.integer("limit", in: 1...BillLimitsOfApi.pageBills) ?? Limits.pageRows
        try form.end()
        _ = try await batch(call)
        let wanted = query
        let found = try await asked { () async throws(StoreFailure) in
            try await reader.tables.bills(wanted, merchant: call.merchant)
        }
        let accepts = call.headers["Accept"] ?? ""
        guard accepts.split(separator: ",").contains(where: { HttpHeaders.isSame($0.trimmed, "application/x-ndjson") })
        else { return Self.page(found.rows, next: found.next.map { String($0) }) }
        var body: [UInt8] = []
        for row in found.rows {
            body += row.compactBytes
            body.append(0x0A)
        }
        var response = HttpResponse(status: 200, contentType: "application/x-ndjson", body: body)
        response.headers.set("Paystream-Next", found.next.map { String($0) })
        return response
    }

    func getBill(_ call: Call) async throws(Problem) -> HttpResponse {
        let (_, bill) = try await bill(call)
        return .json(200, bill.document)
    }

    private func bill(_ call: Call) async throws(Problem) -> (BillBatch, Bill) {
        let batch = try await batch(call)
        guard let head = batch.head, let id = call.path["bill"] else { throw .unknownBill }
        let found = try await reader.bill(id, account: head.account, merchant: call.merchant)
        guard let found, found.reservation?.batch == batch.id else { throw .unknownBill }
        return (batch, found)
    }

    /// Proposes what became of a bill that nobody knows about.
    func proposeBill(_ call: Call) async throws(Problem) -> HttpResponse {
        try await resolveBill(call) { (form, seen) throws(Problem) in
            guard let outcome: BillOutcome = try form.word("outcome") else { throw form.missing("outcome") }
            return .propose(
                outcome,
                paid: try form.money("paid"),
                evidence: try form.needed("evidence", bytes: Limits.evidenceBytes),
                seen: seen
            )
        }
    }

    /// Approves what another person proposed.
    func approveBill(_ call: Call) async throws(Problem) -> HttpResponse {
        try await resolveBill(call) { (_, seen) throws(Problem) in
            guard let id = call.path["resolution"].flatMap({ Uuid($0) }) else {
                throw Problem(.proposalUnknown, "There is no such proposal.")
            }
            return .approve(id, seen: seen)
        }
    }

    private func resolveBill(_ call: Call, _ read: (inout Form, Int32) throws(Problem) -> BillCommand)
        async throws(Problem) -> HttpResponse
    {
        let (batch, before) = try await bill(call)
        guard let head = batch.head, let line = before.reservation?.line else { throw .unknownBill }
        var form = try Form(call.body)
        let seen = try form.seenVersion()
        let command = try read(&form, seen)
        try form.end()
        let stream = Bill.stream(line.id, account: head.account, call.merchant)
        let submitted = try await submit(
            call.submission(stream, command.name.rawValue, command.canonical, account: head.account)
        )
        let (_, after) = try await bill(call)
        return .outcome(of: submitted, after.document)
    }

    // MARK: The payer's device

    /// The chunk that waits for the payer: a bank's step, or an app's payment.
    private func waitingChunk(_ batch: BillBatch, _ call: Call) async throws(Problem) -> Chunk? {
        guard let id = batch.waiting?.chunk ?? (batch.head?.mode == .sdk ? batch.live.keys.first : nil) else {
            return nil
        }
        return try await reader.chunk(id, merchant: call.merchant)
    }

    func batchAction(_ call: Call) async throws(Problem) -> HttpResponse {
        let batch = try await batch(call)
        guard let chunk = try await waitingChunk(batch, call), !chunk.dispatches.isEmpty else {
            let kind: NextActionKind = batch.phase == .ended ? .none : .wait
            return .json(200, ["type": .string(kind.rawValue)])
        }
        let handover: Json
        do throws(HandoverFailure) { handover = try await engine.bills.render(chunk, call.merchant) } catch {
            guard error.isFinal else { throw Problem(error) }
            let reason: Json = .string(error.problem.rawValue)
            return .json(200, ["type": .string(NextActionKind.none.rawValue), "reason": reason])
        }
        guard let action = chunk.action else {
            let path = "/v1/bill-batches/\(batch.id)/app-parameters"
            return .json(200, ["type": .string(NextActionKind.sdk.rawValue), "appParameters": .string(path)])
        }
        try await recordAccess("bill_action", StreamName(call.merchant, .billBatch, batch.id.uuid), call)
        return .json(
            200,
            [
                "type": .string(NextActionKind.redirect.rawValue), "bill": .string(action.bill),
                "action": "threeDSecure", "parameters": handover,
            ]
        )
    }

    func billParameters(_ call: Call) async throws(Problem) -> HttpResponse {
        try Form(call.body).end()
        let batch = try await batch(call)
        guard batch.head?.mode == .sdk else {
            throw Problem(.notAnAppPayment, "These bills are paid unattended, not in an app.")
        }
        guard let chunk = try await waitingChunk(batch, call), !chunk.dispatches.isEmpty else {
            throw Problem(.noActionOpen, "Nothing waits for the app.")
        }
        let parameters = try await handover(chunk, call)
        try await recordAccess("bill_app_parameters", StreamName(call.merchant, .billBatch, batch.id.uuid), call)
        return .json(200, ["parameters": parameters])
    }

    private func handover(_ chunk: Chunk, _ call: Call) async throws(Problem) -> Json {
        do throws(HandoverFailure) { return try await engine.bills.render(chunk, call.merchant) } catch {
            throw Problem(error)
        }
    }

    /// Takes the claim of the app's SDK: `{"bills": [UBill…]}`.
    func claimBills(_ call: Call) async throws(Problem) -> HttpResponse {
        let batch = try await batch(call)
        let newest = batch.live.keys.first ?? batch.settled.keys.first
        guard let chunk = batch.waiting?.chunk ?? (batch.head?.mode == .sdk ? newest : nil) else {
            throw Problem(.noActionOpen, "Nothing waits for the app.")
        }
        let submitted = try await submit(
            call.submission(
                StreamName(call.merchant, .chunk, chunk),
                ChunkCommand.Name.claim.rawValue,
                call.body.canonical,
                account: batch.head?.account
            )
        )
        // The batch hears of it by the chunk, a moment later.
        await reader.wait(
            for: StreamName(call.merchant, .billBatch, batch.id.uuid),
            past: batch.version,
            atMost: .seconds(2)
        )
        let after = try await self.batch(call)
        return BillBatchResource(after, try await accounts(call)).response(submitted.status()).marked(submitted)
    }
}

extension Problem {
    static var unknownBill: Problem { Problem(.billUnknown, "There is no such bill in the batch.") }
}

extension FormSchema {
    static let billClaim = FormSchema(
        "BillClaim",
        Schema.closed(
            [("bills", Schema.list(Schema.free))],
            required: ["bills"],
            "The list that the SDK gave."
        ),
        example: ["bills": [["billId": "101", "status": "PAYED", "billAmount": "10.00", "paidAmount": "10.00"]]]
    )

    static let billProposal = FormSchema(
        "BillProposal",
        Schema.closed(
            [
                ("outcome", Schema.words(BillOutcome.self)), ("paid", Schema.ref("Money")),
                ("evidence", Schema.text(atMost: Limits.evidenceBytes)),
                ("seenVersion", Schema.integer(from: 1, to: Int64(Int32.max))),
            ],
            required: ["outcome", "evidence", "seenVersion"]
        ),
        example: ["outcome": "failed", "evidence": "Not in the cabinet", "seenVersion": 2]
    )
}
