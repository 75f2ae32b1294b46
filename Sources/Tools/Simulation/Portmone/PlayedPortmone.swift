import Engine
import Http
import Kernel
import Sandbox

/// The sandbox's Portmone at the other end of a house's wire: its books, what it shows late, what it refuses without a
/// reason and what it tells by itself.
final class PlayedPortmone: Sendable {
    private struct State: Sendable {
        var simulator: PortmoneSimulator
        /// How it stood before each change of the last minutes.
        var past: [(until: Timestamp, simulator: PortmoneSimulator)] = []
        /// Pages of orders, whoever heard of them.
        var pages: [String: String] = [:]
        /// Orders whose notifications may get lost: they were paid while they were asked about.
        var missable: Set<String> = []
        var plannedDue: Timestamp?
    }

    private static let payeeId = "1185"
    private static let address = "https://sandbox.example"
    private static let notificationKey = "notice"

    /// An account's secrets, as the simulated merchant has them.
    static let secrets: [String: Secret] = [
        "notificationKey": Secret(notificationKey), "password": Secret("password-1"), "signingKey": Secret("signing"),
    ]

    /// An account's settings: those that lead to the simulated provider, and others.
    static func settings(_ more: [(String, Json)]) -> Json {
        let leading: [(String, Json)] = [
            ("login", "shop"), ("payeeId", .string(payeeId)), ("gatewayUrl", .string(address + "/portmone/gateway/")),
            ("jsonApiUrl", .string(address + "/portmone/r3/api/gateway/")),
            ("merchantBillsUrl", .string(address + "/portmone/r3/api/merchant-bills")),
        ]
        return .object(JsonObject(leading + more))
    }

    private let house: House
    private let state: Locked<State>

    init(_ house: House) {
        self.house = house
        var merchant = PortmoneMerchant(
            payeeId: Self.payeeId,
            login: "shop",
            password: Secret("password-1"),
            signingKey: Secret("signing")
        )
        merchant.notificationUrl = House.publicUrl + "/v1/notifications"
        var configuration = PortmoneSimulator.Configuration(
            merchants: [merchant],
            address: Self.address,
            startedAt: House.start
        )
        configuration.timings.noticeAttempts = 50
        state = Locked(State(simulator: PortmoneSimulator(configuration)))
    }

    // MARK: The books

    var ledger: [SandboxLedger.Entry] { state.withLock(\.simulator.ledger.entries) }
    var bills: [String: PortmoneUserBill] { state.withLock(\.simulator.utilityBills) }
    var users: [String: PortmoneUser] { state.withLock(\.simulator.users) }

    /// The page of an order, as the provider's letter to the payer would show it.
    func page(of reference: String) -> String? { state.withLock { $0.pages[reference] } }

    func mayMiss(_ reference: String) { _ = state.withLock { $0.missable.insert(reference) } }

    // MARK: Requests

    /// Does what a message of ours asks for, or refuses it, and answers.
    func receive(_ request: OutgoingRequest) -> HttpResponse {
        let faults = house.plan.faults
        guard request.url.hasPrefix(Self.address), let body = try? Json(request.body), let method = body["method"]?.text
        else {
            house.violate("a request that the provider does not know: \(request.url)")
            return .empty(404)
        }
        let asked = SandboxRequest(
            method: "POST",
            path: String(request.url.dropFirst(Self.address.count)),
            body: request.body
        )
        if method == "result" {
            if house.strikes(faults.failedQuestion) { return Self.outOfOrder }
            return house.strikes(faults.staleQuestion) ? old(asked) : response(take(asked))
        }
        if let number = Self.opened(method, body) {
            if house.strikes(isKnown(number) ? faults.refusedRepetition : faults.refusal) {
                return isKnown(number) ? unreasoned() : Self.refused
            }
            let answer = take(asked)
            keepPage(answer, of: number)
            return house.strikes(faults.failedQuestion) ? Self.outOfOrder : response(answer)
        }
        let answer = take(asked)
        // The lost answer of a bill that is named after it.
        if answer.fate == .lost { return .empty(504) }
        return house.strikes(faults.failedQuestion) ? Self.outOfOrder : response(answer)
    }

    /// The number of the order that a message opens.
    private static func opened(_ method: String, _ body: Json) -> String? {
        switch method {
        case "createLinkPayment": body.at("order", "shopOrderNumber")?.text
        case "getLinkMoneyTransfer": body.at("params", "data", "shopOrderNumber")?.text
        default: nil
        }
    }

    private func isKnown(_ number: String) -> Bool { page(of: number) != nil }

    /// A documented refusal: nothing was opened.
    private static let refused = HttpResponse.json(
        200,
        ["errorCode": "3", "error": "Order number or amount is incorrect"]
    )

    /// An answer behind the effect that says nothing of it.
    private static let outOfOrder = HttpResponse.json(500, ["error": ["code": "1", "message": "Out of order"]])

    /// A repetition is turned away, whatever became of the first message.
    private func unreasoned() -> HttpResponse {
        let status = house.pick([400, 401, 403, 404, 409, 422])
        switch house.number(0...2) {
        case 0: return .html(status, "<html>No.</html>")
        case 1: return .json(200, ["errorCode": "7", "error": "Bill is paid or closed already"])
        default: return .json(status, ["error": ["code": "9977", "message": "Unheard of"]])
        }
    }

    private func keepPage(_ answer: SandboxAnswer, of number: String) {
        guard let json = try? Json(answer.bytes),
            let page = (json["linkPayment"] ?? json.at("result", "link"))?.text
        else { return }
        state.withLock { $0.pages[number] = page }
    }

    private func response(_ answer: SandboxAnswer) -> HttpResponse {
        HttpResponse(status: answer.status, contentType: answer.contentType, body: answer.bytes)
    }

    /// Does what people at the provider, a payer or an app ask the sandbox for.
    func ask(_ path: String, _ body: Json) -> Json? {
        let answer = take(SandboxRequest(method: "POST", path: path, body: body.compactBytes))
        house.trace(
            "\(path) \(body.canonicalText) -> \(answer.status) \(String(decoding: answer.bytes, as: UTF8.self))"
        )
        return try? Json(answer.bytes)
    }

    /// A payer presses a button on a page.
    func press(_ page: String, _ action: String) {
        _ = ask(String(page.dropFirst(Self.address.count)), ["action": .string(action)])
    }

    /// The app's word about what it was given.
    static func claim(_ parameters: Json, _ answer: Json) -> Json {
        .compact([
            ("call", parameters["call"]), ("billNumber", parameters.at("params", "billNumber")),
            ("payeeId", .string(payeeId)), ("bill", answer["bill"]?.isNull == false ? answer["bill"] : nil),
            ("cancelled", answer["cancelled"]),
        ])
    }

    // MARK: Time

    private func take(_ request: SandboxRequest) -> SandboxAnswer {
        let now = house.time.now
        let actions = state.withLock { state in
            state.past.removeAll { $0.until < now.adding(.zero - house.lag) }
            state.past.append((now, state.simulator))
            return state.simulator.received(request, at: now)
        }
        perform(actions)
        for case .answer(let answer) in actions { return answer }
        return SandboxAnswer(status: 500, contentType: "text/plain", body: .bytes([]))
    }

    /// An answer as it would have been a while ago.
    private func old(_ request: SandboxRequest) -> HttpResponse {
        let asOf = house.time.now.adding(.zero - house.duration(upTo: house.lag))
        var then = state.withLock { state in
            state.past.first { $0.until > asOf }?.simulator ?? state.simulator
        }
        for case .answer(let answer) in then.received(request, at: asOf) { return response(answer) }
        return .empty(500)
    }

    /// Plans what the provider tells, and when it has something to tell next.
    private func perform(_ actions: [SandboxAction]) {
        for case .deliver(let delivery) in actions {
            house.plan(at: house.time.now) { [self] engine in await deliver(delivery, engine) }
        }
        let due = state.withLock { state -> Timestamp? in
            guard let due = state.simulator.nextDue, due != state.plannedDue else { return nil }
            state.plannedDue = due
            return due
        }
        guard let due else { return }
        house.plan(at: due) { [self] _ in
            let now = house.time.now
            perform(state.withLock { $0.simulator.timeReached(now) })
            return nil
        }
    }

    // MARK: Notifications

    /// A notification gets lost, is late, comes, or comes twice; answers when it comes after all.
    private func deliver(_ delivery: SandboxDelivery, _ engine: Engine) async -> Timestamp? {
        let faults = house.plan.faults
        let data = FormEncoding.decode(String(decoding: delivery.body, as: UTF8.self))?.first { $0.name == "data" }
        let parts = data?.value.components(around: "<BILL_NUMBER>", "</BILL_NUMBER>")
        let mayMiss = state.withLock { state in parts.map { state.missable.contains($0) } ?? false }
        if mayMiss, house.strikes(faults.lostNotification) {
            house.trace("notification lost")
            return ended(delivery, 200)
        }
        if house.strikes(faults.lateNotification) {
            return house.time.now.adding(house.duration(upTo: .seconds(86_400)))
        }
        var status = 0
        for _ in 0..<(house.strikes(faults.doubledNotification) ? 2 : 1) { status = await arrive(delivery, engine) }
        return ended(delivery, status)
    }

    /// Brings a notice; one that proves nothing by itself comes when questions show it, too.
    private func arrive(_ delivery: SandboxDelivery, _ engine: Engine) async -> Int {
        state.withLock { $0.past = [] }
        let request = HttpRequest(
            method: .post,
            target: "/v1/notifications?key=\(Self.notificationKey)",
            headers: HttpHeaders([("Content-Type", delivery.contentType)]),
            body: delivery.body
        )
        let answer = await Task {
            await engine.notifications.receive(
                request,
                provider: house.provider.name,
                merchant: House.merchant,
                account: House.account
            )
        }.value
        house.trace("notification \(String(decoding: delivery.body, as: UTF8.self)): \(answer.status)")
        return answer.status
    }

    private func ended(_ delivery: SandboxDelivery, _ status: Int) -> Timestamp? {
        let now = house.time.now
        perform(state.withLock { $0.simulator.deliveryEnded(delivery.attempt, .status(status), at: now) })
        return nil
    }
}

extension String {
    /// The text between two words.
    fileprivate func components(around first: String, _ last: String) -> String? {
        guard let begin = firstRange(of: first), let end = self[begin.upperBound...].firstRange(of: last) else {
            return nil
        }
        return String(self[begin.upperBound..<end.lowerBound])
    }
}
