import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit

extension Api {
    // MARK: Bills

    /// A page of bills as JSON, or as one line each where the client wants NDJSON.
    func listBills(_ call: BillCall, _ bills: any BillDesk) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.request)
        var query = BillQuery(batch: try call.batchId())
        query.outcome = try form.word("outcome")
        query.after = try form.integer("after", in: 0...Int(Int32.max)) ?? 0
        query.limit = try form.integer("limit", in: 1...BillLimitsOfApi.pageBills) ?? Limits.pageRows
        try form.end()
        _ = try await batch(call, bills)
        let wanted = query
        let found = try await read { () async throws(ReadFailure) in
            try await bills.list(wanted, merchant: call.merchant)
        }
        let accepts = call.request.headers["Accept"] ?? ""
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

    func getBill(_ call: BillCall, _ bills: any BillDesk) async throws(Problem) -> HttpResponse {
        let (_, bill) = try await bill(call, bills)
        return .json(200, bill.document)
    }

    private func bill(_ call: BillCall, _ bills: any BillDesk) async throws(Problem) -> (BillBatch, Bill) {
        let batch = try await batch(call, bills)
        guard let head = batch.head, let id = call.path["bill"] else { throw .unknownBill }
        let found = try await read { () async throws(ReadFailure) in
            try await bills.bill(id, account: head.account, merchant: call.merchant)
        }
        guard let found, found.claim?.batch == batch.id else { throw .unknownBill }
        return (batch, found)
    }

    /// What two persons find out about a bill that nobody knows about.
    func resolveBill(_ call: BillCall, _ bills: any BillDesk) async throws(Problem) -> HttpResponse {
        let (batch, before) = try await bill(call, bills)
        guard let head = batch.head, let line = before.claim?.line else { throw .unknownBill }
        var form = try Form(call.body)
        guard let seen = try form.integer("seenVersion", in: 1...Int64(Int32.max)) else {
            throw form.missing("seenVersion")
        }
        let command: BillCommand
        if call.route == .approveBillResolution {
            guard let id = call.path["resolution"].flatMap({ Uuid($0) }) else {
                throw Problem(.proposalUnknown, "There is no such proposal.")
            }
            command = .approve(id, seen: Int32(seen))
        } else {
            guard let outcome: BillOutcome = try form.word("outcome") else { throw form.missing("outcome") }
            command = .propose(
                outcome,
                paid: try form.money("paid"),
                evidence: try form.needed("evidence", bytes: Limits.evidenceBytes),
                seen: Int32(seen)
            )
        }
        try form.end()
        let stream = Bill.stream(line.id, account: head.account, call.merchant)
        let submitted = try await submit(
            try call.submission(stream, command.name.rawValue, command.json, account: head.account)
        )
        let (_, after) = try await bill(call, bills)
        var response = HttpResponse.json(submitted.version == nil ? 202 : 200, after.document)
        if submitted.isReplay { response.headers.set("Idempotent-Replayed", "true") }
        return response
    }

    // MARK: The payer's device

    /// The chunk that waits for the payer: a bank's step, or an app's payment.
    private func waitingChunk(_ batch: BillBatch, _ call: BillCall, _ bills: any BillDesk) async throws(Problem)
        -> Chunk?
    {
        guard let id = batch.waiting?.chunk ?? (batch.head?.mode == .sdk ? batch.live.keys.first : nil) else {
            return nil
        }
        return try await read { () async throws(ReadFailure) in try await bills.chunk(id, merchant: call.merchant) }
    }

    func batchAction(_ call: BillCall, _ bills: any BillDesk) async throws(Problem) -> HttpResponse {
        let batch = try await batch(call, bills)
        guard let chunk = try await waitingChunk(batch, call, bills), !chunk.dispatches.isEmpty else {
            let kind: NextActionKind = batch.phase == .ended ? .none : .wait
            return .json(200, ["type": .string(kind.rawValue)])
        }
        guard let action = chunk.action else {
            if case .failure(let refusal) = await bills.handover(chunk, merchant: call.merchant), refusal.isFinal {
                let reason: Json = .string(refusal.code.rawValue)
                return .json(200, ["type": .string(NextActionKind.none.rawValue), "reason": reason])
            }
            let path = "/v1/bill-batches/\(batch.id)/app-parameters"
            return .json(200, ["type": .string(NextActionKind.sdk.rawValue), "appParameters": .string(path)])
        }
        let handover = try await handover(chunk, call, bills)
        try await recordAccess("bill_action", batch, call, bills)
        return .json(
            200,
            [
                "type": .string(NextActionKind.redirect.rawValue), "bill": .string(action.bill),
                "action": "threeDSecure", "parameters": handover,
            ]
        )
    }

    func billParameters(_ call: BillCall, _ bills: any BillDesk) async throws(Problem) -> HttpResponse {
        try Form(call.body).end()
        let batch = try await batch(call, bills)
        guard batch.head?.mode == .sdk else {
            throw Problem(.notAnAppPayment, "These bills are paid unattended, not in an app.")
        }
        guard let chunk = try await waitingChunk(batch, call, bills), !chunk.dispatches.isEmpty else {
            throw Problem(.noActionOpen, "Nothing waits for the app.")
        }
        let parameters = try await handover(chunk, call, bills)
        try await recordAccess("bill_app_parameters", batch, call, bills)
        return .json(200, ["parameters": parameters])
    }

    private func handover(_ chunk: Chunk, _ call: BillCall, _ bills: any BillDesk) async throws(Problem) -> Json {
        switch await bills.handover(chunk, merchant: call.merchant) {
        case .success(let parameters): return parameters
        case .failure(let refusal): throw Problem(refusal)
        }
    }

    private func recordAccess(_ what: String, _ batch: BillBatch, _ call: BillCall, _ bills: any BillDesk)
        async throws(Problem)
    {
        try await read { () async throws(ReadFailure) in
            try await bills.recordAccess(
                what,
                batch.id,
                merchant: call.merchant,
                key: call.caller.keyId.description
            )
        }
    }

    /// What the app's SDK said: `{"bills": [UBill…]}`.
    func claimBills(_ call: BillCall, _ bills: any BillDesk) async throws(Problem) -> HttpResponse {
        let batch = try await batch(call, bills)
        let newest = batch.live.keys.first ?? batch.settled.keys.first
        guard let chunk = batch.waiting?.chunk ?? (batch.head?.mode == .sdk ? newest : nil) else {
            throw Problem(.noActionOpen, "Nothing waits for the app.")
        }
        let submitted = try await submit(
            try call.submission(
                StreamName(call.merchant, .chunk, chunk),
                ChunkCommand.Name.claim.rawValue,
                call.body,
                account: batch.head?.account
            )
        )
        // The batch hears of it by the chunk, a moment later.
        await ports.reader.wait(
            for: StreamName(call.merchant, .billBatch, batch.id.uuid),
            past: batch.version,
            atMost: .seconds(2)
        )
        let after = try await self.batch(call, bills)
        var response = BillBatchResource(after, try await accounts(of: call)).response(
            submitted.version == nil ? 202 : 200
        )
        if submitted.isReplay { response.headers.set("Idempotent-Replayed", "true") }
        return response
    }
}

extension Problem {
    static var unknownBill: Problem { Problem(.billUnknown, "There is no such bill in the batch.") }
}
