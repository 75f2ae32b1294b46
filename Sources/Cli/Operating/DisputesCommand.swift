import Api
import EventSourcing
import Kernel
import Payments
import Projections
import Store
import SystemKit

/// `paystream disputes`: what payers' banks took back, recorded by a person or from a file.
struct DisputesCommand: Command {
    static let name = "disputes"
    static let summary = "List open disputes, record one or its end, import a file of them; files for the bank."
    static let usage =
        "[OPTIONS] list | open CASE PAYMENT AMOUNT CURRENCY | won CASE PAYMENT | lost CASE PAYMENT "
        + "[AMOUNT CURRENCY] | import FILE | files PAYMENT DISPUTE | attach PAYMENT DISPUTE FILE "
        + "| save PAYMENT DISPUTE FILE-ID NEW-FILE"
    static let options = [
        PaymentsCommand.merchantOption, PaymentsCommand.jsonOption,
        CommandOption("reason", value: "TEXT", summary: "kept with the dispute"),
        CommandOption("answer-by", value: "TIME", summary: "with open: until when to answer, as 2026-12-01T12:00:00Z"),
        CommandOption("name", value: "TEXT", summary: "with attach: what the file is called (default: its own name)"),
        CommandOption("limit", value: "N", summary: "rows at most, newest first (default: 20)"),
        CommandOption("wait", value: "SECONDS", summary: "wait so long for the outcome (default: 10)"),
    ]
    static let notes = """
        A dispute has at most \(DisputeEvidence.perDispute) files of \(Limits.evidenceFileBytes / 1024) KiB: PDF, PNG, JPEG or text. They are kept sealed, and whoever saves one
        is recorded. 'files', 'attach' and 'save' ask the daemon that PAYSTREAM_URL and PAYSTREAM_KEY name, for that key's
        merchant; saving needs the scope 'audit'.
        """

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        let words = given.words
        switch words.first {
        case "list", nil:
            try given.demand(words: 1)
            return try await list(given)
        case "import":
            guard words.count == 2 else { throw UsageError("name the file: one JSON object a line") }
            return try await take(file: words[1], given)
        case "open", "won", "lost":
            return try await record([try DisputeLine(words, given["reason"], given["answer-by"])], given)
        case "files": return try await files(given)
        case "attach": return try await attach(given)
        case "save": return try await save(given)
        case let verb?: throw UsageError("disputes know no '\(verb)'; 'paystream disputes --help' lists the verbs")
        }
    }

    private func list(_ given: ScatteredArguments) async throws -> Int32 {
        var filter = PaymentQuery(nil)
        filter.isDisputed = true
        filter.limit = try given.integer("limit", in: 1...10_000) ?? filter.limit
        let narrowed = filter
        let (rows, next) = try await StoreSession.with { session in
            try await session.views.payments.list(narrowed, merchant: try await session.merchant(given["merchant"]))
        }
        if given.has("json") {
            for row in rows { StandardStream.output.write(row.canonicalText + "\n") }
        } else {
            StandardStream.output.write(Self.table(rows))
        }
        if next != nil { StandardStream.error.write("there are more; --limit shows them\n") }
        return 0
    }

    static func table(_ rows: [Json]) -> String {
        var table = ColumnTable(
            ["PAYMENT", "DISPUTE", "STAGE", "AMOUNT", "OPENED", "ANSWER BY", "REASON"],
            rightAligned: [3]
        )
        for row in rows {
            for dispute in row["disputes"]?.items ?? [] {
                table.add([
                    Cell.text(row["id"]), Cell.text(dispute["id"]), Cell.text(dispute["stage"]),
                    Cell.money(dispute["amount"]), Cell.time(dispute["at"]), Cell.time(dispute["answerBy"]),
                    Cell.text(dispute["reason"]),
                ])
            }
        }
        return table.text(orSay: "no open disputes")
    }

    // MARK: Recording

    private func take(file: String, _ given: ScatteredArguments) async throws -> Int32 {
        guard let bytes = SmallFile.read(file) else { throw UsageError("'\(file)' can't be read") }
        var lines: [DisputeLine] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            do { lines.append(try DisputeLine(json: try Json(Array(line)))) } catch {
                throw UsageError("line \(index + 1): \(FailureText.of(error))")
            }
        }
        return try await record(lines, given)
    }

    /// By the SQL entrance; the keys come from the cases, so that the same file twice is once.
    private func record(_ lines: [DisputeLine], _ given: ScatteredArguments) async throws -> Int32 {
        let wait = Duration.seconds(try given.integer("wait", in: 0...3600) ?? 10)
        return try await StoreSession.with { session in
            let merchant = given["merchant"] ?? standardMerchant
            let number = try await session.merchant(merchant)
            var ids: [Uuid] = []
            for line in lines {
                ids.append(
                    try await session.enqueue(
                        PaymentCommand.Name.recordDispute.rawValue,
                        key: line.key,
                        body: line.body(number).canonical,
                        merchant: merchant
                    )
                )
            }
            var code: Int32 = 0
            for id in ids { code = max(code, try await EnqueueCommand.report(id, number, wait, session, given)) }
            return code
        }
    }
}

/// One dispute as a person or a file names it: by the case number of the provider or the bank.
struct DisputeLine: Hashable, Sendable {
    let caseNumber: String
    let payment: String
    let stage: Dispute.Stage
    let amount: Money?
    let reason: String?
    let answerBy: Timestamp?

    init(_ words: [String], _ reason: String?, _ answerBy: String? = nil) throws {
        guard let stage = words.first.flatMap({ $0 == "open" ? .opened : Dispute.Stage(rawValue: $0) }) else {
            throw UsageError("say 'open', 'won' or 'lost'")
        }
        guard words.count == 3 || words.count == 5 else {
            throw UsageError("give the case, the payment and, for a new one, its amount and currency")
        }
        var amount: Money?
        if words.count == 5 {
            guard let currency = Currency(words[4]), let money = try? Money(written: words[3], currency) else {
                throw UsageError("'\(words[3]) \(words[4])' is no amount")
            }
            amount = money
        }
        try self.init(
            caseNumber: words[1],
            payment: words[2],
            stage: stage,
            amount: amount,
            reason: reason,
            answerBy: answerBy
        )
    }

    /// Reads a line of a file: `{"case", "payment", "stage"?, "amount"?: {"value", "currency"}, "reason"?, "answerBy"?}`.
    init(json: Json) throws {
        let known: Set<String> = ["case", "payment", "stage", "amount", "reason", "answerBy"]
        if let odd = json.members?.names.first(where: { !known.contains($0) }) {
            throw UsageError("there is no member '\(odd)'")
        }
        guard let caseNumber = json["case"]?.text, let payment = json["payment"]?.text else {
            throw UsageError("case and payment are needed")
        }
        guard let stage = Dispute.Stage(rawValue: json["stage"]?.text ?? Dispute.Stage.opened.rawValue) else {
            throw UsageError("stage is opened, won or lost")
        }
        var amount: Money?
        if let given = json["amount"] {
            guard let currency = given["currency"]?.text.flatMap({ Currency($0) }), let minor = given["value"]?.integer
            else { throw UsageError("amount is {\"value\": minor units, \"currency\": code}") }
            amount = Money(minor, currency)
        }
        try self.init(
            caseNumber: caseNumber,
            payment: payment,
            stage: stage,
            amount: amount,
            reason: json["reason"]?.text,
            answerBy: json["answerBy"]?.text
        )
    }

    private init(
        caseNumber: String,
        payment: String,
        stage: Dispute.Stage,
        amount: Money?,
        reason: String?,
        answerBy: String?
    ) throws {
        if let answerBy {
            guard stage == .opened, let time = Timestamp(answerBy) else {
                throw UsageError("a new dispute is answered by a time, as 2026-12-01T12:00:00Z")
            }
            self.answerBy = time
        } else {
            self.answerBy = nil
        }
        guard PaymentId(payment) != nil else { throw UsageError("'\(payment)' is no payment's id") }
        guard !caseNumber.isEmpty, caseNumber.utf8.count <= 128,
            caseNumber.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw UsageError("a case has 1 to 128 printable ASCII characters without spaces") }
        if stage == .opened, amount == nil { throw UsageError("a new dispute needs its amount and currency") }
        self.caseNumber = caseNumber
        self.payment = payment
        self.stage = stage
        self.amount = amount
        self.reason = reason
    }

    /// Each stage of a case is recorded once.
    var key: String { "dispute:\(caseNumber):\(stage.rawValue)" }

    /// The command's body; an end names the dispute that the same case opened.
    func body(_ merchant: MerchantNumber) -> Json {
        let opening = DerivedNames.input(merchant, key: "dispute:\(caseNumber):\(Dispute.Stage.opened.rawValue)")
        let dispute = stage == .opened ? nil : DerivedNames.dispute(openedBy: opening).json
        return .compact([
            ("payment", .string(payment)), ("stage", .string(stage.rawValue)), ("dispute", dispute),
            ("amount", amount?.json), ("reason", reason.map(Json.string)), ("answerBy", answerBy?.json),
        ])
    }
}
