import Crypto
package import EventSourcing
package import Http
package import Kernel
import Payments
import ProviderKit
import Telemetry

/// A page of bills that came by SQL.
package struct InboxPage: Sendable {
    package let batch: BillBatchId
    package let number: Int
    package let bytes: [UInt8]
    package let bills: Int
}

extension Api {
    /// Reads the head or the submission of a batch that came by SQL as the request that it would be over HTTP.
    func billSubmission(of command: InboxCommand, _ name: BillBatchCommand.Name) async throws(Problem) -> Submission {
        switch name {
        case .create:
            let call = try inboxCall(command, try Self.object(command), path: [])
            return try await newBatch(call).submission
        case .submit:
            let given = try Self.object(command)
            let (batch, rest) = try Self.batch(of: given, command.merchant)
            let call = try inboxCall(command, rest, path: [(name: "batch", value: batch.text)])
            var form = try Form(call.body)
            let count = try form.integer("count", in: 1...Int64(Int32.max))
            let total = try form.money("total")
            try form.end()
            let wanted = BillBatchCommand.submit(count: count.map { Int($0) }, total: total)
            return try call.submission(
                StreamName(command.merchant, .billBatch, batch.uuid),
                wanted.name.rawValue,
                wanted.json
            )
        case .addPage, .chunkReported, .resume:
            throw Problem(.routeUnknown, "The SQL entrance takes no such command.")
        }
    }

    /// Reads a page that came by SQL into the lines that it would be in an upload.
    package func page(of command: InboxCommand) throws(Problem) -> InboxPage {
        let given = try Self.object(command)
        let (batch, rest) = try Self.batch(of: given, command.merchant)
        var form = try Form(rest)
        guard let number = try form.integer("page", in: 1...Int64(BillBatch.mostPages)) else {
            throw form.missing("page")
        }
        guard let items = form.value("bills")?.items, (1...BillPage.mostLines).contains(items.count) else {
            throw Problem(.billInvalid, "A page has 1 to \(BillPage.mostLines) bills.", path: "bills")
        }
        try form.end()
        var bytes: [UInt8] = []
        for item in items {
            try amounts.check(item, at: "bills")
            bytes += item.compactBytes
            bytes.append(0x0A)
        }
        guard bytes.count <= BillPage.mostBytes else {
            throw Problem(.billInvalid, "The page is too large.", path: "bills")
        }
        guard CardScreen.isClean(page: bytes, bills: adapters.billIdentifiers) else {
            throw Problem(.cardDataRefused, "Card data does not enter here.", path: "bills")
        }
        return InboxPage(batch: batch, number: Int(number), bytes: bytes, bills: items.count)
    }

    private static func object(_ command: InboxCommand) throws(Problem) -> Json {
        guard let json = try? Json(command.body), json.members != nil else {
            throw Problem(.jsonMalformed, "The body is not one JSON object.")
        }
        return json
    }

    /// The batch by the key of the command that makes it, and what stands beside it.
    private static func batch(of given: Json, _ merchant: MerchantNumber) throws(Problem) -> (BillBatchId, Json) {
        guard case .object(var members) = given, let key = members["batch"]?.text else {
            throw Problem(.memberMissing, "The key of the batch's own command is needed.", path: "batch")
        }
        members["batch"] = nil
        return (DerivedNames.billBatch(createdBy: DerivedNames.input(merchant, key: key)), .object(members))
    }

    private func inboxCall(_ command: InboxCommand, _ body: Json, path: [(name: String, value: String)])
        throws(Problem) -> BillCall
    {
        try CardScreen.check(body, exempt: [])
        try amounts.check(body)
        return BillCall(
            route: .createBillBatch,
            request: HttpRequest(
                method: .post,
                target: BillRoute.createBillBatch.pattern,
                headers: HttpHeaders([("Idempotency-Key", command.key)])
            ),
            path: PathParameters(path),
            caller: Caller(
                keyId: Uuid(high: 0, low: 0),
                name: "sql",
                merchant: command.merchant,
                merchantName: "",
                scopes: [.commands]
            ),
            body: body,
            trace: TraceContext.new(from: random),
            now: now
        )
    }
}
