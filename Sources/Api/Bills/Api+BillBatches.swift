import Crypto
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit

extension Api {
    // MARK: Making

    func createBatch(_ call: BillCall, _ bills: any BillDesk) async throws(Problem) -> HttpResponse {
        let made = try await newBatch(call)
        let submitted = try await submit(made.submission)
        return try await shown(made.id, call, bills, submitted, done: 201)
    }

    /// Reads the head of a new batch.
    func newBatch(_ call: BillCall) async throws(Problem) -> (id: BillBatchId, submission: Submission) {
        var form = try Form(call.body)
        let name = try form.needed("account", bytes: AccountConfiguration.nameCharacters)
        let instrument: InstrumentId? = try form.id("instrument")
        guard let credentials: InstrumentId = try form.id("credentials") else { throw form.missing("credentials") }
        let customer = try form.text("customer", bytes: Limits.identifierBytes)
        let reference = try form.text("reference", bytes: Limits.referenceBytes)
        let wallet = form.value("wallet")
        guard wallet == nil || wallet?.flag != nil else { throw form.wrongType("wallet", "true or false") }
        try form.end()
        let (account, terms) = try await billTerms(name, call)
        let head = BillBatchHead(
            account: account.id,
            mode: terms.mode,
            currency: terms.currency,
            instrument: instrument,
            credentials: credentials,
            customer: customer,
            reference: reference,
            isPriced: terms.isPriced && terms.mode == .serverToken,
            isByWallet: wallet?.flag ?? false,
            limits: terms.limits
        )
        guard !head.isByWallet || head.mode == .sdk else {
            throw Problem(
                .notAnAppPayment,
                "A wallet pays in the app, and this account pays unattended.",
                path: "wallet"
            )
        }
        let input = DerivedNames.input(call.merchant, key: try Call.idempotencyKey(of: call.request))
        let id = DerivedNames.billBatch(createdBy: input)
        let command = BillBatchCommand.create(head)
        let submission = try call.submission(
            StreamName(call.merchant, .billBatch, id.uuid),
            command.name.rawValue,
            command.json,
            account: account.id
        )
        return (id, submission)
    }

    /// An account that pays bills, and how it does.
    func billTerms(_ name: String, _ call: BillCall) async throws(Problem) -> (AccountFacts, BillTerms) {
        let accounts = try await read { () async throws(ReadFailure) in
            try await ports.reader.accounts(merchant: call.merchant, naming: name)
        }
        guard let account = accounts.first(where: { $0.configuration?.name == name }), let facts = account.facts,
            let configuration = account.configuration
        else { throw Problem(.accountUnknown, "There is no such account.", path: "account") }
        guard account.isOpen else { throw Problem(.accountClosed, "The account was closed.", path: "account") }
        guard let bills = adapters[facts.provider]?.bills else {
            throw Problem(.billsNotTaken, "This provider takes no bills in bulk.", path: "account")
        }
        let settings = AccountSettings(
            account: facts,
            values: configuration.settings,
            notificationUrl: "",
            returnUrl: ""
        )
        do throws(SettingsFailure) { return (facts, try bills.terms(settings)) } catch {
            throw Problem(.settingsInvalid, "The account's settings: \(error.reason).", path: "account")
        }
    }

    // MARK: Uploading

    /// Takes an upload while it comes in, page by page; what was taken stays taken, and comes again without harm.
    func upload(_ call: BillCall, _ bills: any BillDesk, _ reader: any BodyReader) async throws(Problem)
        -> HttpResponse
    {
        guard let type = call.request.headers.mediaType, HttpHeaders.isSame(type, "application/x-ndjson") else {
            throw Problem(.mediaTypeUnsupported, "The body is application/x-ndjson.", path: "Content-Type")
        }
        var query = try QueryForm(call.request)
        let first = try query.integer("page", in: 1...BillBatch.mostPages) ?? 1
        try query.end()
        let batch = try await batch(call, bills)
        guard let head = batch.head else { throw .unknownBatch }
        var pager = BillPager()
        var number = first
        var line = 1
        func take(_ bytes: [UInt8]) async throws(Problem) {
            let at = UploadPlace(page: number, line: line)
            try check(bytes, head, at)
            let outcome = await bills.submitPage(
                bytes,
                number: number,
                batch: batch.id,
                merchant: call.merchant,
                actor: call.actor
            )
            _ = try taken(outcome, at)
            number += 1
            line += bytes.count { $0 == 0x0A }
        }
        while let piece = try await piece(of: reader) {
            for page in pager.take(piece) { try await take(page) }
        }
        if let rest = pager.end() { try await take(rest) }
        let after = try await self.batch(call, bills)
        return BillBatchResource(after, try await accounts(of: call)).response(200)
    }

    private func piece(of reader: any BodyReader) async throws(Problem) -> [UInt8]? {
        do throws(BodyFailure) { return try await reader.next() } catch {
            switch error.code {
            case .cut: throw Problem(.uploadCut, "The upload ended early; repeat it, what was taken stays.")
            case .tooLarge: throw Problem(.bodyTooLarge, "At most \(BillLimitsOfApi.uploadBytes) bytes.")
            }
        }
    }

    /// Refuses a page with a fault before it becomes an input, and names the line.
    private func check(_ bytes: [UInt8], _ head: BillBatchHead, _ at: UploadPlace) throws(Problem) {
        func refused(_ reason: String, line: Int) -> Problem {
            Problem(
                .billInvalid,
                "A bill can't be taken: \(reason).",
                members: [
                    ("line", .integer(Int64(at.line + line - 1))), ("page", .integer(Int64(at.page))),
                    ("reason", .string(reason)),
                ]
            )
        }
        let page: BillPage
        do throws(BillPage.Failure) { page = try BillPage(bytes, first: 1, currency: head.currency) } catch {
            throw refused(error.reason, line: error.line)
        }
        if let first = page.lines.firstIndex(where: { !amounts.takes($0.amount) }) {
            throw refused("amount_overflow", line: first + 1)
        }
        guard CardScreen.isClean(page: bytes, bills: adapters.billIdentifiers) else {
            throw Problem(
                .cardDataRefused,
                "Card data does not enter here.",
                members: [("page", .integer(Int64(at.page)))]
            )
        }
    }

    private func taken(_ outcome: SubmissionOutcome, _ at: UploadPlace) throws(Problem) -> Bool {
        switch outcome {
        case .accepted(_, _, let isReplay): return isReplay
        case .pending: return false
        case .rejected(let code, let detail, let path, _):
            throw Problem(
                status: 422,
                code: code,
                detail: detail,
                members: [("page", .integer(Int64(at.page)))] + (path.map { [("path", .string($0))] } ?? [])
            )
        case .keyConflict: throw Problem(.idempotencyConflict, "Page \(at.page) was taken with other bytes.")
        case .unavailable(let detail): throw .unavailable(detail)
        }
    }

    // MARK: Going on

    func submitBatch(_ call: BillCall, _ bills: any BillDesk) async throws(Problem) -> HttpResponse {
        var form = try Form(call.body)
        let count = try form.integer("count", in: 1...Int64(Int32.max))
        let total = try form.money("total")
        try form.end()
        let batch = try await batch(call, bills)
        return try await command(.submit(count: count.map { Int($0) }, total: total), batch, call, bills)
    }

    func continueBatch(_ call: BillCall, _ bills: any BillDesk) async throws(Problem) -> HttpResponse {
        var form = try Form(call.body)
        let credentials: InstrumentId? = try form.id("credentials")
        try form.end()
        return try await command(.resume(credentials: credentials), try await batch(call, bills), call, bills)
    }

    private func command(
        _ command: BillBatchCommand,
        _ batch: BillBatch,
        _ call: BillCall,
        _ bills: any BillDesk
    ) async throws(Problem) -> HttpResponse {
        let submitted = try await submit(
            try call.submission(
                StreamName(call.merchant, .billBatch, batch.id.uuid),
                command.name.rawValue,
                command.json,
                account: batch.head?.account
            )
        )
        return try await shown(batch.id, call, bills, submitted, done: 200)
    }

    private func shown(
        _ id: BillBatchId,
        _ call: BillCall,
        _ bills: any BillDesk,
        _ submitted: Submitted,
        done: Int
    ) async throws(Problem) -> HttpResponse {
        let found = try await read { () async throws(ReadFailure) in try await bills.batch(id, merchant: call.merchant)
        }
        var response: HttpResponse
        if let found, found.head != nil {
            response = BillBatchResource(found, try await accounts(of: call)).response(
                submitted.version == nil ? 202 : submitted.isReplay ? 200 : done
            )
        } else {
            response = .json(202, ["id": id.json, "object": "bill_batch"])
        }
        if submitted.isReplay { response.headers.set("Idempotent-Replayed", "true") }
        response.headers.set("Location", "/v1/bill-batches/\(id)")
        return response
    }

    // MARK: Reading

    func getBatch(_ call: BillCall, _ bills: any BillDesk) async throws(Problem) -> HttpResponse {
        let batch = try await batch(call, bills)
        let accounts = try await accounts(of: call)
        return try Preconditions.answer(call.request, version: batch.version) {
            BillBatchResource(batch, accounts).response(200)
        }
    }

    func listBatches(_ call: BillCall, _ bills: any BillDesk) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.request)
        let limit = try form.integer("limit", in: 1...Limits.pageRows) ?? Limits.pageRows
        try form.end()
        let rows = try await read { () async throws(ReadFailure) in
            try await bills.batches(limit: limit, merchant: call.merchant)
        }
        return Self.page(rows, next: nil)
    }

    func accounts(of call: BillCall) async throws(Problem) -> [Account] {
        try await read { () async throws(ReadFailure) in try await ports.reader.accounts(merchant: call.merchant) }
    }
}

/// Where in an upload something stands, counted from 1.
private struct UploadPlace {
    let page: Int
    let line: Int
}
