package import EventSourcing
package import Kernel

extension PaymentCommand {
    /// The body of the command's input, as it is stored.
    package func write(into out: inout JsonText) {
        switch self {
        case .create(let terms): terms.write(into: &out)
        case .adopt(let terms, let debit):
            out.member("debit", debit)
            out.member("terms", terms)
        case .confirm(let meaning, let code, let concern, let receipt, let completion):
            out.member("code", code)
            out.member("completion", completion)
            out.member("concern", concern)
            out.member("meaning", meaning)
            out.member("receipt", receipt?.json)
        case .capture(let amount, let reason, let details):
            out.member("amount", amount)
            out.member("details", details)
            out.member("reason", reason)
        case .void(let amount, let reason):
            out.member("amount", amount)
            out.member("reason", reason)
        case .refund(let amount, let capture, let reason, let details):
            out.member("amount", amount)
            out.member("capture", capture)
            out.member("details", details)
            out.member("reason", reason)
        case .completeDelivery(let details): out.member("details", details)
        case .sync: break
        case .recordDispute(let id, let capture, let amount, let stage, let reason, let answerBy):
            out.member("amount", amount)
            out.member("answerBy", answerBy)
            out.member("capture", capture)
            out.member("id", id)
            out.member("reason", reason)
            out.member("stage", stage)
        case .addEvidence(let text): out.member("evidence", text)
        case .propose(let verdict, let evidence, let seen):
            out.member("evidence", evidence)
            out.member("seenVersion", seen)
            out.member("verdict", verdict)
        case .approve(let proposal, let seen):
            out.member("proposal", proposal)
            out.member("seenVersion", seen)
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
