import Crypto
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit

extension Api {
    // MARK: Making

    func createBatch(_ call: Call) async throws(Problem) -> HttpResponse {
        let submission = try await newBatch(call)
        return try await shown(BillBatchId(submission.stream.id), call, try await submit(submission), done: 201)
    }

    /// Reads the head of a new batch.
    func newBatch(_ call: Call) async throws(Problem) -> Submission {
        var form = try Form(call.body)
        let made: BillBatchId? = try form.madeId()
        let name = try form.needed("account", bytes: AccountConfiguration.nameCharacters)
        let instrument: InstrumentId? = try form.id("instrument")
        let credentials: InstrumentId = try form.neededId("credentials")
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
        let command = BillBatchCommand.create(head)
        let id = made ?? DerivedNames.billBatch(createdBy: call.inputId)
        return call.submission(
            StreamName(call.merchant, .billBatch, id.uuid),
            command.name.rawValue,
            command.canonical,
            account: account.id
        )
    }

    /// An account that pays bills and takes new cards and logins.
    func openBillAccount(_ name: String, _ call: Call) async throws(Problem) -> AccountFacts {
        let (facts, _) = try await billTerms(name, call)
        guard try await account(named: name, call)?.isOpen == true else {
            throw Problem(.accountClosed, "The account was closed.", path: "account")
        }
        return facts
    }

    /// An account that pays bills, and how it does; a new batch at a closed one is refused in its decision.
    func billTerms(_ name: String, _ call: Call) async throws(Problem) -> (AccountFacts, BillTerms) {
        guard let account = try await account(named: name, call), let facts = account.facts,
            let configuration = account.configuration
        else { throw Problem(.accountUnknown, "There is no such account.", path: "account") }
        guard let bills = adapters[facts.provider]?.bills else {
            throw Problem(.billsNotTaken, "This provider takes no bills in bulk.", path: "account")
        }
        do throws(SettingsFailure) {
            return (facts, try bills.terms(AccountSettings(facts, configuration.settings)))
        } catch {
            throw Problem(.settingsInvalid, "The account's settings: \(error.reason).", path: "account")
        }
    }

    // MARK: Uploading

    /// Takes an upload while it comes in, page by page; what was taken stays taken, and comes again without harm.
    func upload(_ call: Call) async throws(Problem) -> HttpResponse {
        guard let type = call.headers.mediaType, HttpHeaders.isSame(type, "application/x-ndjson") else {
            throw Problem(.mediaTypeUnsupported, "The body is application/x-ndjson.", path: "Content-Type")
        }
        var query = try QueryForm(call.query)
        let first = try query.integer("page", in: 1...BillBatch.mostPages) ?? 1
        try query.end()
        let batch = try await batch(call)
        guard let head = batch.head else { throw .unknownBatch }
        var pager = BillPager()
        var number = first
        var line = 1
        func take(_ bytes: [UInt8]) async throws(Problem) {
            let at = UploadPlace(page: number, line: line)
            try check(bytes, head, at)
            let page = BillPageInput(batch: batch.id, number: number, bytes: bytes, bills: 0)
            let (input, mac) = page.input(call.merchant, call.actor, at: now)
            try check(await commands.take(input, macs: [mac]), at)
            number += 1
            line += bytes.count { $0 == 0x0A }
        }
        while let piece = try await piece(of: call.upload) {
            for page in pager.take(piece) { try await take(page) }
        }
        if let rest = pager.end() { try await take(rest) }
        let after = try await self.batch(call)
        return BillBatchResource(after, try await accounts(call)).response(200)
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

    /// Refuses what was not taken of an upload.
    private func check(_ outcome: CommandResult, _ at: UploadPlace) throws(Problem) {
        switch outcome {
        case .accepted, .pending: return
        case .rejected(let code, let detail, _):
            throw Problem(
                status: 422,
                code: code,
                detail: detail["detail"]?.text ?? "",
                members: [("page", .integer(Int64(at.page)))] + Problem.path(of: detail)
            )
        case .keyConflict: throw Problem(.idempotencyConflict, "Page \(at.page) was taken with other bytes.")
        case .idTaken: throw .idTaken
        case .unavailable(let detail): throw .unavailable(detail)
        }
    }

    // MARK: Going on

    func submitBatch(_ call: Call) async throws(Problem) -> HttpResponse {
        let wanted = try BillBatchCommand.submit(call.body)
        return try await command(wanted, try await batch(call), call)
    }

    /// The same from the SQL entrance, where the batch may be made by a command before it.
    func storedSubmission(_ call: Call) async throws(Problem) -> Submission {
        let wanted = try BillBatchCommand.submit(call.body)
        let stream = StreamName(call.merchant, .billBatch, try call.batchId().uuid)
        return call.submission(stream, wanted.name.rawValue, wanted.canonical)
    }

    func continueBatch(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try Form(call.body)
        let credentials: InstrumentId? = try form.id("credentials")
        try form.end()
        return try await command(.resume(credentials: credentials), try await batch(call), call)
    }

    private func command(
        _ command: BillBatchCommand,
        _ batch: BillBatch,
        _ call: Call
    ) async throws(Problem) -> HttpResponse {
        let submitted = try await submit(
            call.submission(
                StreamName(call.merchant, .billBatch, batch.id.uuid),
                command.name.rawValue,
                command.canonical,
                account: batch.head?.account
            )
        )
        return try await shown(batch.id, call, submitted, done: 200)
    }

    private func shown(
        _ id: BillBatchId,
        _ call: Call,
        _ submitted: Submitted,
        done: Int
    ) async throws(Problem) -> HttpResponse {
        let found = try await reader.batch(id, merchant: call.merchant)
        var response = HttpResponse.json(202, ["id": id.json, "object": "bill_batch"])
        if let found, found.head != nil {
            response = BillBatchResource(found, try await accounts(call)).response(submitted.status(done))
        }
        return response.marked(submitted).with("Location", "/v1/bill-batches/\(id)")
    }

    // MARK: Reading

    func getBatch(_ call: Call) async throws(Problem) -> HttpResponse {
        let batch = try await batch(call)
        let accounts = try await accounts(call)
        return try Preconditions.answer(call.headers, version: batch.version) {
            BillBatchResource(batch, accounts).response(200)
        }
    }

    func listBatches(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.query)
        let limit = try form.integer("limit", in: 1...Limits.pageRows) ?? Limits.pageRows
        let seal = seal(of: form, call)
        let behind = try form.cursor(seal)
        try form.end()
        let found = try await asked { () async throws(StoreFailure) in
            try await reader.tables.batches(behind: behind, limit: limit, merchant: call.merchant)
        }
        return Self.page(found.rows, next: found.next.map(seal.text))
    }
}

extension Api {
    /// A batch as it is now.
    func batch(_ call: Call) async throws(Problem) -> BillBatch {
        let id = try call.batchId()
        let found = try await reader.batch(id, merchant: call.merchant)
        guard let found, found.head != nil else { throw .unknownBatch }
        return found
    }
}

extension Call {
    func batchId() throws(Problem) -> BillBatchId {
        guard let id = path["batch"].flatMap({ BillBatchId($0) }) else { throw .unknownBatch }
        return id
    }
}

extension Problem {
    static var unknownBatch: Problem { Problem(.billBatchUnknown, "There is no such batch.") }
}

extension BillBatchCommand {
    /// `POST …/submit`: what the client counted.
    fileprivate static func submit(_ body: Json) throws(Problem) -> BillBatchCommand {
        var form = try Form(body)
        let count = try form.integer("count", in: 1...Int64(Int32.max))
        let total = try form.money("total")
        try form.end()
        return .submit(count: count.map { Int($0) }, total: total)
    }
}

/// Where in an upload something stands, counted from 1.
private struct UploadPlace {
    let page: Int
    let line: Int
}

extension FormSchema {
    private static let instrument: Json = "ins_01900000000070008000000000000001"
    private static let credentials: Json = "ins_01900000000070008000000000000002"

    static let createBillBatch = FormSchema(
        "CreateBillBatch",
        Schema.closed(
            [
                ("id", Schema.madeId("bat")), ("account", Schema.text("The account's name.", atMost: 64)),
                ("instrument", Schema.id("ins", "The saved card; an app may bring its own.")),
                ("credentials", Schema.id("ins", "What stands for the user's password.")),
                ("customer", Schema.text(atMost: Limits.identifierBytes)),
                ("reference", Schema.text(atMost: Limits.referenceBytes)), ("wallet", Schema.flag),
            ],
            required: ["account", "credentials"]
        ),
        example: [
            "account": "portmone-uah", "instrument": instrument, "credentials": credentials, "customer": "cust-7",
        ]
    )

    static let submitBillBatch = FormSchema(
        "SubmitBillBatch",
        Schema.closed(
            [("count", Schema.integer(from: 1, to: Int64(Int32.max))), ("total", Schema.ref("Money"))],
            "What the client counted; anything else than what was taken is refused."
        ),
        example: ["count": 2]
    )

    static let continueBillBatch = FormSchema("ContinueBillBatch", Schema.closed([("credentials", Schema.id("ins"))]))
}
