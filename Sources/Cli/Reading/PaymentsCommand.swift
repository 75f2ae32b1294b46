import Api
import Daemon
import EventSourcing
import Kernel
import Payments
import Projections
import Store
import SystemKit

/// `paystream payments`: what became of payments.
struct PaymentsCommand: Command {
    static let name = "payments"
    static let summary = "List and search payments, show one with its history, or note payers' addresses of before."
    static let usage = "[OPTIONS] list | search | show ID | index"
    static let options =
        [Self.merchantOption, Self.jsonOption] + PaymentListing.options
        + [
            CommandOption("limit", value: "N", summary: "rows at most, newest first (default: 20)"),
            CommandOption("cursor", value: "WORD", summary: "go on where an earlier list of the same options ended"),
        ]

    static let merchantOption = CommandOption("merchant", value: "NAME", summary: "whose (default: demo)")
    static let jsonOption = CommandOption("json", summary: "one JSON value per line, for programs")

    func run(arguments: [String]) async throws -> Int32 {
        try await PaymentReading(kind: .payment).run(arguments, Self.options)
    }
}

/// `paystream transfers`: what became of money that goes on to other cards.
struct TransfersCommand: Command {
    static let name = "transfers"
    static let summary = "List and search transfers to other cards, or show one with its operations and its history."
    static let usage = "[OPTIONS] list | search | show ID"
    static let options = PaymentsCommand.options

    func run(arguments: [String]) async throws -> Int32 {
        try await PaymentReading(kind: .transfer).run(arguments, Self.options)
    }
}

/// Lists and shows payments or transfers.
struct PaymentReading: Sendable {
    /// `.payment` or `.transfer`.
    let kind: StreamKind

    var isTransfer: Bool { kind == .transfer }
    var thing: String { isTransfer ? "transfer" : "payment" }

    func run(_ arguments: [String], _ options: [CommandOption]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: options)
        switch given.words.first {
        case "list", "search", nil:
            try given.demand(words: 1)
            return try await PaymentListing(reading: self).run(given)
        case "show":
            try given.demand(words: 2)
            guard given.words.count == 2 else {
                throw UsageError("name the \(thing), as in \(isTransfer ? "trf" : "pay")_…")
            }
            let text = given.words[1]
            guard let id = isTransfer ? TransferId(text)?.uuid : PaymentId(text)?.uuid else {
                throw UsageError("'\(text)' is no \(thing)'s id")
            }
            return try await show(id, given)
        case "index" where !isTransfer:
            try given.demand(words: 1)
            return try await index(given)
        case let verb?: throw UsageError("\(thing)s know no '\(verb)'; say 'list', 'search' or 'show ID'")
        }
    }

    // MARK: Addresses

    /// Notes the e-mail addresses of payments and transfers that were created before there was an index of them.
    private func index(_ given: ScatteredArguments) async throws -> Int32 {
        let line = ProgressLine("addresses")
        let told = try await StoreSession.with { session in
            let merchant = try await session.merchant(given["merchant"])
            let ring = try MasterKeyFile.read(session.configuration.masterKeyFile)
            let backfill = PayerBackfill(session.store, session.registers, ring, clock: { WallClock.now() })
            return try await backfill.run(merchant) { progress in
                line.tell("\(progress.payments) payments, \(progress.noted) addresses")
            }
        }
        line.end("addresses: \(told.payments) payments looked at")
        let (noted, closed) = (Int64(told.noted), Int64(told.closed))
        given.tell(
            "\(noted) addresses noted" + (closed > 0 ? ", \(closed) of erased payers left out" : ""),
            ["closed": .integer(closed), "noted": .integer(noted), "payments": .integer(Int64(told.payments))]
        )
        return 0
    }

    // MARK: List

    /// Rows of the read model as people read them.
    func table(_ rows: [Json]) -> String {
        var sums = [("TRANSFERRED", "transferred")]
        if !isTransfer {
            sums = [("CAPTURED", "captured"), ("REFUNDED", "refunded"), ("HELD", "held")]
            // Few payments are ever disputed.
            sums += [("DISPUTED", "disputed"), ("CHARGED BACK", "chargedBack")].filter { _, name in
                rows.contains { $0.at("amounts", name)?.integer ?? 0 > 0 }
            }
        }
        var table = ColumnTable(
            [thing.uppercased(), "STATUS", "MODE", "AMOUNT"] + sums.map(\.0) + ["REFERENCE", "ACCOUNT", "CREATED"],
            rightAligned: Set(3...3 + sums.count)
        )
        for row in rows {
            let amounts = row["amounts"]
            let cells = [
                Cell.text(row["id"]), Cell.text(row["status"]), Cell.text(row["mode"]), Cell.money(row["amount"]),
            ]
            table.add(
                cells + sums.map { Cell.sum(amounts, $0.1) } + [
                    Cell.text(row["reference"]),
                    "\(Cell.text(row.at("account", "name"))) (\(Cell.text(row.at("account", "mode"))))",
                    Cell.time(row["createdAt"]),
                ]
            )
        }
        return table.text(orSay: "no \(thing)s")
    }

    // MARK: Show

    private func show(_ id: Uuid, _ given: ScatteredArguments) async throws -> Int32 {
        let snapshot = try await StoreSession.with { session in
            let merchant = try await session.merchant(given["merchant"])
            return try await session.reader.payment(StreamName(merchant, kind, id), upTo: nil)
        }
        guard let snapshot else { throw CommandFailure("there is no \(thing) \(given.words[1])") }
        let shown = try Json(PaymentResource(snapshot).document)
        StandardStream.output.write(
            given.has("json") ? shown.canonicalText + "\n" : PaymentSheet.text(shown, snapshot.events)
        )
        return 0
    }
}

/// One payment on a page of text.
enum PaymentSheet {
    static func text(_ payment: Json, _ events: [RecordedEvent]) -> String {
        var text = facts(payment)
        let operations = payment["operations"]?.items ?? []
        if !operations.isEmpty { text += "\n" + self.operations(operations) }
        let obligations = payment["obligations"]?.items ?? []
        if !obligations.isEmpty { text += "\n" + self.obligations(obligations) }
        return text + "\n" + history(events)
    }

    private static func facts(_ payment: Json) -> String {
        let amounts = payment["amounts"]
        var facts: [(String, String)] = [
            (Cell.text(payment["object"]), Cell.text(payment["id"])), ("status", Cell.text(payment["status"])),
            ("mode", "\(Cell.text(payment["mode"])), \(Cell.text(payment["method"]))"),
            ("amount", Cell.money(payment["amount"])),
        ]
        for (name, member) in [
            ("authorized", "authorized"), ("held", "held"), ("captured", "captured"), ("released", "released"),
            ("refunded", "refunded"), ("transferred", "transferred"), ("disputed", "disputed"),
            ("charged back", "chargedBack"),
        ] {
            let sum = Cell.sum(amounts, member)
            if sum != "-" { facts.append((name, sum)) }
        }
        if let plan = payment["capturePlan"] { facts.append(("capturable", capturable(plan))) }
        for name in ["reference", "description", "customer"] {
            if let value = payment[name] { facts.append((name, Cell.text(value))) }
        }
        let account = payment["account"]
        facts += [
            (
                "account",
                "\(Cell.text(account?["name"])) at \(Cell.text(account?["provider"])) (\(Cell.text(account?["mode"])))"
            ),
            ("created", Cell.time(payment["createdAt"])), ("updated", Cell.time(payment["updatedAt"])),
        ]
        if let name = payment.at("attempt", "reference") {
            // By this one the provider's pages and cabinet know it.
            facts.append(("at provider", Cell.text(name)))
        }
        if let next = payment["nextAction"] { facts.append(("next action", nextAction(next, payment))) }
        return Sheet.lines(facts)
    }

    /// What is left of a hold, and how it can be taken.
    private static func capturable(_ plan: Json) -> String {
        if plan["final"]?.flag == true { return "nothing more" }
        let ways = [
            plan["partial"]?.flag == true ? "in part" : "as a whole alone",
            plan["multiple"]?.flag == true ? "in several captures" : "in one capture",
        ]
        let end = plan["until"].map { ", until \(Cell.time($0))" } ?? ""
        let refusal = plan["refusal"].map { " (\(Cell.text($0)))" } ?? ""
        return "\(Cell.sum(plan, "capturable"))\(refusal), \(ways.joined(separator: ", "))\(end)"
    }

    /// Who does what next, and where it is asked for.
    private static func nextAction(_ action: Json, _ payment: Json) -> String {
        let what =
            switch try? PayerAction(Fields(action)) {
            case .handover?: "the payer opens the page, or the app its SDK"
            case .threeDSecure?: "the payer confirms at their bank (3-D Secure)"
            case .redirect?: "the payer goes on at the provider's address"
            case .clarify(let fields)?: "the payer gives \(fields.joined(separator: ", "))"
            case .retryInForm?: "the payer may try again on the same page"
            case .customerAction?: "the payer acts at the provider"
            case .approval?: "the provider approves; nothing to do but wait"
            case nil: Cell.words(action["is"])
            }
        return "\(what); GET /v1/\(Cell.text(payment["object"]))s/\(Cell.text(payment["id"]))/next-action"
    }

    private static func operations(_ operations: [Json]) -> String {
        var table = ColumnTable(
            ["OPERATION", "KIND", "STATE", "ASKED", "BOOKED", "ORIGIN", "REQUESTED"],
            rightAligned: [3, 4]
        )
        for operation in operations {
            table.add([
                Cell.text(operation["id"]), Cell.text(operation["kind"]), Cell.text(operation["state"]),
                Cell.money(operation["amount"]), Cell.money(operation["booked"]), Cell.text(operation["origin"]),
                Cell.time(operation["requestedAt"]),
            ])
        }
        return table.text
    }

    private static func obligations(_ obligations: [Json]) -> String {
        var table = ColumnTable(["OWED", "OWNER", "NEXT STEP", "DEADLINE", "REASON"])
        for obligation in obligations {
            table.add([
                Cell.text(obligation["kind"]), Cell.text(obligation["owner"]), Cell.words(obligation["nextStep"]),
                Cell.time(obligation["deadline"]), Cell.text(obligation["reason"]),
            ])
        }
        return table.text
    }

    private static func history(_ events: [RecordedEvent]) -> String {
        var table = ColumnTable(["VERSION", "RECORDED", "EVENT"], rightAligned: [0])
        for event in events { table.add([String(event.version), Cell.time(event.recordedAt.json), event.type]) }
        return table.text
    }
}
