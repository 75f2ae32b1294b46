import Kernel

/// Which request is what.
extension EcommpaySimulator {
    package mutating func route(_ request: SandboxRequest) -> SandboxAnswer {
        guard let segments = request.segments else { return .text(400, "A broken escape in the path.\n") }
        switch segments.first {
        case nil: return request.method == "GET" ? .seeOther("/sandbox") : EcommpaySimulator.wrongMethod
        case "payment": return routeForm(request, segments.dropFirst())
        case "params", "v1": return parametersChecked(request, segments)
        case "v2":
            guard let call = EcommpaySimulator.gateCall(segments.dropFirst()) else {
                return .json(404, ["status": "error", "code": "404", "message": "No such path"])
            }
            guard request.method == "POST" else { return EcommpaySimulator.wrongMethod }
            return gateReceived(call, request.body)
        case "sandbox": return routeControl(request, Array(segments.dropFirst()))
        default: return .text(404, "No such page.\n")
        }
    }

    static let wrongMethod = SandboxAnswer.text(405, "Not with this method.\n")

    private mutating func routeForm(_ request: SandboxRequest, _ segments: ArraySlice<String>) -> SandboxAnswer {
        let parts = Array(segments)
        switch (request.method, parts.count) {
        case ("GET", 0): return formOpened(fromText: request.query)
        case ("POST", 0): return formOpened(fromText: String(decoding: request.body, as: UTF8.self))
        case ("GET", 2) where parts[0] == "form": return formShown(parts[1])
        case ("POST", 2) where parts[0] == "form":
            guard let fields = ControlFields(request) else { return .text(400, "Fields expected.\n") }
            return formSent(parts[1], fields.texts, wantsPage: request.wantsPage)
        default: return .text(404, "No such page.\n")
        }
    }

    /// The query must not hold a bare semicolon: the platform takes it for a separator of the signature.
    private mutating func formOpened(fromText text: String) -> SandboxAnswer {
        guard !text.utf8.contains(UInt8(ascii: ";")), let pairs = FormEncoding.decode(text) else {
            let violation = PaymentPageParameters.Violation(parameter: "query", code: .forbiddenCharacter)
            return .page(400, EcommpayPages.refused([violation]))
        }
        return formOpened(pairs)
    }

    /// The platform's service that checks a parameter set without making anything of it.
    private func parametersChecked(_ request: SandboxRequest, _ segments: [String]) -> SandboxAnswer {
        let path = segments.first == "v1" ? Array(segments.dropFirst()) : segments
        guard path == ["params", "check"] else { return .text(404, "No such page.\n") }
        let text = request.method == "GET" ? request.query : String(decoding: request.body, as: UTF8.self)
        guard let pairs = FormEncoding.decode(text) else {
            return .json(400, ["errors": [["field": "query", "message": "forbidden_character"]]])
        }
        do throws(PaymentPageViolations) {
            _ = try PaymentPageParameters(pairs: pairs, projects: projects)
            return .json(200, [:])
        } catch {
            let errors = error.violations.map { violation in
                Json.compact([("field", .string(violation.parameter)), ("message", .string(violation.code.rawValue))])
            }
            return .json(400, .compact([("errors", .array(errors))]))
        }
    }

    // MARK: Control

    private mutating func routeControl(_ request: SandboxRequest, _ path: [String]) -> SandboxAnswer {
        switch request.method {
        case "GET": return shown(path, request)
        case "POST":
            guard let fields = ControlFields(request) else {
                return .badFields
            }
            let answer = controlled(path, fields)
            // A browser that pressed a button goes back to the page it came from.
            return request.wantsPage && answer.status < 300 ? .seeOther(back(from: path)) : answer
        case "DELETE" where path == ["faults"]:
            core.faults = []
            return .json(200, ["faults": []])
        default: return EcommpaySimulator.wrongMethod
        }
    }

    private func back(from path: [String]) -> String {
        guard path.first == "payments", path.count > 2 else { return "/sandbox" }
        return "/sandbox/payments/\(FormEncoding.escape(path[1]))/\(FormEncoding.escape(path[2]))"
    }

    private func shown(_ path: [String], _ request: SandboxRequest) -> SandboxAnswer {
        switch (path.first, path.count) {
        case (nil, 0): return .page(200, EcommpayPages.overview(self))
        case ("health", 1): return .json(200, ["status": "ok"])
        case ("ledger", 1): return ledgerShown(request)
        case ("settlement", 1): return settlementAsked(request, .ecommpay)
        case ("callbacks", 1): return .json(200, callbacksJson(callbacks.inOrder))
        case ("callbacks", 2):
            guard let delivery = Int64(path[1]).flatMap({ callbacks[$0] }) else { return .notFound }
            return SandboxAnswer(status: 200, contentType: "application/json", body: .bytes(delivery.body))
        case ("faults", 1): return .json(200, faultsJson)
        case ("payments", 1): return .json(200, paymentsJson)
        case ("payments", 3):
            guard let payment = key(path).flatMap({ payments[$0] }) else { return .notFound }
            return request.wantsPage
                ? .page(200, EcommpayPages.payment(payment, self)) : .json(200, paymentJson(payment))
        default: return .notFound
        }
    }

    private func ledgerShown(_ request: SandboxRequest) -> SandboxAnswer {
        let value = request.queryValue
        let found = ledger.entries.lazy.filter { entry in
            (value("project").map { $0 == entry.owner.account } ?? true)
                && (value("payment_id").map { $0 == entry.owner.payment } ?? true)
                && (value("after").flatMap { Int($0) }.map { entry.number > $0 } ?? true)
        }
        let entries = Array(found.prefix(value("limit").flatMap { Int($0) }.map { max(0, $0) } ?? .max))
        return request.wantsPage
            ? .page(200, EcommpayPages.ledger(entries, self)) : .json(200, ledgerJson(entries))
    }

    func key(_ path: [String]) -> EcommpayPaymentKey? {
        guard path.count > 2, let project = Int64(path[1]) else { return nil }
        return EcommpayPaymentKey(project: project, id: path[2])
    }

    private mutating func controlled(_ path: [String], _ fields: ControlFields) -> SandboxAnswer {
        switch (path.first, path.count) {
        case ("payments", 4) where path[3] == "play":
            return key(path).map { played($0, fields) } ?? .notFound
        case ("payments", 4) where path[3] == "dashboard":
            return key(path).map { dashboardUsed($0, fields) } ?? .notFound
        case ("series", 3) where path[2] == "run": return Int64(path[1]).map { seriesRan($0) } ?? .notFound
        case ("faults", 1): return faultAsked(fields)
        case ("projects", 2): return Int64(path[1]).map { projectChanged($0, fields) } ?? .notFound
        case ("callbacks", 3) where path[2] == "send":
            guard let id = Int64(path[1]), let delivery = callbacks[id], delivery.state != .delivering,
                delivery.url != nil
            else { return .notFound }
            send(id)
            return .json(202, .compact([("delivery", .integer(id))]))
        case ("clock", 1):
            guard let seconds = fields.integer("advance"), (0...400 * 86_400).contains(seconds) else {
                return .refused(422, "bad_advance", "advance is a number of seconds, at most 400 days.")
            }
            core.skew += .seconds(seconds)
            runDue(until: now.adding(.seconds(seconds)))
            return .json(200, .compact([("now", .string(now.wholeSeconds))]))
        case ("app", 2) where path[1] == "ecommpay": return appPresented(fields)
        case ("app", 3) where path[1] == "ecommpay" && path[2] == "params": return appParameters(fields)
        default: return .notFound
        }
    }
}
