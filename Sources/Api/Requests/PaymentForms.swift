import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import Schedules

/// `POST /v1/payments` or `POST /v1/transfers`, read and checked as far as no account is known yet.
struct CreatePaymentForm {
    let mode: PaymentMode
    let method: PaymentMethod
    let amount: Money?
    let reference: String?
    let description: String?
    let customer: String?
    let instrument: InstrumentId?
    let account: String?
    let provider: String?
    let country: String?
    let accountMode: AccountFacts.Mode?
    let recurring: RecurringTerms?
    let expiresAt: Timestamp?
    let details: Json
    let metadata: Json
    /// The schedule that this payment activates.
    let schedule: ScheduleId?

    /// How long a payment is open where the client names no end.
    static let standardLifetime = Duration.seconds(86_400)

    init(_ body: Json, _ kind: StreamKind) throws(Problem) {
        var form = try Form(body)
        mode = try Self.mode(&form, kind)
        method = try form.word("method") ?? (mode == .transfer ? .sdk : .hosted)
        amount = try Self.amount(&form, mode)
        reference = try form.text("reference", bytes: Limits.referenceBytes)
        description = try form.text("description", characters: Limits.descriptionCharacters)
        customer = try form.text("customer", bytes: Limits.identifierBytes)
        instrument = try form.id("instrument")
        account = try form.text("account", bytes: AccountConfiguration.nameCharacters)
        provider = try form.text("provider", bytes: Limits.identifierBytes)
        country = try form.country("country")
        accountMode = try form.word("accountMode")
        recurring = try Self.recurring(form.value("recurring"))
        expiresAt = try form.time("expiresAt")
        details = form.value("details") ?? [:]
        try FreeForm.check(details, at: "details")
        metadata = try FreeForm.labels(form.value("metadata"), at: "metadata")
        schedule = kind == .payment ? try form.id("schedule") : nil
        try form.end()
        if method == .instrument, instrument == nil {
            throw Problem(.instrumentMissing, "This method needs a saved instrument.", path: "instrument")
        }
    }

    /// A transfer's mode goes without saying, and no payment has it.
    private static func mode(_ form: inout Form, _ kind: StreamKind) throws(Problem) -> PaymentMode {
        guard kind != .transfer else { return .transfer }
        guard let mode: PaymentMode = try form.word("mode") else { throw form.missing("mode") }
        guard mode != .transfer else {
            throw Problem(.wordUnknown, "A transfer is created at /v1/transfers.", path: form.place("mode"))
        }
        return mode
    }

    private static func recurring(_ json: Json?) throws(Problem) -> RecurringTerms? {
        guard let json else { return nil }
        return try RecurringTerms(form: json)
    }

    /// The amount that fits the mode: none for tokenize, zero for verify, more for the others.
    private static func amount(_ form: inout Form, _ mode: PaymentMode) throws(Problem) -> Money? {
        let amount = try form.money("amount")
        switch (mode, amount) {
        case (.tokenize, nil): return nil
        case (.tokenize, .some):
            throw Problem(.amountNotAllowed, "Tokenize takes no amount.", path: form.place("amount"))
        case (.sale, nil), (.authorize, nil), (.verify, nil), (.transfer, nil):
            throw Problem(.amountMissing, "An amount is needed.", path: form.place("amount"))
        case (.verify, let amount?):
            guard amount.minor == 0 else {
                throw Problem(.amountNotAllowed, "Verify takes an amount of zero.", path: "amount.value")
            }
            return amount
        case (.sale, let amount?), (.authorize, let amount?), (.transfer, let amount?):
            try amount.checkPositive(at: "amount.value")
            return amount
        }
    }

    /// What the rules are asked for this payment.
    func question(_ id: PaymentId) -> RouteQuestion {
        RouteQuestion(
            payment: id,
            mode: mode,
            method: method,
            amount: amount,
            country: country,
            customer: customer,
            provider: provider,
            accountMode: accountMode
        )
    }

    func terms(details: Json, now: Timestamp) -> PaymentTerms {
        PaymentTerms(
            mode: mode,
            method: method,
            amount: amount,
            reference: reference,
            description: description,
            customer: customer,
            instrument: instrument,
            expiresAt: expiresAt ?? now.adding(Self.standardLifetime),
            details: details,
            metadata: metadata,
            recurring: recurring,
            occurrence: schedule.map { OccurrenceName(schedule: $0.uuid, ordinal: 0) },
            country: country
        )
    }
}

extension Money {
    func checkPositive(at path: String) throws(Problem) {
        guard minor > 0 else { throw Problem(.amountNotPositive, "The amount must be more than zero.", path: path) }
    }
}

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
        try form.end()
        return .recordDispute(id: id, capture: capture, amount: amount, stage: .opened, reason: reason)
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

/// The words of `verdict.is`.
enum VerdictWord: String, CaseIterable {
    case succeeded, failed, sendAgain, acknowledged, attemptDead
}

extension Resolution.Verdict {
    fileprivate init(form json: Json) throws(Problem) {
        var form = try Form(json, at: "verdict")
        guard let word: VerdictWord = try form.word("is") else { throw form.missing("is") }
        switch word {
        case .succeeded:
            let operation = try form.operation()
            guard let amount = try form.money("amount") else { throw form.missing("amount") }
            self = .succeeded(operation, amount)
        case .failed: self = .failed(try form.operation())
        case .sendAgain: self = .sendAgain(try form.operation())
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

    fileprivate mutating func operation() throws(Problem) -> OperationId {
        guard let id: OperationId = try id("operation") else { throw missing("operation") }
        return id
    }

    fileprivate mutating func seenVersion() throws(Problem) -> Int32 {
        guard let seen = try integer("seenVersion", in: 1...Int64(Int32.max)) else { throw missing("seenVersion") }
        return Int32(seen)
    }
}
