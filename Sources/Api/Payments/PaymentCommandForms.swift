import EventSourcing
import Http
import Kernel
import Payments

extension PaymentCommand {
    /// `POST …/capture`: an amount, or all that is held.
    static func capture(_ body: Json) throws(Problem) -> PaymentCommand {
        var form = try Form(body)
        let amount = try form.positiveMoney("amount")
        let reason = try form.text("reason", characters: Limits.descriptionCharacters)
        let details = try form.details()
        try form.end()
        return .capture(amount: amount, reason: reason, details: details)
    }

    /// `POST …/void`: an amount, or all of it.
    static func void(_ body: Json) throws(Problem) -> PaymentCommand {
        var form = try Form(body)
        let amount = try form.positiveMoney("amount")
        let reason = try form.text("reason", characters: Limits.descriptionCharacters)
        try form.end()
        return .void(amount: amount, reason: reason)
    }

    /// `POST …/refund`: an amount or all of it, of one capture or of the first with room.
    static func refund(_ body: Json) throws(Problem) -> PaymentCommand {
        var form = try Form(body)
        let amount = try form.positiveMoney("amount")
        let capture: OperationId? = try form.id("capture")
        let reason = try form.text("reason", characters: Limits.descriptionCharacters)
        let details = try form.details()
        try form.end()
        return .refund(amount: amount, capture: capture, reason: reason, details: details)
    }

    /// `POST …/complete-delivery`.
    static func completeDelivery(_ body: Json) throws(Problem) -> PaymentCommand {
        var form = try Form(body)
        let details = try form.details()
        try form.end()
        return .completeDelivery(details: details)
    }

    static func sync(_ body: Json) throws(Problem) -> PaymentCommand {
        try Form(body).end()
        return .sync
    }

    /// `POST …/disputes`.
    static func dispute(_ body: Json, _ id: DisputeId) throws(Problem) -> PaymentCommand {
        var form = try Form(body)
        guard let amount = try form.positiveMoney("amount") else { throw form.missing("amount") }
        let capture: OperationId? = try form.id("capture")
        let reason = try form.text("reason", characters: Limits.descriptionCharacters)
        let answerBy = try form.time("answerBy")
        try form.end()
        return .recordDispute(
            id: id,
            capture: capture,
            amount: amount,
            stage: .opened,
            reason: reason,
            answerBy: answerBy
        )
    }

    /// `POST …/disputes/{dispute}/won` and `…/lost`: the disputed amount, or a part of it that was lost.
    static func endDispute(_ body: Json, _ dispute: Dispute, _ stage: Dispute.Stage) throws(Problem) -> PaymentCommand {
        var form = try Form(body)
        let amount = try form.positiveMoney("amount")
        let reason = try form.text("reason", characters: Limits.descriptionCharacters)
        try form.end()
        return .recordDispute(
            id: dispute.id,
            capture: dispute.capture,
            amount: amount ?? dispute.amount,
            stage: stage,
            reason: reason
        )
    }

    /// `POST …/evidence`.
    static func evidence(_ body: Json) throws(Problem) -> PaymentCommand {
        var form = try Form(body)
        let text = try form.needed("evidence", bytes: Limits.evidenceBytes)
        try form.end()
        return .addEvidence(text)
    }

    /// `POST …/resolutions`.
    static func proposal(_ body: Json) throws(Problem) -> PaymentCommand {
        var form = try Form(body)
        guard let verdict = form.value("verdict") else { throw form.missing("verdict") }
        let evidence = try form.needed("evidence", bytes: Limits.evidenceBytes)
        let seen = try form.seenVersion()
        try form.end()
        return .propose(try Resolution.Verdict(form: verdict), evidence: evidence, seenVersion: seen)
    }

    /// `POST …/resolutions/{resolution}/approve`.
    static func approval(_ body: Json, of proposal: Uuid) throws(Problem) -> PaymentCommand {
        var form = try Form(body)
        let seen = try form.seenVersion()
        try form.end()
        return .approve(proposal: proposal, seenVersion: seen)
    }
}

/// The forms of commands to a payment in the document.
extension FormSchema {
    private static var amount: Json { Schema.ref("PositiveMoney") }
    private static var reason: Json { Schema.text("Kept with the operation.", atMost: Limits.descriptionCharacters) }
    private static var seenVersion: Json { Schema.integer(from: 1, to: Int64(Int32.max)) }
    private static let parcel: Json = ["amount": ["value": 500, "currency": "EUR"], "reason": "first parcel"]

    private static var details: Json {
        [
            "type": "object", "additionalProperties": true,
            "description": "By the schema of the payment's provider, as the positions that are meant.",
        ]
    }

    private static let part = Schema.closed(
        [("amount", amount), ("reason", reason)],
        "Without an amount: all that is left."
    )

    static let void = FormSchema("Part", part)
    static let endDispute = FormSchema("EndDispute", part)

    static let claim = FormSchema(
        "Claim",
        [
            "type": "object", "additionalProperties": true,
            "description": "By the schema of the provider's SDK: what it said. A claim decides nothing.",
        ],
        example: ["sdk": "android", "code": 0]
    )

    static let capture = FormSchema(
        "Capture",
        Schema.closed(
            [("amount", amount), ("details", details), ("reason", reason)],
            "Without an amount: all that is held."
        ),
        example: parcel
    )

    static let refund = FormSchema(
        "Refund",
        Schema.closed(
            [
                ("amount", amount), ("capture", Schema.id("op", "Which capture; otherwise the first with room.")),
                ("details", details), ("reason", reason),
            ],
            "Without an amount: all that is left of the capture."
        ),
        example: parcel
    )

    static let delivery = FormSchema(
        "Delivery",
        Schema.closed(
            [("details", Schema.details)],
            "Where the account's provider takes such a request: that all which was sold is delivered. It moves no money."
        )
    )

    static let openDispute = FormSchema(
        "OpenDispute",
        Schema.closed(
            [
                ("amount", amount), ("capture", Schema.id("op")), ("reason", reason), ("answerBy", Schema.time),
            ],
            required: ["amount"],
            "By answerBy the merchant's answer has to be with the provider or the bank; it is owed until then."
        ),
        example: [
            "amount": ["value": 500, "currency": "EUR"], "reason": "not received", "answerBy": "2026-12-01T12:00:00Z",
        ]
    )

    static let evidence = FormSchema(
        "AddEvidence",
        Schema.closed(
            [("evidence", Schema.text("What was found out beside the log.", atMost: Limits.evidenceBytes))],
            required: ["evidence"],
            "It stays with the payment and decides nothing; proposals that were made before are stale."
        ),
        example: ["evidence": "The statement of 27 January shows the debit."]
    )

    static let proposal = FormSchema(
        "Proposal",
        Schema.closed(
            [
                ("verdict", Schema.ref("Verdict")),
                ("evidence", Schema.text("What the person has seen.", atMost: Limits.evidenceBytes)),
                ("seenVersion", seenVersion),
            ],
            required: ["verdict", "evidence", "seenVersion"]
        ),
        example: [
            "verdict": ["is": "acknowledged"], "evidence": "The provider's cabinet shows one charge.",
            "seenVersion": 9,
        ]
    )

    static let approval = FormSchema(
        "Approval",
        Schema.closed([("seenVersion", seenVersion)], required: ["seenVersion"]),
        example: ["seenVersion": 9]
    )
}

/// The words of `verdict.is`.
package enum VerdictWord: String, CaseIterable {
    case succeeded, failed, sendAgain, acknowledged, attemptDead
}

extension Resolution.Verdict {
    static let schema = Schema.closed(
        [
            ("is", Schema.words(VerdictWord.self)), ("operation", Schema.id("op")), ("amount", Schema.ref("Money")),
        ],
        required: ["is"],
        "succeeded names operation and amount, failed and sendAgain an operation, the others nothing."
    )

    fileprivate init(form json: Json) throws(Problem) {
        var form = try Form(json, at: "verdict")
        guard let word: VerdictWord = try form.word("is") else { throw form.missing("is") }
        switch word {
        case .succeeded:
            let operation: OperationId = try form.neededId("operation")
            guard let amount = try form.money("amount") else { throw form.missing("amount") }
            self = .succeeded(operation, amount)
        case .failed: self = .failed(try form.neededId("operation"))
        case .sendAgain: self = .sendAgain(try form.neededId("operation"))
        case .acknowledged: self = .acknowledged
        case .attemptDead: self = .attemptDead
        }
        try form.end()
    }
}

extension Form {
    mutating func positiveMoney(_ name: String) throws(Problem) -> Money? {
        guard let amount = try money(name) else { return nil }
        try amount.checkPositive(at: path.appending(name).appending("value").description)
        return amount
    }

    /// An object whose schema is the adapter's.
    fileprivate mutating func details() throws(Problem) -> Json? {
        guard let details = value("details") else { return nil }
        try FreeForm.check(details, at: "details")
        return details
    }
}
