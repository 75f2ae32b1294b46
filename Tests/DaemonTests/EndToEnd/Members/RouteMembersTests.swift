import Daemon
import Http
import Kernel
import Testing

/// Each member that the OpenAPI document gives to a request is shown again by the resource, or has its reason here.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct RouteMembersTests {
    /// Where a member that was posted is seen again.
    enum Sight {
        /// Its text or number somewhere in the resource or in its events.
        case shown
        /// What becomes of it is seen by other means than a resource; the word says which.
        case elsewhere(String)
    }

    /// What every member of every request becomes; a member that is not listed fails the test.
    static let sights: [String: [String: Sight]] = {
        let seen = Sight.shown
        let terms: [String: Sight] = [
            "account": seen, "accountMode": seen, "amount": seen, "country": seen, "customer": seen,
            "description": seen, "details": .elsewhere("AcceptedMembersTests"), "expiresAt": seen, "instrument": seen,
            "metadata": seen, "method": seen, "mode": seen, "provider": seen, "recurring": seen, "reference": seen,
            "schedule": seen,
        ]
        let act: [String: Sight] = ["amount": seen, "capture": seen, "details": .elsewhere("refused"), "reason": seen]
        return [
            "CreatePayment": terms, "Capture": act, "Part": act, "Refund": act,
            "OpenDispute": act, "EndDispute": act, "Delivery": ["details": .elsewhere("refused")], "Empty": [:],
            "AddEvidence": ["evidence": seen], "Approval": ["seenVersion": .elsewhere("compared")],
            "Proposal": ["evidence": seen, "seenVersion": seen, "verdict": seen],
            "ConfigureAccount": [
                "currencies": seen, "mode": seen, "name": seen, "provider": seen,
                "secrets": .elsewhere("sealed, and named"), "settings": seen,
            ],
            "CreateSchedule": [
                "account": seen, "activateBy": seen, "activation": seen, "amount": seen, "customer": seen,
                "description": seen, "details": .elsewhere("AcceptedMembersTests"), "fallback": seen,
                "instrument": seen, "kind": seen, "mandate": seen, "metadata": seen, "policy": seen, "presence": seen,
                "reference": seen, "rule": seen, "runner": seen,
            ],
            "DeviceString": ["paramsForSignature": .elsewhere("signed")],
            "BillClaim": ["bills": seen],
        ]
    }()

    /// Requests each of whose members is posted and looked for by a test that asks the document for them.
    static let posted: Set<String> = [
        "AdvanceClock", "BillCardParameters", "BillCredentials", "BillLine", "BillProposal", "CardPrefixQuestion",
        "ChangeSchedule", "CheckBillCard", "CheckFields", "ContinueBillBatch", "CreateBillBatch", "CreateTransfer",
        "ExplainRoute", "KeepDunningPolicy", "OpenSession", "OwnClock", "PauseSchedule", "PreviewSchedule",
        "ResumeSchedule", "RunOccurrence", "SaveBillCard", "SetRoutes", "SetRouting", "SubmitBillBatch",
    ]

    @Test func `each member of the document has its place`() async throws {
        try await Stage.run("e2eroutemembers") { stage, daemon in
            let document = try await stage.call(daemon, .get, "/openapi.json")
            for (operation, schema) in Self.requests(document) where !Self.posted.contains(schema) {
                let members = document.at("components", "schemas", schema, "properties")?.members?.names ?? []
                let isOpen = document.at("components", "schemas", schema, "additionalProperties") != false
                if isOpen, members.isEmpty { continue }
                let known = Self.sights[schema] ?? [:]
                for member in members where known[member] == nil {
                    Issue.record("\(operation): nobody says where \(schema).\(member) is seen again")
                }
            }
        }
    }

    @Test func `what is posted about a payment is in its resource`() async throws {
        try await Stage.run("e2epaymentmembers") { stage, daemon in
            let expiry = "2099-01-02T03:04:05Z"
            let sent: [String: Json] = [
                "account": .string(Stage.account), "accountMode": "test", "amount": Stage.euros(1999),
                "country": "LV", "customer": "customer-77", "description": "Boots of seven leagues",
                "expiresAt": .string(expiry), "metadata": ["shelf": "shelf 4"], "method": "sdk", "mode": "authorize",
                "provider": "ecommpay", "recurring": ["kind": "oneClick"], "reference": "reference-77",
            ]
            var body = JsonObject(sent.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
            body["details"] = ["payer": ["email": "payer@example.org"]]
            let made = try await stage.call(daemon, .post, "/v1/payments", .object(body), key: "all")
            let id = try #require(made["id"]?.text)
            let shown = try await stage.payment(daemon, id)
            for (member, value) in sent {
                let found: Json? =
                    switch member {
                    case "account": shown.at("account", "name")
                    case "accountMode": shown.at("account", "mode")
                    case "provider": shown.at("account", "provider")
                    case "expiresAt":
                        shown["expiresAt"]?.text?.hasPrefix(expiry.dropLast()) == true ? value : shown[member]
                    case "recurring": shown["recurring"].flatMap { $0["kind"].map { ["kind": $0] } }
                    default: shown[member]
                    }
                #expect(found == value, "\(member) is \(found?.canonicalText ?? "not shown")")
            }
        }
    }

    @Test func `what is posted about captures, refunds, disputes and evidence is in the resource`() async throws {
        try await Stage.run("e2eactmembers") { stage, daemon in
            let id = try await stage.paid(daemon, "acts", 7700, mode: "authorize")
            let path = "/v1/payments/\(id)"
            func act(_ name: String, _ body: Json) async throws {
                try await stage.call(daemon, .post, "\(path)/\(name)", body, key: "act-\(name)")
            }
            try await act("capture", ["amount": Stage.euros(5000), "reason": "because captured"])
            try await stage.waitForCaptured(daemon, id, 5000)
            let capture = try await stage.payment(daemon, id)["operations"]?.items?.first { $0["kind"] == "capture" }
            let target = capture?["id"] ?? .null
            try await act("refund", ["amount": Stage.euros(1000), "capture": target, "reason": "because refunded"])
            try await act("disputes", ["amount": Stage.euros(700), "capture": target, "reason": "because disputed"])
            try await act("evidence", ["evidence": "seen in the bank's statement"])
            let shown = try await stage.payment(daemon, id).canonicalText
            for words in ["because captured", "because refunded", "because disputed", "seen in the bank's statement"] {
                #expect(shown.contains(words), "\(words) is not shown")
            }
            for (name, body) in [
                ("capture", ["details": ["items": []]]), ("refund", ["details": ["note": "x"]]),
                ("complete-delivery", ["details": ["items": []]]),
            ] as [(String, Json)] {
                let answer = try await stage.exchange(daemon, .post, "\(path)/\(name)", body, key: "drop-\(name)")
                let problem = (try? Json(answer.body)) ?? .null
                #expect(answer.status == 422 && problem["path"]?.text?.hasPrefix("details.") == true, "\(name)")
            }
        }
    }

    @Test func `what is posted about a schedule or an account is in the resource`() async throws {
        try await Stage.run("e2eschedulemembers") { stage, daemon in
            let body: Json = [
                "account": .string(Stage.account), "activateBy": "2099-01-02T03:04:05Z", "activation": "authorize",
                "amount": Stage.euros(700), "customer": "customer-77", "description": "Boots by the month",
                "details": ["payer": ["email": "payer@example.org"]], "kind": "regular",
                "metadata": ["shelf": "shelf 4"], "reference": "reference-77",
                "rule": try await stage.rule(every: "month", inSeconds: 3600),
            ]
            let id = try await stage.schedule(daemon, "members", body)
            let shown = try await stage.call(daemon, .get, "/v1/schedules/\(id)")
            for (member, value) in body.members?.members.map({ ($0.name, $0.value) }) ?? []
            where member != "rule" && member != "details" {
                var found = shown[member]
                // A schedule names its account by the id.
                if member == "account", found?.text.flatMap({ Uuid($0) }) != nil { found = value }
                if member == "activateBy", found?.text?.hasPrefix("2099-01-02T03:04:05") == true { found = value }
                #expect(found == value, "\(member) is \(found?.canonicalText ?? "not shown")")
            }
            let account = try await stage.call(daemon, .get, "/v1/accounts")["items"]?.items?.first
            for member in ["mode", "name", "provider", "settings", "secrets"] {
                #expect(account?[member] != nil, "an account shows no \(member)")
            }
        }
    }

    /// Operations with the schema of their JSON body.
    private static func requests(_ document: Json) -> [(String, String)] {
        var found: [(String, String)] = []
        for path in document["paths"]?.members?.members ?? [] {
            for operation in path.value.members?.members ?? [] {
                for content in operation.value.at("requestBody", "content")?.members?.members ?? [] {
                    guard let reference = content.value.at("schema", "$ref")?.text,
                        let name = reference.split(separator: "/").last
                    else { continue }
                    found.append((operation.value["operationId"]?.text ?? path.name, String(name)))
                }
            }
        }
        return found
    }
}
