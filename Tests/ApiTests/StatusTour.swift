import Api
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import TestKit

/// Brings one route to every status that it can answer.
struct StatusTour {
    let api: ApiHarness
    let route: Endpoint

    /// A target of the route whose things exist, prepared so that its command can be taken.
    func target() async throws -> String {
        var values: [String: String] = [:]
        switch route.id {
        case "confirmPayment", "appParameters", "signature", "nextAction": values["payment"] = try await app().text
        case "capturePayment", "paymentReadModel", "getPayment", "paymentEvents", "syncPayment", "voidPayment":
            values["payment"] = try await api.held(key: "tour").text
        case "paymentInput", "transferInput": values = try await inputValues()
        case "completeDelivery": values["payment"] = try await api.delivered(key: "tour").text
        case "refundPayment", "openDispute", "addEvidence": values["payment"] = try await api.paid(key: "tour").text
        case "winDispute", "loseDispute", "addDisputeEvidence", "listDisputeEvidence", "readDisputeEvidence":
            values = try await disputeValues()
        case "proposeResolution": values["payment"] = try await contradicted().text
        case "approveResolution":
            let id = try await contradicted()
            let body = Self.acknowledged(try await api.payment(id).version)
            let target = "/v1/payments/\(id)/resolutions"
            let proposed = try await api.send(.post, target, body, key: "tour-proposal", token: "psk_operator")
            values["payment"] = id.text
            values["resolution"] = proposed.json["resolutions"]?.items?.first?["id"]?.text
        case "getInstrument", "removeInstrument", "checkInstrument":
            values["instrument"] = try await saved().text
        case "inboxOutcome": values["inbox"] = try await enqueued().description
        case "notification", "browserReturn", "bankReturn":
            let account = try await api.reader.accounts(merchant: api.merchant).first
            values["account"] = account?.id.compact
        case "closeAccount": values["account"] = try await api.worldline().description
        case "testConnection", "openSession", "listProducts", "getProduct", "checkFields", "cardPrefix":
            values["account"] = try await api.worldline().description
            values["product"] = "1"
        case "createTransfer": try await api.configurePortmone()
        case "getTransfer", "confirmTransfer", "syncTransfer", "transferAppParameters", "transferNextAction",
            "transferEvents", "addTransferEvidence":
            values["transfer"] = try await api.createTransfer(key: "tour").text
        case "proposeTransferResolution": values["transfer"] = try await contradictedTransfer().text
        case "approveTransferResolution":
            let id = try await contradictedTransfer()
            let body = Self.acknowledged(try await api.payment(id).version)
            let target = "/v1/transfers/\(id)/resolutions"
            let proposed = try await api.send(.post, target, body, key: "tour-proposal", token: "psk_operator")
            values["transfer"] = id.text
            values["resolution"] = proposed.json["resolutions"]?.items?.first?["id"]?.text
        case "keepDunning": values["policy"] = "gentle"
        case "closePeriod", "makeReport": (values["month"], values["report"]) = ("2026-10", "turnover")
        case "getClock", "advanceClock":
            try await api.send(.put, "/v1/clock", [:], key: nil).expect(201)
        case "getSchedule", "changeSchedule", "pauseSchedule", "resumeSchedule", "cancelSchedule", "runOccurrence",
            "listOccurrences", "previewOccurrences", "scheduleEvents":
            values["schedule"] = try await api.schedule(key: "tour").text
        // The others need nothing that a harness lacks.
        default: values = try await otherValues()
        }
        let target = GuardTests.target(route, values)
        if route.id == "paymentActivity" { return target + "?from=2026-01-01&before=2026-02-01" }
        return route.id == "listProducts" || route.id == "getProduct"
            ? target + "?currency=EUR&amount=1999&country=BE" : target
    }

    /// A payment or transfer, and what came in and made it begin.
    private func inputValues() async throws -> [String: String] {
        func cause(_ stream: StreamName) async throws -> String? {
            try await api.store.load([(stream, 0)])[0].first.map { InputId($0.cause).text }
        }
        if route.id == "transferInput" {
            let id = try await api.createTransfer(key: "tour")
            let input = try await cause(StreamName(api.merchant, .transfer, id.uuid))
            return ["transfer": id.text, "input": input ?? ""]
        }
        let id = try await api.held(key: "tour")
        return ["payment": id.text, "input": try await cause(api.stream(id)) ?? ""]
    }

    private static func acknowledged(_ version: Int32) -> Json {
        ["verdict": ["is": "acknowledged"], "evidence": "seen", "seenVersion": .integer(Int64(version))]
    }

    /// A saved credential, of a provider that can be asked about it where that is the route.
    private func saved() async throws -> InstrumentId {
        guard route.id == "checkInstrument" else { return try await api.instrument() }
        _ = try await api.worldline()
        return try await api.instrument(of: "worldline-eur")
    }

    private func app() async throws -> PaymentId {
        var body = ApiHarness.sale().members ?? JsonObject([])
        body["method"] = "sdk"
        return try await api.create(.object(body), key: "tour")
    }

    private func contradicted() async throws -> PaymentId {
        let id = try await api.create(key: "tour")
        try await api.deliver(id, CallbackOperation(id: 1, type: "sale", status: "success", minor: 5), "success")
        return id
    }

    /// A transfer of which the provider shows a row of somebody else's order.
    private func contradictedTransfer() async throws -> TransferId {
        let id = try await api.createTransfer(key: "tour")
        let reference = try await api.payment(id).attempt?.reference ?? ""
        let row: Json = [
            "shopBillId": "501", "shopOrderNumber": .string(reference), "payee_id": "9", "billAmount": "150.00",
            "status": "PAYED",
        ]
        api.wire.play { _ in .answered(.json(200, [row])) }
        try await api.post("/v1/transfers/\(id)/sync", [:], key: "tour-sync", headers: [("Prefer", "wait=5")])
        return id
    }

    private func enqueued() async throws -> Uuid {
        let id = Uuid(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0007)
        api.store.enqueue(merchant: api.merchant, key: "inbox", name: "payment.sync", body: [], id: id)
        _ = try await api.store.takeInbox(limit: 1) { rows in
            rows.map { _ in .refuse(code: "command_malformed", detail: "no body") }
        }
        return id
    }

    private static func resolution(_ route: Endpoint, _ version: Int32) -> Json {
        let isApproval = route.id == "approveResolution" || route.id == "approveTransferResolution"
        return isApproval ? ["seenVersion": .integer(Int64(version))] : acknowledged(version)
    }

    /// A body that is taken.
    private func body(_ target: String) async throws -> Json? {
        let steps = target.split(separator: "/").map(String.init)
        let payment = steps.compactMap { PaymentId($0) }.first
        let transfer = steps.compactMap { TransferId($0) }.first
        switch route.id {
        case "createPayment": return ApiHarness.sale()
        case "createTransfer": return ApiHarness.transfer
        case "confirmPayment": return ["sdk": "ios", "code": 0]
        case "confirmTransfer":
            guard let transfer else { return nil }
            let reference = try await api.payment(transfer).attempt?.reference ?? ""
            return ["call": "transfer", "billNumber": .string(reference), "cancelled": true]
        case "proposeTransferResolution", "approveTransferResolution":
            guard let transfer else { return nil }
            return Self.resolution(route, try await api.payment(transfer).version)
        case "signature":
            guard let payment else { return nil }
            return ["paramsForSignature": .string(try await api.deviceString(payment))]
        case "openDispute": return ["amount": ["value": 5, "currency": "EUR"]]
        case "addEvidence", "addTransferEvidence": return ["evidence": "the statement shows it"]
        case "proposeResolution", "approveResolution":
            guard let payment else { return nil }
            return Self.resolution(route, try await api.payment(payment).version)
        case "configureAccount":
            return [
                "name": "tour", "provider": "ecommpay", "mode": "test",
                "settings": ["currencies": ["EUR"], "projectId": 7], "secrets": ["secretKey": "x"],
            ]
        case "setRouting": return ["accounts": ["ecommpay-eur"]]
        case "openSession": return ["customer": "customer-77"]
        case "checkFields", "cardPrefix":
            let part: (String, Json) = route.id == "cardPrefix" ? ("digits", "45673500") : ("values", [:])
            return .object(
                JsonObject([("amount", ["value": 1999, "currency": "EUR"]), ("country", "BE"), part])
            )
        case "setRoutes": return ["rules": [["name": "all", "to": [["account": "ecommpay-eur"]]]]]
        case "explainRoute": return ["amount": ["value": 5, "currency": "EUR"]]
        case "createSchedule": return ApiHarness.subscription
        case "ownClock": return [:]
        case "advanceClock": return ["to": "2040-01-01T00:00:00Z"]
        case "previewSchedule": return ["rule": ApiHarness.subscription["rule"] ?? .null]
        case "changeSchedule": return ["amount": ["value": 2499, "currency": "EUR"]]
        case "runOccurrence": return ["presence": "customerPresent"]
        case "closePeriod": return ["note": "done"]
        case "keepDunning": return ["giveUp": "mark"]
        case _ where isAboutAccess: return accessBody
        default: return try await otherBody(target)
        }
    }

    // MARK: The tour

    func seen() async throws -> Set<Int> {
        var seen: Set<Int> = []
        let target = try await target()
        let body = try await body(target)
        seen.formUnion(try await refusals(target, body))
        if route.scope == nil {
            seen.formUnion(try await open(target))
        } else {
            seen.formUnion(try await successes(target, body))
            seen.formUnion(try await keyed(target, body))
        }
        if route.id == "addDisputeEvidence" { seen.formUnion(try await evidenceStatuses(target)) }
        if isAboutBills { seen.formUnion(try await billStatuses(target)) }
        if isAboutSettlement { seen.formUnion(try await settlementStatuses(target)) }
        if isAboutEvents { seen.formUnion(try await eventStatuses()) }
        if isAboutWebhooks { seen.formUnion(try await webhookStatuses(target, body)) }
        return seen
    }

    /// What any request may end in.
    private func refusals(_ target: String, _ body: Json?) async throws -> [Int] {
        let long = [UInt8](repeating: 0x20, count: Limits.reportBodyBytes + 1)
        let longTarget = target + "?x=" + String(repeating: "x", count: Limits.targetBytes)
        let many = (0...Limits.headerCount).map { ("X-\($0)", "y") }
        return [
            try await api.send(HttpRequest(method: route.method, target: target, body: long)).status,
            try await api.send(route.method, longTarget).status,
            try await api.send(route.method, target, headers: many).status,
        ]
    }

    private func keyed(_ target: String, _ body: Json?) async throws -> [Int] {
        let other = Scope.allCases.first { $0 != route.scope } ?? .read
        var seen = [
            try await api.send(route.method, target, body, key: "a", token: nil).status,
            try await api.send(route.method, target, body, key: "a", token: "psk_\(other.rawValue)").status,
            try await api.send(route.method, target + "?colour=red", body, key: "a").status,
            try await api.send(
                route.method,
                target,
                body,
                key: "a",
                headers: [("Correlation-Id", "4242 4242 4242 4242")]
            ).status,
        ]
        if [.json, .optionalJson].contains(route.body.rule) {
            let odd = try await api.send(
                route.method,
                target,
                body ?? [:],
                key: "a",
                headers: [("Content-Type", "text/plain")]
            )
            seen.append(odd.status)
        }
        if route.pattern.contains("{") {
            seen.append(try await api.send(route.method, GuardTests.target(route), body ?? emptyBody, key: "b").status)
        }
        if route.id == "explainRoute" {
            let stranger: Json = ["payment": "pay_00000000000070008000000000000001"]
            seen.append(try await api.send(route.method, target, stranger).status)
        }
        if route.isCommand {
            seen.append(try await conflict(target, body))
            let meant = [("If-Match", "\"1000000\"")]
            seen.append(try await api.send(route.method, target, body, key: "meant", headers: meant).status)
        }
        api.switches.readFault = true
        seen.append(try await api.send(route.method, target, body ?? emptyBody, key: "c").status)
        api.switches.readFault = false
        return seen
    }

    private var emptyBody: Json? { route.body.rule == .none ? nil : [:] }

    /// Uses a key that was given to another command.
    private func conflict(_ target: String, _ body: Json?) async throws -> Int {
        if route.id == "setRouting" || isAboutAccess {
            _ = try await api.create(key: "conflict")
        } else {
            try await api.send(.put, "/v1/routing", ["accounts": ["ecommpay-eur"]], key: "conflict").expect(200)
        }
        return try await api.send(route.method, target, body, key: "conflict").status
    }

    private func successes(_ target: String, _ body: Json?) async throws -> [Int] {
        guard route.isCommand else { return try await reading(target, body) }
        var seen = [
            try await api.send(route.method, target, body, key: "go").status,
            try await api.send(route.method, target, body, key: "go").status,
        ]
        if route.id == "createPayment" || route.id == "createTransfer" {
            let answer = try await api.send(route.method, target, body, key: "w", headers: [("Prefer", "wait=1")])
            seen.append(answer.status)
        }
        api.switches.outcome = .pending(stream: StreamName(api.merchant, .routing, Uuid(high: 0, low: 1)))
        seen.append(try await api.send(route.method, target, body, key: "busy").status)
        api.switches.outcome = nil
        return seen
    }

    private func reading(_ target: String, _ body: Json?) async throws -> [Int] {
        let answer = try await api.send(route.method, target, body)
        var seen = [answer.status]
        if route.id == "getPayment" || route.id == "getTransfer" {
            let tag = answer.header("ETag") ?? ""
            seen.append(try await api.send(route.method, target, headers: [("If-None-Match", tag)]).status)
            seen.append(try await api.send(route.method, target, headers: [("If-Match", "\"1000000\"")]).status)
        }
        if route.id == "getClock" || route.id == "advanceClock" || route.id == "ownClock" {
            seen += try await clocks(target, body)
        }
        if route.id == "closePeriod" {
            seen.append(try await api.send(.put, "/v1/periods/2099-01", [:], key: nil).status)
        }
        if route.id == "nextAction" {
            // A page's payment: an app's is told where its object is, and nothing is rendered.
            let page = "/v1/payments/\(try await api.create(key: "page"))/next-action"
            seen += try await handoverRefusals(page, nil)
        }
        if route.id == "transferNextAction" { seen += try await handoverRefusals(try await pageTransfer(), nil) }
        if route.id == "appParameters" || route.id == "signature" || route.id == "transferAppParameters" {
            seen += try await handoverRefusals(target, body)
        }
        return seen
    }

    /// Another merchant has no clock, and gets none once it has an account that is not in test mode.
    private func clocks(_ target: String, _ body: Json?) async throws -> [Int] {
        let live: Json = [
            "name": "live", "provider": "ecommpay", "mode": "live",
            "settings": ["currencies": ["EUR"], "projectId": 7], "secrets": ["secretKey": "x"],
        ]
        try await api.send(.post, "/v1/accounts", live, key: "live", token: "psk_other").expect(200)
        var seen = [
            try await api.send(route.method, target, body, token: "psk_other").status,
            try await api.send(route.method, target, body).status,
        ]
        if route.id == "advanceClock" {
            seen.append(try await api.send(.post, target, ["to": "2039-01-01T00:00:00Z"]).status)
        }
        return seen
    }

    /// The next action of a transfer with a saved card: what the app needs is rendered to tell which way it goes.
    private func pageTransfer() async throws -> String {
        let instrument = try await api.instrument(ofPortmone: true)
        var body = ApiHarness.transfer.members ?? JsonObject([])
        body["method"] = "instrument"
        body["instrument"] = .string(instrument.text)
        let made = try await api.post("/v1/transfers", .object(body), key: "by-card").expect(202)
        return "/v1/transfers/\(made.json["id"]?.text ?? "")/next-action"
    }

    private func handoverRefusals(_ target: String, _ body: Json?) async throws -> [Int] {
        var seen: [Int] = []
        for failure in [HandoverFailure.notOpen, .erased] {
            api.switches.handover = failure
            seen.append(try await api.send(route.method, target, body).status)
        }
        api.switches.handover = nil
        return seen
    }

    private func open(_ target: String) async throws -> [Int] {
        if route.id == "notification" { return try await notification(target) }
        let get = { (target: String, body: [UInt8]) in
            try await api.send(HttpRequest(method: route.method, target: target, body: body)).status
        }
        var seen = [try await get(target, []), try await get(target, [0x7B])]
        for other in try await otherTargets() { seen.append(try await get(other, [])) }
        if route.id == "bankReturn" {
            for _ in 0..<Api.returnRate.burst { seen.append(try await get("/v1/return/x/y/z", [])) }
        }
        if route.id == "metrics" {
            seen.append(try await api.send(.get, target, headers: [("X-Forwarded-For", "a")]).status)
        }
        if route.id == "readiness" {
            api.switches.unready = "the database is away"
            seen.append(try await get(target, []))
        }
        return seen
    }

    private func notification(_ target: String) async throws -> [Int] {
        let id = try await api.create(key: "tour")
        let reference = try await api.payment(id).attempt?.reference ?? ""
        let operation = CallbackOperation(id: 1, type: "sale", status: "success", minor: 1999)
        let body = try operation.signed(reference: reference, status: "success", key: ApiHarness.secretKey)
        let post = { (target: String, body: [UInt8]) in
            try await api.send(HttpRequest(method: .post, target: target, body: body)).status
        }
        var seen = [
            try await post(target, body), try await post(target, []), try await post(target + "x", body),
            try await post("/v1/notifications/nobody/1/x", body),
            try await post("/v1/notifications/ecommpay/1/4111111111111111", body),
        ]
        // One sender may be refused so often, and then it is not kept any more.
        var last = 0
        for _ in 0...StrangerLimits().refused.burst { last = try await post(target, []) }
        seen.append(last)
        api.switches.storeFault = .before(StoreFailure(.unavailable, detail: "the test switched the store off"))
        defer { api.switches.storeFault = nil }
        api.clock.advance(by: .seconds(3600))
        return seen + [try await post(target, body)]
    }
}
