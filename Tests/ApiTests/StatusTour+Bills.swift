import Api
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import TestKit

/// Endpoints about bills: an account whose bills are paid in the app, with a user's credentials and a saved card.
extension StatusTour {
    static let billAccount = "portmone-bills"

    /// Statuses that no request to the harness ends in, and why.
    static let unreachable: [String: [Int: String]] = [
        "billAppParameters": [
            410: "a payer is erased by the table of keys, which this harness keeps in memory for good"
        ]
    ]

    var isAboutBills: Bool { route.pattern.hasPrefix("/v1/bill-") }

    private static let line = Array(#"{"id":"101","amount":{"value":1000,"currency":"UAH"}}"#.utf8) + [0x0A]

    private static let credentials: Json = [
        "account": .string(billAccount), "login": "Login", "password": "Password", "customer": "customer-77",
    ]

    /// What the path of an endpoint about bills names.
    func billValues() async throws -> [String: String] {
        try await configureBills()
        guard route.pattern.contains("{batch}") else { return [:] }
        let head = try await head()
        let batch = try await api.post("/v1/bill-batches", head, key: "tour-batch").expect(201).json["id"]?.text ?? ""
        switch route.id {
        case "uploadBills", "getBillBatch": return ["batch": batch]
        default: break
        }
        let one = "/v1/bill-batches/\(batch)"
        try await upload(one + "/bills?page=1", Self.line).expect(200)
        guard route.id != "submitBillBatch" else { return ["batch": batch] }
        try await api.post(one + "/submit", [:], key: "tour-submit").expect(200)
        try await until { try await api.get(one + "/bills/101").status == 200 }
        if ["claimBills", "billAppParameters", "billBatchAction"].contains(route.id) {
            try await until { try await api.get(one + "/next-action").json["type"] == "sdk" }
        }
        return ["batch": batch, "bill": "101"]
    }

    /// A body that is taken.
    func billBody(_ target: String) async throws -> Json? {
        let user: [(String, Json)] = [
            ("account", .string(Self.billAccount)), ("credentials", .string(try await savedCredentials())),
        ]
        switch route.id {
        case "createBillBatch": return try await head()
        case "claimBills": return ["bills": [["billId": "101", "status": "PAYED", "billAmount": "10.00"]]]
        case "proposeBillResolution", "approveBillResolution":
            let bill = target.split(separator: "/").prefix(5).reduce("") { $0 + "/" + $1 }
            let version = try await api.get(bill).json["version"] ?? 1
            guard !target.hasSuffix("/approve") else { return ["seenVersion": version] }
            return ["outcome": "failed", "evidence": "not in the cabinet", "seenVersion": version]
        case "saveBillCredentials": return Self.credentials
        case "billCardParameters": return .object(JsonObject(user))
        case "saveBillCard":
            answerCards()
            return .object(JsonObject(user + [("token", "token-7"), ("customer", "customer-77")]))
        case "checkBillCard":
            answerCards()
            let card = JsonObject(user + [("token", "token-7"), ("customer", "customer-77")])
            let saved = try await api.post("/v1/bill-cards", .object(card), key: "tour-card").expect(200)
            return .object(JsonObject(user + [("instrument", saved.json["id"] ?? .null)]))
        default: return nil
        }
    }

    /// What a usual tour does not come to.
    func billStatuses(_ target: String) async throws -> [Int] {
        switch route.id {
        case "getBillBatch":
            let tag = try await api.get(target).header("ETag") ?? ""
            return [
                try await api.send(.get, target, headers: [("If-None-Match", tag)]).status,
                try await api.send(.get, target, headers: [("If-Match", "\"1000000\"")]).status,
            ]
        case "uploadBills": return try await uploads(target)
        case "billAppParameters":
            let empty = try await api.post("/v1/bill-batches", try await head(), key: "empty").expect(201)
            let id = empty.json["id"]?.text ?? ""
            return [try await api.post("/v1/bill-batches/\(id)/app-parameters").status]
        case "continueBillBatch", "proposeBillResolution", "approveBillResolution":
            // A batch is paused, and a bill unknown, by answers of the provider, which an app's batch has none of.
            let body = try await billBody(target) ?? [:]
            api.switches.outcome = .accepted(
                stream: StreamName(api.merchant, .routing, Uuid(high: 0, low: 1)),
                version: 1,
                isReplay: false
            )
            defer { api.switches.outcome = nil }
            return [try await api.post(target, body, key: "told").status]
        case "billCardParameters", "saveBillCard", "checkBillCard":
            // No vault opens these credentials, as if their owner had been erased.
            var body = try await billBody(target)?.members ?? JsonObject([])
            body["credentials"] = .string(try await api.instrument(of: Self.billAccount).text)
            return [try await api.post(target, .object(body), key: "erased").status]
        default: return []
        }
    }

    private func uploads(_ target: String) async throws -> [Int] {
        var seen = [
            try await upload(target, Self.line).status, try await upload(target, Array("{}\n".utf8)).status,
            try await upload(GuardTests.target(route), Self.line).status,
            try await upload(target + "?colour=red", Self.line).status,
        ]
        api.switches.outcome = .keyConflict
        seen.append(try await upload(target, Self.line).status)
        api.switches.outcome = nil
        let request = upload(request: target, Self.line)
        let long = await api.api.handle(request, from: GuardTests.peer, body: EndlessBody())
        return seen + [long.status]
    }

    // MARK: Steps

    private func configureBills() async throws {
        let account: Json = [
            "name": .string(Self.billAccount), "provider": "portmone", "mode": "test",
            "settings": ["payeeId": "1185", "login": "shop", "bulkMode": "sdk"],
            "secrets": ["password": "p", "signingKey": "s", "notificationKey": "n"],
        ]
        try await api.post("/v1/accounts", account, key: "tour-bills").expect(200)
    }

    private func answerCards() {
        api.wire.play { _ in .answered(.json(200, ["result": ["cardMask": "444433******1111"]])) }
    }

    private func savedCredentials() async throws -> String {
        api.wire.play { _ in .answered(.json(200, ["result": ["credentials": "stands-for-the-password"]])) }
        let made = try await api.post("/v1/bill-credentials", Self.credentials, key: "tour-credentials")
        guard let id = made.json["id"]?.text else { throw HarnessFailure(what: "credentials: \(made)") }
        return id
    }

    private func head() async throws -> Json {
        [
            "account": .string(Self.billAccount), "credentials": .string(try await savedCredentials()),
            "customer": "customer-77",
        ]
    }

    private func upload(request target: String, _ body: [UInt8]) -> HttpRequest {
        let headers = HttpHeaders([
            ("Authorization", "Bearer \(ApiHarness.allKey)"), ("Content-Type", "application/x-ndjson"),
        ])
        return HttpRequest(method: .put, target: target, headers: headers, body: body)
    }

    private func upload(_ target: String, _ body: [UInt8]) async throws -> Answer {
        try await api.send(upload(request: target, body))
    }

    /// The engine admits bills by itself, a moment later.
    private func until(_ isSo: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while try await !isSo() {
            guard ContinuousClock.now < deadline else { throw HarnessFailure(what: "bills of \(route.id)") }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}

/// A body that is longer than any may be.
struct EndlessBody: BodyReader {
    func next() async throws(BodyFailure) -> [UInt8]? { throw BodyFailure(.tooLarge) }
}
