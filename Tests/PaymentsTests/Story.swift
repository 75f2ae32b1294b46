import EventSourcing
import Kernel
import Payments
import Testing

/// A payment with its whole log, driven like the engine does: each decision is applied, each message licensed.
struct Story {
    var payment = Payment(id: PaymentId(Samples.uuid(0x9A1)))
    var log: [PaymentEvent] = []
    var now = Samples.noon
    var can: Capabilities
    var actor = Samples.merchantActor
    var opening = Opening.handover
    /// The account that the next input is about.
    var account = Samples.facts
    /// How the account of a new payment was chosen.
    var route: RouteDecision?
    var fallbackRoutes: FallbackRoutes?
    /// The newest recovery epoch.
    var epoch: RecoveryEpoch?
    /// What the last decision gave.
    private(set) var last = PaymentDecision()
    private var inputs: UInt64 = 1000

    static let alice = Actor(id: "alice", isOperator: true)
    static let bob = Actor(id: "bob", isOperator: true)
    static let lifetime = Duration.seconds(3600)

    init(_ can: Capabilities = Samples.capabilities()) { self.can = can }

    /// A payment that was created and handed over to the payer.
    init(_ mode: PaymentMode, _ minor: Int64? = 1999, _ can: Capabilities = Samples.capabilities()) throws(Rejection) {
        self.init(can)
        try command(.create(Samples.terms(mode, minor)))
    }

    mutating func context() -> PaymentContext {
        inputs += 1
        return PaymentContext(
            now: now,
            input: Samples.uuid(inputs),
            actor: actor,
            account: account,
            capabilities: can,
            adapterVersion: 1,
            opening: opening,
            route: route,
            fallbackRoutes: fallbackRoutes,
            epoch: epoch
        )
    }

    mutating func command(_ command: PaymentCommand) throws(Rejection) {
        last = PaymentDecision()
        apply(try payment.decide(command, context()))
    }

    mutating func observe(_ observation: PaymentObservation) { apply(payment.decide(observation, context())) }

    mutating func observe(_ facts: Fact..., trust: Trust = .verified) {
        observe(.facts(facts, trust: trust, dispatch: nil))
    }

    mutating func see(_ operations: ProviderOperation...) {
        for operation in operations { observe(.operation(operation)) }
    }

    mutating func wait(_ seconds: Int64) { now = now.adding(.seconds(seconds)) }

    /// Answers the message that was licensed last and has no outcome yet.
    mutating func answer(_ facts: Fact...) {
        guard let open = openDispatches.last else {
            Issue.record("no message is under way")
            return
        }
        answer(open, facts)
    }

    mutating func answer(_ license: DispatchLicense, _ facts: [Fact]) {
        let ref = PaymentObservation.DispatchRef(effect: license.effect, ordinal: license.ordinal)
        observe(.facts(facts, trust: .verified, dispatch: ref))
    }

    /// Asks the provider and takes `facts` for the answer.
    mutating func poll(_ facts: Fact...) throws(Rejection) {
        wait(60)
        try command(.sync)
        answerQuery(facts)
    }

    mutating func answerQuery(_ facts: [Fact]) {
        guard let open = openDispatches.last(where: { $0.purpose == .query }) else {
            Issue.record("no question is under way")
            return
        }
        answer(open, [.dispatch(.answered)] + facts)
    }

    /// A look at once and one after the proof time of what was refused, both with the same answer.
    mutating func confirmRefusal(_ kind: OperationKind, _ facts: Fact...) {
        answerQuery(facts)
        now = now.adding(can.patience(kind))
        observe(.timer)
        answerQuery(facts)
    }

    var openDispatches: [DispatchLicense] {
        (payment.operations.flatMap(\.dispatches) + payment.queries).filter(\.isInFlight).map(\.license)
    }

    var obligations: [Obligation] { payment.obligations(can, at: now) }

    mutating func apply(_ decision: PaymentDecision) {
        last = decision
        for event in decision.events { append(event) }
        for request in decision.dispatches {
            append(
                .dispatchLicensed(
                    DispatchLicense(
                        effect: request.effect,
                        purpose: request.planned.purpose,
                        operation: request.operation,
                        ordinal: request.ordinal,
                        ground: request.ground,
                        templateDigest: "00",
                        account: payment.account(of: request.attempt)?.id ?? Samples.accountId,
                        accountVersion: 1,
                        adapterVersion: 1,
                        licensedAt: now,
                        notBefore: request.notBefore,
                        sendBefore: request.sendBefore
                    )
                )
            )
        }
    }

    private mutating func append(_ event: PaymentEvent) {
        log.append(event)
        payment.evolve(event)
    }
}

extension Samples {
    static var facts: AccountFacts {
        AccountFacts(id: accountId, name: "ecommpay-eur", provider: "ecommpay", mode: .test, version: 1)
    }

    static func capabilities(
        partialCapture: Bool = true,
        multipleCaptures: Bool = false,
        overCapture: Bool = false,
        partialRefund: Bool = true,
        multipleRefunds: Bool = true,
        partialVoid: Bool = true,
        recovery: Capabilities.Recoveries? = nil,
        polling: PollSchedule = PollSchedule(first: .seconds(10), cap: .seconds(3600), atLeast: .seconds(5)),
        transfers: Set<Capabilities.TransferWay> = [],
        lifetimes: Capabilities.Lifetimes? = nil,
        auxiliaryRequests: Set<AuxiliaryKind> = [],
        unstatedAmounts: Set<String> = [],
        checkHold: Int64? = nil
    ) -> Capabilities {
        Capabilities(
            partialCapture: partialCapture,
            multipleCaptures: multipleCaptures,
            overCapture: overCapture,
            partialRefund: partialRefund,
            multipleRefunds: multipleRefunds,
            partialVoid: partialVoid,
            recovery: recovery ?? [
                .capture: .query(absenceAfter: .seconds(120)), .void: .query(absenceAfter: .seconds(120)),
                .refund: .sameKey(lifetime: .seconds(86_400)),
            ],
            lifetimes: lifetimes
                ?? Capabilities.Lifetimes(
                    payerWindow: .seconds(1800),
                    hold: .seconds(7 * 86_400),
                    query: .seconds(90 * 86_400)
                ),
            polling: polling,
            transfers: transfers,
            auxiliaryRequests: auxiliaryRequests,
            unstatedAmounts: unstatedAmounts,
            firstAnswers: [firstAnswer],
            checkHold: checkHold
        )
    }

    static func terms(
        _ mode: PaymentMode,
        _ minor: Int64? = 1999,
        method: PaymentMethod = .hosted,
        expiresIn seconds: Int64 = 3600,
        customer: String? = "c-1"
    ) -> PaymentTerms {
        let amount: Money? =
            switch mode {
            case .sale, .authorize, .transfer: minor.map { Money($0, euro) }
            case .verify: .zero(euro)
            case .tokenize: nil
            }
        return PaymentTerms(
            mode: mode,
            method: method,
            amount: amount,
            reference: "order-1",
            description: nil,
            customer: customer,
            instrument: nil,
            expiresAt: noon.adding(.seconds(seconds)),
            details: [:],
            metadata: [:]
        )
    }

    /// The name of answers that hold for every message under a key.
    static let firstAnswer = "replay"

    static let decline = Decline(reason: .soft, code: "10105", tableVersion: 1)

    /// A finished provider operation, one second after noon per unit of `at`.
    static func seen(
        _ id: String,
        _ kind: OperationKind,
        _ outcome: ProviderOutcome = .succeeded,
        _ minor: Int64? = 1999,
        reference: String? = nil,
        currency: Currency? = nil,
        at seconds: Int64 = 1
    ) -> ProviderOperation {
        ProviderOperation(
            providerId: id,
            kind: kind,
            outcome: outcome,
            amount: EvidenceAmount(minor.map { Money($0, currency ?? euro) }),
            ourReference: reference,
            createdAt: noon.adding(.seconds(seconds)),
            changedAt: noon.adding(.seconds(seconds))
        )
    }
}

extension PaymentEvent {
    var isRevocation: Bool { if case .dispatchRevoked = self { true } else { false } }
}

extension Money {
    /// Euro cents.
    static func cents(_ minor: Int64) -> Money { Money(minor, Samples.euro) }
}
