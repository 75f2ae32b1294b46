import Crypto
import Kernel

/// The server interface: signed requests, idempotence, faults.
extension WorldlineSimulator {
    /// The calls, by the words that faults use.
    enum Call: String, CaseIterable {
        case payment, subsequent, checkout, capture, cancel, refund
        case read, details, captures, refunds, readCheckout
        case session, products, product, networks, iin, testConnection
        case makeToken, readToken, deleteToken, checkWebhookKey, sendWebhook

        /// Whether the provider documents that a key makes it safe to repeat.
        var isIdempotent: Bool {
            switch self {
            case .payment, .subsequent, .checkout, .capture, .cancel, .refund: true
            case .read, .details, .captures, .refunds, .readCheckout, .session, .products, .product, .networks, .iin,
                .testConnection, .makeToken, .readToken, .deleteToken, .checkWebhookKey, .sendWebhook:
                false
            }
        }

        init?(_ method: String, _ path: [String]) {
            switch (method, path.first, path.count, path.last) {
            case ("POST", "payments", 1, _): self = .payment
            case ("POST", "payments", 3, "subsequent"): self = .subsequent
            case ("POST", "payments", 3, "capture"): self = .capture
            case ("POST", "payments", 3, "cancel"): self = .cancel
            case ("POST", "payments", 3, "refund"): self = .refund
            case ("GET", "payments", 2, _): self = .read
            case ("GET", "payments", 3, "details"): self = .details
            case ("GET", "payments", 3, "captures"): self = .captures
            case ("GET", "payments", 3, "refunds"): self = .refunds
            case ("POST", "hostedcheckouts", 1, _): self = .checkout
            case ("GET", "hostedcheckouts", 2, _): self = .readCheckout
            case ("POST", "sessions", 1, _): self = .session
            case ("GET", "products", 1, _): self = .products
            case ("GET", "products", 2, _): self = .product
            case ("GET", "products", 3, "networks"): self = .networks
            case ("POST", "services", 2, "getIINdetails"): self = .iin
            case ("GET", "services", 2, "testconnection"): self = .testConnection
            case ("POST", "tokens", 1, _): self = .makeToken
            case ("GET", "tokens", 2, _): self = .readToken
            case ("DELETE", "tokens", 2, _): self = .deleteToken
            case ("POST", "webhooks", 2, "validateCredentials"): self = .checkWebhookKey
            case ("POST", "webhooks", 2, "sendtest"): self = .sendWebhook
            default: return nil
            }
        }
    }

    mutating func server(_ request: SandboxRequest, _ path: [String]) -> SandboxAnswer {
        guard let merchant = merchants[path[0]], WorldlineSignature.isGenuine(request, merchant.apiKeys, at: now) else {
            return WorldlineRefusal.forbidden.answer()
        }
        let rest = Array(path.dropFirst())
        guard let call = Call(request.method, rest) else { return .text(404, "Not Found") }
        let key = request.headers["x-gcs-idempotence-key"]
        if let key {
            guard (1...40).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                return WorldlineRefusal.invalid("X-GCS-Idempotence-Key", "40 ASCII characters at most").answer()
            }
            if call.isIdempotent, let answer = repeated("\(merchant.id)|\(key)") { return answer }
        }
        if takeFault(call.rawValue, [.throttled]) != nil {
            return WorldlineRefusal(status: 429, code: "50001111", message: "TOO_MANY_REQUESTS").answer()
        }
        if takeFault(call.rawValue, [.errorBefore]) != nil {
            return WorldlineRefusal(status: 503, code: "9999", message: "UNAVAILABLE").answer()
        }
        let answer: SandboxAnswer
        do throws(WorldlineRefusal) { answer = try perform(call, request, rest, merchant) } catch {
            answer = error.answer()
        }
        let fault = takeFault(call.rawValue, [.slow, .lost, .errorAfter, .html])
        if let key, call.isIdempotent {
            let wait = fault.map { max($0.busy, $0.kind == .slow ? $0.milliseconds : 0) } ?? 0
            let busy = now.adding(.milliseconds(wait))
            kept = kept.filter { now.since($0.value.firstAt) < WorldlineTimings.idempotence }
            kept["\(merchant.id)|\(key)"] = Kept(firstAt: now, answer: answer, busyUntil: busy)
        }
        return spoiled(answer, fault)
    }

    /// The same outcome again, or that the first request is still at work; `nil` for a new key.
    private func repeated(_ place: String) -> SandboxAnswer? {
        guard let known = kept[place], now.since(known.firstAt) < WorldlineTimings.idempotence else { return nil }
        if now < known.busyUntil { return WorldlineRefusal.inProgress.answer() }
        var answer = known.answer
        answer.headers["X-GCS-Idempotence-Request-Timestamp"] = String(known.firstAt.microseconds / 1000)
        return answer
    }

    private func spoiled(_ answer: SandboxAnswer, _ fault: SandboxFault<WorldlineFaultKind>?) -> SandboxAnswer {
        guard let fault else { return answer }
        var answer = answer
        switch fault.kind {
        case .slow: answer.delay = .milliseconds(fault.milliseconds)
        case .lost: answer.fate = .lost
        case .errorAfter: return WorldlineRefusal(status: 500, code: "9999", message: "UNKNOWN_SERVER_ERROR").answer()
        case .html: return .page(200, "<h1>Maintenance</h1>")
        case .errorBefore, .throttled, .declined, .pending, .duplicateEvent, .withheldEvent, .forgedEvent,
            .unknownKeyEvent, .truncatedEvent:
            break
        }
        return answer
    }

    private mutating func perform(
        _ call: Call,
        _ request: SandboxRequest,
        _ path: [String],
        _ merchant: WorldlineMerchant
    ) throws(WorldlineRefusal) -> SandboxAnswer {
        let body = try Self.body(of: request)
        switch call {
        case .payment: return try createPayment(body, merchant)
        case .subsequent: return try subsequentPayment(body, of: path[1], merchant)
        case .checkout: return try createCheckout(body, merchant)
        case .capture: return try capture(try known(path[1], merchant), body)
        case .cancel: return try cancel(try known(path[1], merchant), body)
        case .refund: return try refund(try known(path[1], merchant), body)
        case .read: return .json(200, json(try known(path[1], merchant)))
        case .details: return .json(200, details(try known(path[1], merchant)))
        case .captures: return .json(200, ["captures": .array(list(try known(path[1], merchant), .capture))])
        case .refunds: return .json(200, ["refunds": .array(list(try known(path[1], merchant), .refund))])
        case .readCheckout: return try checkoutRead(path[1], merchant)
        case .session: return try createSession(body, merchant)
        case .products, .product, .networks: return try products(call, path, request, merchant)
        case .iin: return try iin(body)
        case .testConnection: return .json(200, ["result": "OK"])
        case .makeToken, .readToken, .deleteToken: return try token(call, path, body, merchant)
        case .checkWebhookKey: return try checkWebhookKey(body, merchant)
        case .sendWebhook: return try sendTestEvent(body, merchant)
        }
    }

    private static func body(of request: SandboxRequest) throws(WorldlineRefusal) -> Json {
        guard !request.body.isEmpty else { return [:] }
        guard request.headers["content-type"]?.hasPrefix("application/json") == true,
            let body = try? Json(request.body), body.members != nil
        else { throw .invalid("", "a JSON object") }
        return body
    }

    func known(_ id: String, _ merchant: WorldlineMerchant) throws(WorldlineRefusal) -> WorldlinePayment {
        guard let payment = payments[WorldlinePayment.number(in: id)], payment.merchant == merchant.id else {
            throw .unknownId
        }
        return payment
    }
}
