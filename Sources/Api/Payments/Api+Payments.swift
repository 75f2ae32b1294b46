import Crypto
import EventSourcing
import Http
import Kernel
import Payments
import Projections
import ProviderKit

extension Api {
    // MARK: Create

    func createPayment(_ call: Call) async throws(Problem) -> HttpResponse {
        let (submission, facts) = try await created(call)
        let submitted = try await submit(submission)
        let id = PaymentId(submission.stream.id)
        return try await answer(call, id, submission, submitted, done: 201, mode: facts.mode)
    }

    func newPayment(_ call: Call) async throws(Problem) -> Submission { try await created(call).0 }

    /// Reads a new payment, picks its account and seals what is personal.
    private func created(_ call: Call) async throws(Problem) -> (Submission, AccountFacts) {
        let form = try CreatePaymentForm(call.body, call.kind)
        let id = call.linked?.payment ?? form.id ?? DerivedNames.payment(createdBy: call.inputId)
        let (facts, route) = try await accountOfNew(form, id, call)
        guard let adapter = adapters[facts.provider] else {
            throw Problem(.providerUnknown, "The account's provider is not served here.", path: "account")
        }
        try CardScreen.check(details: form.details, for: readers(adapter, route))
        let given = keepOnce(form.details, adapter.declaration.onceDetailPaths, of: id.uuid, call)
        do throws(PlanFailure) { try adapter.checkPlain(given, for: form.method) } catch { throw Problem(error) }
        if form.instrument != nil, !adapter.carriesInstrument(form.method) {
            throw .notAllowed("instrument", "Only the method instrument pays with a saved one here.")
        }
        for account in takers(facts, route) {
            try await refuseDropped(given, .payment(form.mode, form.method), account, call)
        }
        let paths = personalPaths(adapter, route)
        let details = try await seal(
            given,
            paths: paths,
            customer: form.customer,
            payment: id,
            merchant: call.merchant
        )
        let terms = form.terms(details: details, linked: call.linked, now: call.now)
        let command = PaymentCommand.create(try await enrolled(terms, form.schedule, as: id, adapter, facts, call))
        let stream = call.stream(of: id)
        let submission = call.submission(
            stream,
            command.name.text(in: stream.kind),
            command.canonical,
            account: facts.id,
            route: route.map { RouteReference($0) }
        )
        return (submission, facts)
    }

    /// The account of a new payment; one that exists under this key or id already keeps its own.
    private func accountOfNew(
        _ form: CreatePaymentForm,
        _ id: PaymentId,
        _ call: Call
    ) async throws(Problem) -> (AccountFacts, RouteDecision?) {
        do throws(Problem) { return try await chooseAccount(form, id, call) } catch {
            let known = try await reader.payment(call.stream(of: id))
            guard let facts = known?.payment.account else { throw error }
            return (facts, nil)
        }
    }

    /// The named account, the instrument's own, or the one that the rules choose.
    private func chooseAccount(
        _ form: CreatePaymentForm,
        _ id: PaymentId,
        _ call: Call
    ) async throws(Problem) -> (AccountFacts, RouteDecision?) {
        let accounts =
            if let name = form.account { try await accounts(call, naming: name) } else { try await accounts(call) }
        let chosen: Account?
        if let name = form.account {
            chosen = accounts.named(name)
            guard chosen != nil else { throw Problem(.accountUnknown, "There is no such account.", path: "account") }
        } else if let instrument = form.instrument {
            let saved = try await self.instrument(instrument, call)
            chosen = accounts[saved.account]
        } else {
            let decision = try await routing(call).route(
                form.question(id),
                among: adapters.routed(accounts),
                at: call.now
            )
            guard let facts = decision.chosen else {
                throw Problem(
                    .routeMissing,
                    "No account of the routing takes this payment.",
                    members: [("route", decision.shown)]
                )
            }
            return (facts, decision)
        }
        guard let chosen, let facts = chosen.facts else {
            throw Problem(.routeMissing, "No account of the routing takes this payment.")
        }
        if let mode = form.accountMode, mode != facts.mode {
            throw Problem(.routeMissing, "The account is in another mode.", path: "accountMode")
        }
        guard chosen.isOpen else { throw Problem(.accountClosed, "The account was closed.", path: "account") }
        if let provider = form.provider, provider != facts.provider {
            throw Problem(.routeMissing, "The account is at another provider.", path: "provider")
        }
        if let currency = form.amount?.currency, !chosen.takes(currency) {
            throw Problem(.currencyNotTaken, "The account does not take \(currency.code).", path: "amount.currency")
        }
        return (facts, nil)
    }

    private func instrument(_ id: InstrumentId, _ call: Call) async throws(Problem) -> SavedInstrument {
        let found = try await reader.instrument(id, merchant: call.merchant)
        guard let saved = found?.saved else {
            throw Problem(
                status: 422,
                code: ProblemCode.instrumentUnknown,
                "There is no such instrument.",
                path: "instrument"
            )
        }
        return saved
    }

    // MARK: Commands to a payment that exists

    /// Where the command `isOfBody` alone, what is known of the payment is enough to read it: its decision sees the newest.
    func commandPayment(
        _ call: Call,
        _ read: Endpoint.PaymentReading,
        isOfBody: Bool
    ) async throws(Problem) -> HttpResponse {
        let id = try call.paymentId()
        let before = try await snapshot(id, call, isKnown: isOfBody)
        let submission = try await submission(call, before.payment, read)
        do throws(Problem) {
            let submitted = try await submit(submission)
            return try await answer(call, id, submission, submitted, done: 200, mode: before.payment.account?.mode)
        } catch {
            let isCapture = call.endpoint.stored?.name == PaymentCommand.Name.capture.rawValue
            let plan = isCapture ? try await snapshot(id, call).capturePlan : nil
            throw error.with(before.payment.account?.mode).with(plan)
        }
    }

    /// Reads a command to a payment that is known.
    func submission(_ call: Call, _ payment: Payment, _ read: Endpoint.PaymentReading) async throws(Problem)
        -> Submission
    {
        let command = try await read(self)(call, payment)
        if let (details, use) = command.ownDetails, let account = payment.account {
            try await refuseDropped(details, use, account, call)
        }
        let stream = call.stream(of: payment.id)
        return call.submission(stream, command.name.text(in: stream.kind), command.canonical)
    }

    /// A payment as it is now, as this process knows it, or as it was at a version.
    func snapshot(
        _ id: PaymentId,
        _ call: Call,
        upTo version: Int32? = nil,
        isKnown: Bool = false
    ) async throws(Problem) -> PaymentSnapshot {
        let found = try await reader.payment(call.stream(of: id), upTo: version, isKnown: isKnown)
        guard let found else { throw .unknownPayment }
        return found
    }

    /// Reads an app's claim by the schema of the payment's provider, held against what the app was given.
    func confirmation(_ call: Call, _ payment: Payment) async throws(Problem) -> PaymentCommand {
        try FreeForm.check(call.body, at: .root)
        guard let account = payment.account, let adapter = adapters[account.provider]?.device else {
            throw Problem(.providerUnknown, "The payment's provider is not served here.")
        }
        // The request was passed with the identifiers of every provider; these are the ones that count.
        let own = adapter.declaration.identifierPaths.union(adapter.claimIdentifiers)
        try CardScreen.check(call.body, exempt: own)
        let body = keepOnce(call.body, adapter.onceClaimPaths, of: payment.id.uuid, call)
        let settings = try await reader.settings(of: account, call.merchant)
        do throws(ClaimFailure) {
            var issued: IssuedPayment?
            if let terms = payment.terms, let reference = payment.attempt?.reference {
                issued = IssuedPayment(reference: reference, terms: terms, settings: settings.values)
            }
            return try adapter.appResult(body, of: issued).command
        } catch {
            throw Problem(
                .claimMalformed,
                "The claim does not fit the provider's schema.",
                path: error.path,
                members: [("reason", .string(error.reason))]
            )
        }
    }

    // MARK: Answers to commands

    /// The resource at the version that the command committed, or after the wait that the client prefers.
    private func answer(
        _ call: Call,
        _ id: PaymentId,
        _ submission: Submission,
        _ first: Submitted,
        done: Int,
        mode: AccountFacts.Mode?
    ) async throws(Problem) -> HttpResponse {
        var submitted = first
        let deadline = call.wait.map { call.now.adding($0) }
        if submitted.version == nil, let deadline { submitted = try await turn(of: submission, submitted, deadline) }
        guard let version = submitted.version else { return try await waiting(call, id, mode) }
        let committed = try await snapshot(id, call, upTo: version)
        if submitted.isReplay {
            return PaymentResource(committed).response(200).with("Idempotent-Replayed", "true")
        }
        var latest = committed
        if let deadline { latest = try await settled(committed, call, deadline) }
        let isDone = call.endpoint.isImmediate || (deadline != nil && !latest.payment.awaitsOutcome)
        var response = PaymentResource(latest).response(isDone ? done : 202)
        response.headers.set("Location", PaymentResource.location(call.stream(of: id)))
        if let wait = call.wait { response.headers.set("Preference-Applied", "wait=\(wait.components.seconds)") }
        return response
    }

    /// Shows a payment as far as it is known while its command waits for its turn.
    private func waiting(
        _ call: Call,
        _ id: PaymentId,
        _ mode: AccountFacts.Mode?
    ) async throws(Problem) -> HttpResponse {
        let known = try await reader.payment(call.stream(of: id))
        let stream = call.stream(of: id)
        let response = known.map { PaymentResource($0).response(202) } ?? PaymentResource.accepted(stream, mode: mode)
        return response.with("Location", PaymentResource.location(stream))
    }

    /// Asks again, by the same key, what became of a command that waits for its turn.
    private func turn(
        of submission: Submission,
        _ first: Submitted,
        _ deadline: Timestamp
    ) async throws(Problem) -> Submitted {
        var last = first
        while last.version == nil, now < deadline {
            let pause = min(deadline.since(now), .milliseconds(250))
            await reader.wait(for: first.stream, past: .max, atMost: pause)
            last = try await submit(submission)
        }
        return Submitted(stream: last.stream, version: last.version, isReplay: false)
    }

    /// Waits until nothing more is expected from the provider, or the time is over.
    private func settled(
        _ first: PaymentSnapshot,
        _ call: Call,
        _ deadline: Timestamp
    ) async throws(Problem) -> PaymentSnapshot {
        var latest = first
        let stream = call.stream(of: first.payment.id)
        while latest.payment.awaitsOutcome {
            let left = deadline.since(now)
            guard left > .zero else { break }
            await reader.wait(for: stream, past: latest.payment.version, atMost: left)
            let next = try await snapshot(first.payment.id, call)
            guard next.payment.version > latest.payment.version else { break }
            latest = next
        }
        return latest
    }
}

extension AppClaim {
    /// The command that the claim becomes.
    var command: PaymentCommand {
        .confirm(meaning: meaning.rawValue, code: code, concern: concern, receipt: receipt, completion: completion)
    }
}

extension Payment {
    /// Whether the provider has not said yet what became of something; the payer's turn is an outcome.
    var awaitsOutcome: Bool {
        if queries.contains(where: \.isInFlight) { return true }
        if operations.contains(where: { !$0.isClosed && !$0.kind.isInitial }) { return true }
        switch status {
        case .created, .processing: return true
        case .requiresAction, .indeterminate: return cancelRequestedBy != nil && attempt?.isOpen == true
        case .authorized, .partiallyCaptured, .captured, .partiallyRefunded, .refunded, .disputed, .chargedBack,
            .voided, .released, .verified, .tokenized, .transferred, .failed, .expired:
            return false
        }
    }
}
