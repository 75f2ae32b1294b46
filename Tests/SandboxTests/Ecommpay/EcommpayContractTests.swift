import Ecommpay
import Http
import Kernel
import Payments
import ProviderKit
import Sandbox
import Testing

/// The adapter and the simulator, written apart, understand each other.
///
/// The adapter plans, signs and reads with its own code; the simulator checks and answers with its own.
struct EcommpayContractTests {
    private let adapter = EcommpayAdapter()
    private let settings = AccountSettings(
        account: AccountFacts(id: Uuid(high: 1, low: 2), name: "e", provider: "ecommpay", mode: .test, version: 1),
        values: .compact([
            ("projectId", 42), ("currencies", ["EUR"]), ("gateUrl", "http://127.0.0.1:1"),
            ("paymentPageUrl", "http://127.0.0.1:1/payment"),
        ]),
        notificationUrl: "http://127.0.0.1:9/hook",
        returnUrl: "http://127.0.0.1:9/return"
    )
    private let materials = Materials(
        secrets: AccountSecrets(["secretKey": SimulatorDriver.secret]),
        open: { $0.text.map(Json.string) },
        now: SimulatorDriver.start
    )

    private func terms(
        _ mode: PaymentMode,
        _ method: PaymentMethod = .hosted,
        amount: Int64? = 1999,
        details: Json = [
            "payer": ["email": "a+b@example.org", "billing": ["country": "DE", "city": "Köln"]], "language": "de",
        ]
    ) -> PaymentTerms {
        PaymentTerms(
            mode: mode,
            method: method,
            amount: amount.map { Money($0, SimulatorDriver.euro) },
            reference: "ord",
            description: "Tea & cups",
            customer: "cust-7",
            instrument: nil,
            expiresAt: SimulatorDriver.start.adding(.seconds(3600)),
            details: details,
            metadata: [:]
        )
    }

    private func dispatch(
        _ purpose: DispatchPurpose,
        amount: Int64?,
        isFull: Bool = false,
        reference: String? = nil
    ) -> PlannedDispatch {
        PlannedDispatch(
            purpose: purpose,
            paymentReference: "p",
            operationReference: reference,
            amount: amount.map { Money($0, SimulatorDriver.euro) },
            isFull: isFull,
            deadline: SimulatorDriver.start.adding(.seconds(3600)),
            reason: nil,
            methodAtProvider: "card"
        )
    }

    private func handover(_ terms: PaymentTerms) throws -> RenderedHandover {
        let context = PlanContext(terms: terms, settings: settings, instrumentToken: nil)
        let planned = dispatch(.handover, amount: terms.amount?.minor)
        return try adapter.render(try adapter.plan(planned, context), materials)
    }

    /// Opens the adapter's address in the simulator.
    private func open(_ terms: PaymentTerms, _ driver: inout SimulatorDriver) throws -> SandboxAnswer {
        guard case .redirect(let url) = try handover(terms) else { return .missing }
        let parts = url.split(separator: "?", maxSplits: 1)
        #expect(parts[0] == "http://127.0.0.1:1/payment")
        return driver.send("GET", "/payment", query: String(parts[1]))
    }

    /// Sends a Gate request of the adapter to the simulator and reads the answer back.
    private func ask(
        _ planned: PlannedDispatch,
        _ terms: PaymentTerms,
        _ driver: inout SimulatorDriver
    ) throws -> [Fact] {
        let context = PlanContext(terms: terms, settings: settings, instrumentToken: nil)
        let request = try adapter.finish(try adapter.plan(planned, context), materials)
        let path = request.url.replacing("http://127.0.0.1:1", with: "")
        let answer = driver.send(request.method.rawValue, path, body: request.body)
        let observed = Observation.answered(
            planned.purpose,
            status: answer.status,
            headers: ["content-type": answer.contentType],
            body: answer.bytes
        )
        return adapter.interpret(observed, reading(terms))
    }

    private func reading(_ terms: PaymentTerms) -> InterpretContext {
        InterpretContext(settings: settings, paymentReference: "p", terms: terms, isHandover: true)
    }

    /// Lets the adapter authenticate and read every callback the simulator has posted.
    private func notified(_ terms: PaymentTerms, _ driver: SimulatorDriver) -> [[Fact]] {
        driver.posted.map { delivery in
            let request = HttpRequest(method: .post, target: "/hook", body: delivery.body)
            guard
                case .verified(let known) = adapter.authenticate(request, settings, materials.secrets)
            else {
                Issue.record("a callback of the simulator is not taken for the provider's own")
                return []
            }
            #expect(known.events[0].references.contains { $0.value == "p" })
            return adapter.interpret(.notification(body: delivery.body), reading(terms))
        }
    }

    private func operations(_ facts: [Fact]) -> [ProviderOperation] {
        facts.compactMap { if case .operation(let operation) = $0 { operation } else { nil } }
    }

    // MARK: Doors

    @Test(arguments: [PaymentMode.sale, .authorize, .verify, .tokenize])
    func `every form address the adapter makes opens the form`(mode: PaymentMode) throws {
        var driver = SimulatorDriver()
        let amount: Int64? = mode == .verify ? 0 : mode == .tokenize ? nil : 1999
        let answer = try open(terms(mode, amount: amount), &driver)
        #expect(answer.status == 303, "\(answer.html)")
        driver.send("POST", answer.location ?? "", body: Array("action=approve".utf8))
        driver.settle()
        #expect(driver.posted.count == 1)
    }

    @Test(arguments: [PaymentMode.sale, .authorize, .verify, .tokenize], ["legacyIos", "ios", "android"])
    func `every object the adapter makes for the SDK is taken by it`(mode: PaymentMode, sdk: String) throws {
        var driver = SimulatorDriver()
        let amount: Int64? = mode == .verify ? 0 : mode == .tokenize ? nil : 1999
        guard case .parameters(let object) = try handover(terms(mode, .sdk, amount: amount)) else {
            Issue.record("no object")
            return
        }
        let body = Json.compact([("sdk", .string(sdk)), ("scenario", "approve"), ("parameters", object)])
        let answer = driver.send("POST", "/sandbox/app/ecommpay", body: body.compactBytes)
        #expect(answer.status == 200, "\(answer.html)")
        driver.settle()
        #expect(driver.posted.count == 1)
    }

    // MARK: Outcomes

    @Test func `a sale through a challenge is waiting, then paid, with the right amount`() throws {
        var driver = SimulatorDriver()
        let terms = terms(.sale, amount: EcommpayMagicAmount.challengePassed.minor)
        _ = try open(terms, &driver)
        driver.settle()
        let story = notified(terms, driver).map(operations)
        #expect(story.count == 2)
        #expect(story.first?.first?.outcome.isFinal == false)
        #expect(story.last?.first?.outcome == .succeeded)
        #expect(story.last?.first?.amount.money == Money(7711, SimulatorDriver.euro))
        #expect(Set(story.flatMap { $0 }.map(\.providerId)).count == 1)
    }

    @Test func `what the adapter adds up from a status answer is what the ledger holds`() throws {
        for magic in EcommpayMagicAmount.allCases where magic != .statusError && magic != .wrongAmount {
            for mode in [PaymentMode.sale, .authorize] {
                var driver = SimulatorDriver()
                let terms = terms(mode, amount: magic.minor)
                _ = try open(terms, &driver)
                driver.settle()
                let read = operations(try ask(dispatch(.query, amount: nil), terms, &driver))
                func sum(_ kinds: Set<OperationKind>) -> Int64 {
                    read.filter { kinds.contains($0.kind) && $0.outcome == .succeeded }
                        .reduce(0) { $0 + ($1.amount.money?.minor ?? 0) }
                }
                let totals = driver.totals("p")
                #expect(sum([.sale, .capture]) == totals.captured, "\(magic) \(mode)")
                #expect(sum([.authorize]) == totals.held, "\(magic) \(mode)")
                guard magic != .manualDecline else { continue }
                #expect(sum([.refund]) - sum([.refundReversal]) == totals.refunded, "\(magic) \(mode)")
            }
        }
    }

    @Test func `capture, void and refund of the adapter move the money they name`() throws {
        var driver = SimulatorDriver()
        let terms = terms(.authorize)
        _ = try open(terms, &driver)
        driver.play("p", "approve")
        driver.settle()
        let captured = try ask(dispatch(.operation(.capture), amount: 1500, reference: "c1"), terms, &driver)
        #expect(captured.contains(.dispatch(.accepted)))
        driver.settle()
        let refund = dispatch(.operation(.refund), amount: 500, reference: "r1")
        #expect(try ask(refund, terms, &driver).contains(.dispatch(.accepted)))
        driver.settle()
        #expect(try ask(refund, terms, &driver).contains(.dispatch(.duplicate(code: "3230"))))
        #expect(driver.totals("p").kept == 1000)
        let last = notified(terms, driver).last.map(operations)?.first
        #expect(last?.kind == .refund)
        #expect(last?.ourReference == "r1")
        #expect(last?.amount.money == Money(500, SimulatorDriver.euro))

        var voiding = SimulatorDriver()
        _ = try open(terms, &voiding)
        voiding.play("p", "approve")
        voiding.settle()
        let void = dispatch(.operation(.void), amount: 1999, isFull: true, reference: "v1")
        #expect(try ask(void, terms, &voiding).contains(.dispatch(.accepted)))
        voiding.settle()
        #expect(voiding.totals("p").released == 1999)
        #expect(notified(terms, voiding).last.map(operations)?.first?.kind == .void)
    }

    @Test func `before the payer confirms the adapter hears that nothing is registered`() throws {
        var driver = SimulatorDriver()
        let terms = terms(.sale)
        _ = try open(terms, &driver)
        let facts = try ask(dispatch(.query, amount: nil), terms, &driver)
        #expect(facts.contains(.attempt(.notRegistered)))
    }

    @Test func `lies are noticed: a forged signature, another amount, a word nobody knows`() throws {
        var forged = SimulatorDriver()
        _ = try open(terms(.sale, amount: EcommpayMagicAmount.forgedSignature.minor), &forged)
        forged.settle()
        let request = HttpRequest(method: .post, target: "/hook", body: forged.posted[0].body)
        guard case .rejected = adapter.authenticate(request, settings, materials.secrets) else {
            Issue.record("a forged callback was taken")
            return
        }
        var unknown = SimulatorDriver()
        let strange = terms(.sale, amount: EcommpayMagicAmount.unknownStatusOnce.minor)
        _ = try open(strange, &unknown)
        unknown.settle()
        let facts = notified(strange, unknown).flatMap { $0 }
        #expect(!operations(facts).contains { $0.outcome.isFinal }, "an unknown word concludes nothing")
        var wrong = SimulatorDriver()
        let other = terms(.sale, amount: EcommpayMagicAmount.wrongAmount.minor)
        _ = try open(other, &wrong)
        wrong.settle()
        let amounts = operations(notified(other, wrong).flatMap { $0 }).map(\.amount)
        #expect(amounts == [.stated(Money(7863, SimulatorDriver.euro))], "the echo shows the other amount")
    }
}
