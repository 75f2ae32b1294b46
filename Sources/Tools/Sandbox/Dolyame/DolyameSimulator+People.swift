import Kernel

/// People: the payer in the form or app, and somebody in the provider's cabinet.
extension DolyameSimulator {
    /// The choices of the form.
    enum Choice: String, CaseIterable {
        case approve, decline, abandon
        /// The provider approves and waits for the first instalment.
        case score

        var label: String {
            switch self {
            case .approve: "Pay the first instalment"
            case .decline: "Be refused"
            case .abandon: "Give up"
            case .score: "Pass the scoring, pay later"
            }
        }
    }

    /// Every order, for people who look behind the scenes.
    var overview: SandboxAnswer {
        let rows = orders.values.sorted { $0.id < $1.id }.map { order -> [Html] in
            let amount = DolyameOrder.decimal(order.amount).scalarText ?? ""
            let back = DolyameOrder.decimal(order.refunded).scalarText ?? ""
            let form: Html = order.status.isOpen ? "<a href=\"\(link(order.id))\">open</a>" : ""
            return [
                "\(order.id)", "\(order.items.map(\.name).joined(separator: ", "))", "\(amount) RUB",
                "\(order.status.rawValue)", "\(back)", form,
            ]
        }
        let heads = ["Reference", "About", "Amount#", "Status", "Refunded#", "Form"]
        return .page(
            200,
            SandboxFrame.overview(
                .dolyame,
                payments: rows.count,
                """
                <p><a href="/dolyame/control/ledger">Ledger</a></p>\(SandboxFrame.table(heads, rows))
                """
            )
        )
    }

    func form(_ id: String) -> SandboxAnswer {
        guard let order = orders[id] else { return .page(404, "<h1>No such order</h1>") }
        let rubles = DolyameOrder.decimal(order.amount).scalarText ?? ""
        let buttons = Choice.allCases.map { choice in
            "<button name=\"choice\" value=\"\(choice.rawValue)\">\(choice.label)</button>"
        }
        let body =
            order.status.isOpen
            ? "<form method=\"post\">\(buttons.joined(separator: "\n"))</form>"
            : "<p>The order is \(order.status.rawValue).</p>"
        return .page(
            200,
            "<!doctype html><html lang=\"en\"><title>Dolyame sandbox</title><h1>\(rubles) RUB in four parts</h1>\(body)</html>"
        )
    }

    mutating func formChoice(_ id: String, _ request: SandboxRequest) -> SandboxAnswer {
        let fields = FormEncoding.decode(Substring(String(decoding: request.body, as: UTF8.self))) ?? []
        guard let order = orders[id], order.status.isOpen,
            let choice = fields.first(where: { $0.name == "choice" }).flatMap({
                Choice(rawValue: $0.value)
            })
        else { return .page(409, "<h1>Nothing to choose</h1>") }
        pay(order, choice)
        let back = choice == .approve || choice == .score ? order.successUrl : order.failUrl
        return back.map { .seeOther($0) } ?? .seeOther(link(id))
    }

    /// The provider has made up its mind about what the SDK called pending.
    mutating func decided(_ id: String, _ isMade: Bool) {
        guard let order = orders[id], order.status.isOpen else { return }
        pay(order, isMade ? .approve : .abandon)
    }

    private mutating func pay(_ order: DolyameOrder, _ choice: Choice) {
        note("payer", choice.rawValue, payment: order.id, order.status.rawValue)
        switch choice {
        case .score: if order.status == .new { move(order, to: .approved) }
        case .decline: move(order, to: .rejected)
        case .abandon: move(order, to: .canceled)
        case .approve:
            if order.status == .new { move(order, to: .approved) }
            book(.hold, order.amount, order.id, "hold")
            move(order, to: .waiting)
            guard configuration.commitsByItself, let held = orders[order.id] else { return }
            book(.capture, held.amount, held.id, "commit")
            move(held, to: .committed)
        }
    }

    /// The app with the SDK: `{"parameters": <the object>, "ending": 1…5 | "approve" | …}`; answers what the SDK says.
    ///
    /// The SDK opens the order itself. Endings 4 and 5 are decided a little later.
    mutating func app(_ request: SandboxRequest) -> SandboxAnswer {
        guard let json = try? Json(request.body), let parameters = json["parameters"],
            let ending = json["ending"]?.integer,
            (1...5).contains(ending), let given = parameters["order"]
        else { return .refused(400, "malformed", "parameters and ending are needed") }
        let partner = parameters["partner"] ?? [:]
        let isDemo = partner["demoFlow"]?.flag ?? false
        let order: Json = .compact([
            ("id", given["id"]), ("amount", given["amount"]), ("prepaid_amount", given["prepaidAmount"]),
            ("items", given["items"]),
        ])
        let body: Json = .compact([("order", order), ("notification_url", partner["notificationUrl"])])
        switch DolyameOrder.read(body, isDemo: isDemo) {
        case .failure(let refusal):
            let event =
                refusal.details.values.contains("must match items") ? "haveSumDifference" : "lessThanRuble"
            return .json(200, ["unexpectedEvent": .string(event)])
        case .success(let order):
            guard orders[order.id] == nil else {
                return .json(200, ["unexpectedEvent": "haveItemsDifference"])
            }
            orders[order.id] = order
            switch ending {
            case 1: pay(order, .decline)
            case 2: pay(order, .approve)
            case 3:
                pay(order, .score)
                if let scored = orders[order.id] { pay(scored, .abandon) }
            default: add(.outcome(order.id, isMade: ending == 4), after: configuration.pending)
            }
            let results = ["failure", "success", "failure", "pending", "pending"]
            return .json(200, ["result": .string(results[Int(ending) - 1])])
        }
    }

    /// Operations that nobody here asked for: commit, cancel, refund, charge.
    mutating func cabinet(_ id: String, _ verb: String, _ request: SandboxRequest) -> SandboxAnswer {
        guard let order = orders[id] else { return DolyameRefusal.notFound.answer }
        let body = (try? Json(request.body)) ?? [:]
        note("staff", verb, payment: id, order.status.rawValue)
        switch verb {
        case "commit":
            if case .failure(let refusal) = commit(order, body) { return refusal.answer }
        case "cancel": if case .failure(let refusal) = cancel(order) { return refusal.answer }
        case "refund": return refund(order, body)
        case "charge":
            guard order.status == .committed else {
                return DolyameRefusal.conflict("not committed").answer
            }
            move(order, to: .completed)
        default: return DolyameRefusal.notFound.answer
        }
        return .json(200, (orders[id] ?? order).json(link: link(id), withItems: true))
    }

    /// `{"method": "commit", "fault": "lost"}`, or `{"doubleNotices": true}`.
    mutating func addFault(_ request: SandboxRequest) -> SandboxAnswer {
        guard let json = try? Json(request.body) else { return .refused(400, "malformed", "no JSON") }
        if let doubles = json["doubleNotices"]?.flag {
            doublesNotices = doubles
            return .json(200, [:])
        }
        guard let method = json["method"]?.text, let fault = json["fault"]?.text.flatMap(DolyameFaultKind.init)
        else {
            return .refused(400, "malformed", "method and fault are needed")
        }
        core.faults.append(SandboxFault(kind: fault, on: method, milliseconds: 0, times: 1))
        return .json(200, [:])
    }
}
