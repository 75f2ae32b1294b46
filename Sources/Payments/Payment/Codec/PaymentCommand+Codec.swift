package import EventSourcing
package import Kernel

extension PaymentCommand {
    /// The body of the command's input, as it is stored.
    package var json: Json {
        switch self {
        case .create(let terms): terms.json
        case .adopt(let terms, let debit): ["debit": debit.json, "terms": terms.json]
        case .confirm(let meaning, let code, let concern, let receipt, let completion):
            .compact([
                ("code", .string(code)), ("completion", completion), ("concern", concern.map { .string($0.rawValue) }),
                ("meaning", .string(meaning)), ("receipt", receipt?.json),
            ])
        case .capture(let amount, let reason, let details):
            .compact([("amount", amount?.json), ("details", details), ("reason", reason.map(Json.string))])
        case .void(let amount, let reason):
            .compact([("amount", amount?.json), ("reason", reason.map(Json.string))])
        case .refund(let amount, let capture, let reason, let details):
            .compact([
                ("amount", amount?.json), ("capture", capture?.json), ("details", details),
                ("reason", reason.map(Json.string)),
            ])
        case .completeDelivery(let details): .compact([("details", details)])
        case .sync: [:]
        case .recordDispute(let id, let capture, let amount, let stage, let reason, let answerBy):
            .compact([
                ("amount", amount.json), ("answerBy", answerBy?.json), ("capture", capture?.json), ("id", id.json),
                ("reason", reason.map(Json.string)), ("stage", .string(stage.rawValue)),
            ])
        case .addEvidence(let text): ["evidence": .string(text)]
        case .propose(let verdict, let evidence, let seen):
            ["evidence": .string(evidence), "seenVersion": .integer(Int64(seen)), "verdict": verdict.json]
        case .approve(let proposal, let seen):
            ["proposal": proposal.json, "seenVersion": .integer(Int64(seen))]
        }
    }

    /// Reads a stored command.
    package init(name: Name, _ json: Json) throws(CodecFailure) {
        let fields = Fields(json)
        switch name {
        case .create: self = .create(try PaymentTerms(fields))
        case .adopt:
            self = .adopt(try PaymentTerms(fields.fields("terms")), try SeriesDebit(fields.fields("debit")))
        case .confirm:
            self = .confirm(
                meaning: try fields.text("meaning"),
                code: try fields.text("code"),
                concern: try fields.optionalWord("concern"),
                receipt: json["receipt"] == nil ? nil : try Receipt(fields.fields("receipt")),
                completion: json["completion"]
            )
        case .capture:
            self = .capture(
                amount: try fields.optionalMoney("amount"),
                reason: try fields.optionalText("reason"),
                details: json["details"]
            )
        case .void: self = .void(amount: try fields.optionalMoney("amount"), reason: try fields.optionalText("reason"))
        case .refund:
            self = .refund(
                amount: try fields.optionalMoney("amount"),
                capture: try fields.optionalId("capture"),
                reason: try fields.optionalText("reason"),
                details: json["details"]
            )
        case .completeDelivery: self = .completeDelivery(details: json["details"])
        case .sync: self = .sync
        case .recordDispute:
            self = .recordDispute(
                id: try fields.id("id"),
                capture: try fields.optionalId("capture"),
                amount: try fields.money("amount"),
                stage: try fields.word("stage"),
                reason: try fields.optionalText("reason"),
                answerBy: try fields.optionalTime("answerBy")
            )
        case .addEvidence: self = .addEvidence(try fields.text("evidence"))
        case .propose:
            self = .propose(
                try Resolution.Verdict(fields.fields("verdict")),
                evidence: try fields.text("evidence"),
                seenVersion: try fields.int32("seenVersion")
            )
        case .approve:
            self = .approve(proposal: try fields.uuid("proposal"), seenVersion: try fields.int32("seenVersion"))
        }
    }
}
