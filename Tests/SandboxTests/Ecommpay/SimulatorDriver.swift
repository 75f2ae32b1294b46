import Kernel
import Sandbox

/// Drives the pure simulator: sends requests, lets time pass, and answers callbacks as the merchant would.
struct SimulatorDriver {
    static let start = Timestamp("2026-03-02T10:00:00Z") ?? .epoch
    static let secret = Secret("cb-test-key")
    static let callbackUrl = "http://127.0.0.1:9/hook"

    var simulator: EcommpaySimulator
    var now = SimulatorDriver.start
    /// Every callback posted so far, in order.
    var posted: [SandboxDelivery] = []
    /// What the merchant answers to the next callbacks; 200 when there is nothing left.
    var replies: [DeliveryReply] = []

    init(_ change: (inout EcommpayProject) -> Void = { _ in }, timings: EcommpayTimings = EcommpayTimings()) {
        var project = EcommpayProject(
            id: 42,
            secret: SimulatorDriver.secret,
            callbackUrl: SimulatorDriver.callbackUrl
        )
        change(&project)
        var configuration = EcommpaySimulator.Configuration(
            merchants: [project],
            address: "http://127.0.0.1:1",
            startedAt: SimulatorDriver.start
        )
        configuration.timings = timings
        simulator = EcommpaySimulator(configuration)
    }

    /// Does what the simulator asks; gives the answer among the actions.
    @discardableResult
    mutating func perform(_ actions: [SandboxAction]) -> SandboxAnswer? {
        var answer: SandboxAnswer?
        for action in actions {
            switch action {
            case .answer(let value): answer = value
            case .deliver(let delivery):
                posted.append(delivery)
                let reply = replies.isEmpty ? DeliveryReply.status(200) : replies.removeFirst()
                perform(simulator.deliveryEnded(delivery.attempt, reply, at: now))
            }
        }
        return answer
    }

    @discardableResult
    mutating func send(
        _ method: String,
        _ path: String,
        query: String = "",
        body: [UInt8] = [],
        wantsPage: Bool = false
    ) -> SandboxAnswer {
        let request = SandboxRequest(
            method: method,
            path: path,
            query: query,
            body: body,
            wantsPage: wantsPage
        )
        return perform(simulator.received(request, at: now)) ?? SandboxAnswer.missing
    }

    /// Lets `duration` pass, stopping at everything that becomes due.
    mutating func pass(_ duration: Duration) {
        let end = now.adding(duration)
        while let due = simulator.nextDue, due <= end {
            now = max(now, due)
            perform(simulator.timeReached(now))
        }
        now = end
    }

    /// Lets what runs by itself come to rest, without reaching the long deadlines.
    mutating func settle() { pass(.seconds(5)) }

    // MARK: The merchant's side

    static func parameters(
        _ id: String,
        amount: Int64 = 1999,
        _ more: [(String, String)] = []
    ) -> [(name: String, value: String)] {
        let base = [
            ("project_id", "42"), ("payment_id", id), ("payment_amount", String(amount)), ("payment_currency", "EUR"),
            ("customer_id", "cust-7"), ("payment_description", "Order"),
        ]
        return (base + more).map { (name: $0.0, value: $0.1) }
    }

    /// The query of a form address, signed.
    static func signedQuery(_ pairs: [(name: String, value: String)]) -> String {
        let object = Json.object(JsonObject(pairs.map { ($0.name, .string($0.value)) }))
        let signature = EcommpaySignature.sign(object, key: secret)
        return FormEncoding.encode(pairs + [(name: "signature", value: signature)])
    }

    @discardableResult
    mutating func open(_ id: String, amount: Int64 = 1999, _ more: [(String, String)] = []) -> SandboxAnswer {
        send(
            "GET",
            "/payment",
            query: SimulatorDriver.signedQuery(SimulatorDriver.parameters(id, amount: amount, more))
        )
    }

    @discardableResult
    mutating func play(_ id: String, _ scenario: String..., code: String? = nil, card: String? = nil) -> SandboxAnswer {
        let body = Json.compact([
            ("scenario", .array(scenario.map(Json.string))), ("code", code.map(Json.string)),
            ("card", card.map(Json.string)),
        ])
        return send("POST", "/sandbox/payments/42/\(id)/play", body: body.compactBytes)
    }

    /// A payment that is already paid, or held where `operation` is `auth`.
    mutating func paid(_ id: String, amount: Int64 = 1999, operation: String = "sale") {
        open(id, amount: amount, [("operation_type", operation)])
        if EcommpayMagicAmount(Money(amount, SimulatorDriver.euro)) == nil { play(id, "approve") }
        settle()
    }

    static let euro: Currency = Currency("EUR") ?? Currency.all[0]

    /// A signed request to Gate.
    static func gateBody(_ paymentId: String, _ members: [(String, Json?)] = [], project: Int64 = 42) -> [UInt8] {
        let general = JsonObject([("project_id", .integer(project)), ("payment_id", .string(paymentId))])
        let body = Json.compact([("general", .object(general))] + members)
        var signed = body.members ?? JsonObject([])
        var inner = general
        inner["signature"] = .string(EcommpaySignature.sign(body, key: secret))
        signed["general"] = .object(inner)
        return Json.object(signed).compactBytes
    }

    @discardableResult
    mutating func gate(_ path: String, _ id: String, _ members: [(String, Json?)] = []) -> SandboxAnswer {
        send("POST", "/v2/payment/\(path)", body: SimulatorDriver.gateBody(id, members))
    }

    static func sum(_ amount: Int64, _ currency: String = "EUR", refundId: String? = nil) -> (String, Json?) {
        (
            "payment",
            .compact([
                ("amount", .integer(amount)), ("currency", .string(currency)),
                ("merchant_refund_id", refundId.map(Json.string)),
            ])
        )
    }

    func payment(_ id: String) -> EcommpayPayment? {
        simulator.payments[EcommpayPaymentKey(project: 42, id: id)]
    }

    func totals(_ id: String) -> SandboxLedger.Totals {
        simulator.ledger.totals(of: SandboxLedger.Owner(account: "42", payment: id))
    }

    /// The bodies of the callbacks of a payment, in the order they were posted.
    func callbacks(_ id: String) -> [Json] {
        posted.compactMap { try? Json($0.body) }.filter { $0.at("payment", "id")?.text == id }
    }

    /// `payment.status` and `operation.type operation.status` of each callback.
    func story(_ id: String) -> [String] {
        callbacks(id).map { body in
            let status = body.at("payment", "status")?.text ?? "?"
            let type = body.at("operation", "type")?.text ?? "?"
            return "\(status) | \(type) \(body.at("operation", "status")?.text ?? "?")"
        }
    }
}

extension SandboxAnswer {
    static let missing = SandboxAnswer(status: 0, contentType: "", body: .bytes([]))

    var json: Json? { try? Json(bytes) }
    var html: String { String(decoding: bytes, as: UTF8.self) }
    /// The code of a refusal by Gate or by a control endpoint.
    var code: String? { json?["code"]?.text }
}
