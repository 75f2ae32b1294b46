import Http
import Kernel
import Testing

/// The members of requests that move money beside payments, one by one: each is seen in the resource or in what the app gets, or
/// is refused by its name.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct MoneyMembersTests {
    @Test func `what is posted about a transfer is in its resource`() async throws {
        try await Stage.run("e2etransfermembers") { stage, daemon in
            try await stage.addPortmone(daemon)
            let card = try await stage.saveCard(daemon).instrument
            let least: Json = ["amount": Stage.hryvnias(1500)]
            let expiry = "2099-01-02T03:04:05Z"
            let sent: Json = [
                "account": "portmone-uah", "accountMode": "test", "amount": Stage.hryvnias(1500), "country": "UA",
                "customer": "customer-77", "description": "Boots for a friend", "expiresAt": .string(expiry),
                "id": "trf_019000000000700080000000000000c1", "instrument": .string(card),
                "metadata": ["shelf": "shelf 4"], "method": "sdk",
                "provider": "portmone", "recurring": PaymentMembersTests.calendar, "reference": "reference-77",
            ]
            for member in sent.members?.members ?? [] {
                let body = least.setting([member.name], member.value)
                let answer = try await stage.exchange(daemon, .post, "/v1/transfers", body, key: "of-\(member.name)")
                let told = (try? Json(answer.body)) ?? .null
                if answer.status == 422, told["path"]?.text?.hasPrefix(member.name) == true { continue }
                #expect(answer.status / 100 == 2, "\(member.name): \(told.canonicalText)")
                let shown = try await stage.call(daemon, .get, "/v1/transfers/\(told["id"]?.text ?? "?")")
                let found: Json? =
                    switch member.name {
                    case "account": shown.at("account", "name")
                    case "accountMode": shown.at("account", "mode")
                    case "provider": shown.at("account", "provider")
                    case "country": shown["routes"]?.items?.first?.at("question", "country") ?? shown["country"]
                    case "expiresAt":
                        shown["expiresAt"]?.text?.hasPrefix(expiry.dropLast()) == true
                            ? member.value : shown["expiresAt"]
                    case "recurring": shown["recurring"].flatMap { $0["kind"].map { ["kind": $0] } }
                    default: shown[member.name]
                    }
                #expect(found == member.value, "\(member.name) is \(found?.canonicalText ?? "not shown")")
            }
            // What a transfer's details are told is tried by AcceptedMembersTests.
            let listed: Json = ["recurring": PaymentMembersTests.dates]
            try await stage.refuses(daemon, "/v1/transfers", least.merged(with: listed), "recurring")
            try await stage.holdEvery(daemon, "CreateTransfer", [sent.setting(["details"], [:]), listed])
        }
    }

    @Test func `what is posted about a batch of bills is shown, compared or refused`() async throws {
        try await Stage.run("e2ebillmembers") { stage, daemon in
            let source = try await stage.addBills(daemon, ["perCall": 2, "callsInFlight": 1, "spacingMs": 0])
            let head: Json = [
                "account": .string(Stage.billAccount), "credentials": .string(source.credentials),
                "customer": "cust-1", "id": "bat_019000000000700080000000000000c1",
                "instrument": .string(source.instrument), "reference": "June of 77",
            ]
            let made = try await stage.call(daemon, .post, "/v1/bill-batches", head, key: "batch")
            let batch = "/v1/bill-batches/\(try #require(made["id"]?.text))"
            let shown = try await stage.call(daemon, .get, batch)
            for member in head.members?.members ?? [] {
                let found = member.name == "account" ? shown.at("account", "name") : shown[member.name]
                #expect(found == member.value, "\(member.name) is \(found?.canonicalText ?? "not shown")")
            }
            let byWallet = head.setting(["wallet"], true)
            try await stage.refuses(daemon, "/v1/bill-batches", byWallet, "wallet")
            try await stage.holdEvery(daemon, "CreateBillBatch", [byWallet])

            try await stage.upload(daemon, shown["id"]?.text ?? "", ["x-1", "broken-1", "x-2"])
            let whole: Json = ["count": 3, "total": Stage.hryvnias(3000)]
            try await stage.refuses(daemon, "\(batch)/submit", whole.setting(["count"], 2))
            try await stage.refuses(daemon, "\(batch)/submit", whole.setting(["total"], Stage.hryvnias(2999)))
            try await stage.call(daemon, .post, "\(batch)/submit", whole, key: "submit")
            try await stage.holdEvery(daemon, "SubmitBillBatch", [whole])
            try await stage.waitBatch(daemon, shown["id"]?.text ?? "", for: ["paused"])

            // A card is no credential, and the batch goes on with none but its customer's.
            try await stage.refuses(
                daemon,
                "\(batch)/continue",
                ["credentials": .string(source.instrument)],
                "credentials"
            )
            let further: Json = ["credentials": .string(source.credentials)]
            try await stage.call(daemon, .post, "\(batch)/continue", further, key: "continue")
            try await stage.holdEvery(daemon, "ContinueBillBatch", [further])
            try await stage.waitBatch(daemon, shown["id"]?.text ?? "", for: ["unresolved"])

            let bill = try await stage.call(daemon, .get, "\(batch)/bills/x-1")
            let line: Json = ["amount": Stage.hryvnias(1000), "id": "x-1"]
            for member in line.members?.members ?? [] {
                #expect(bill.canonicalText.contains(member.value.canonicalText), "a bill shows no \(member.name)")
            }
            try await stage.holdEvery(daemon, "BillLine", [line])
            try await resolve(stage, daemon, "\(batch)/bills/x-1", version: bill["version"] ?? .null)
        }
    }

    /// Posts each member of a person's word about a bill.
    private func resolve(_ stage: Stage, _ daemon: DaemonProcess, _ bill: String, version: Json) async throws {
        let proposal: Json = [
            "evidence": "the cabinet shows nine", "outcome": "paid", "paid": Stage.hryvnias(900),
            "seenVersion": version,
        ]
        try await stage.refuses(daemon, "\(bill)/resolutions", proposal.setting(["seenVersion"], 1))
        let proposed = try await stage.call(daemon, .post, "\(bill)/resolutions", proposal, key: "propose")
        let resolution = proposed["resolutions"]?.items?.first?.canonicalText ?? ""
        for member in proposal.members?.members ?? [] where member.name != "seenVersion" {
            #expect(resolution.contains(member.value.canonicalText), "\(member.name) is not in \(resolution)")
        }
        try await stage.holdEvery(daemon, "BillProposal", [proposal])
    }

    @Test func `what is posted about credentials and cards for bills is shown, used or refused`() async throws {
        try await Stage.run("e2ebillcardmembers") { stage, daemon in
            let source = try await stage.addBills(daemon, mode: "sdk", ["perCall": 5])
            let account: Json = ["account": .string(Stage.billAccount)]
            let user: Json = account.merged(with: ["customer": "cust-1", "login": "Login", "password": "Password"])
            try await stage.refuses(daemon, "/v1/bill-credentials", user.setting(["login"], "Nobody"))
            try await stage.refuses(daemon, "/v1/bill-credentials", user.setting(["password"], "Wrong"))
            let kept = try await stage.call(daemon, .get, "/v1/instruments/\(source.credentials)")
            #expect(kept["customer"] == "cust-1", "\(kept.canonicalText)")
            try await stage.holdEvery(daemon, "BillCredentials", [user])

            let by = account.setting(["credentials"], .string(source.credentials))
            let saving = by.setting(["language"], "en")
            let asked = try await stage.call(daemon, .post, "/v1/bill-cards/app-parameters", saving)
            #expect(asked.at("parameters", "params", "language") == "en")
            #expect(asked.at("parameters", "params", "contractNumber") == "Login")
            try await stage.holdEvery(daemon, "BillCardParameters", [saving])

            let card = by.merged(with: ["customer": "customer-77", "token": "BILLTOKEN0001"])
            try await stage.refuses(daemon, "/v1/bill-cards", card.setting(["token"], "OLDTOKEN"), "token")
            let saved = try await stage.call(daemon, .post, "/v1/bill-cards", card, key: "card")
            let instrument = try #require(saved["id"]?.text)
            let shown = try await stage.call(daemon, .get, "/v1/instruments/\(instrument)")
            #expect(shown["customer"] == "customer-77", "\(shown.canonicalText)")
            try await stage.holdEvery(daemon, "SaveBillCard", [card])

            let check = by.merged(with: ["instrument": .string(instrument), "login": "Login"])
            #expect(try await stage.call(daemon, .post, "/v1/bill-cards/check", check)["usable"] == true)
            for member in ["credentials", "instrument"] {
                let other = check.setting([member], "ins_00000000000070008000000000000001")
                try await stage.refuses(daemon, "/v1/bill-cards/check", other, member)
            }
            try await stage.holdEvery(daemon, "CheckBillCard", [check])
        }
    }

    @Test func `a key that kept credentials or a card for bills is not taken for anything else`() async throws {
        try await Stage.run("e2ebillkeys") { stage, daemon in
            let source = try await stage.addBills(daemon, mode: "sdk", ["perCall": 5])
            let account: Json = ["account": .string(Stage.billAccount), "customer": "customer-77"]
            let user = account.merged(with: ["customer": "cust-1", "login": "Login", "password": "Password"])
            let card = account.merged(with: [
                "credentials": .string(source.credentials), "token": "BILLTOKEN0001",
            ])
            for (path, body, others) in [
                ("/v1/bill-credentials", user, ["customer": "customer-78"]),
                ("/v1/bill-cards", card, ["customer": "customer-78", "token": "BILLTOKEN0002"]),
            ] as [(String, Json, [String: Json])] {
                let first = try await stage.call(daemon, .post, path, body, key: path)
                #expect(try await stage.call(daemon, .post, path, body, key: path) == first)
                for (member, value) in others {
                    let answer = try await stage.exchange(daemon, .post, path, body.setting([member], value), key: path)
                    #expect(answer.status == 409, "\(path) takes another \(member): \(answer.status)")
                    #expect(try Json(answer.body)["code"] == "idempotency_conflict", "\(member)")
                }
                let without = try await stage.exchange(daemon, .post, path, body.removing(["customer"]), key: path)
                #expect(without.status == 409, "\(path) takes no customer")
            }
        }
    }

    @Test func `each member of what an app says of a bill is in its standing`() async throws {
        try await Stage.run("e2ebillclaims") { stage, daemon in
            let source = try await stage.addBills(daemon, mode: "sdk", ["perCall": 4])
            let batch = try await stage.submitBills(daemon, source, ["a", "b", "c", "d"], name: "told")
            _ = try await stage.untilParameters(daemon, batch)
            // As the guide of Portmone's SDK names them, numbers as its app writes them.
            let first = try Json(
                text: """
                    {"authCode": "AUTH77", "billAmount": 10.0, "billId": "a", "commissionAmount": 0.77,
                     "contractNumber": "CONTRACT77", "errorMessage": "", "paidAmount": 9.5,
                     "payDate": "21.11.2026 10:00:00", "payeeName": "Water 77",
                     "recieptUrl": "https://receipts.example/77.pdf", "status": "PAYED"}
                    """
            )
            let second: Json = [
                "billAmount": 10, "billId": "b", "errorMessage": "no money 77", "paidAmount": 0, "status": "REJECTED",
            ]
            let third: Json = ["billAmount": 12, "billId": "c", "paidAmount": 10, "status": "PAYED"]
            let claim: Json = ["bills": [first, second, third]]
            let path = "/v1/bill-batches/\(batch)"
            for (body, member) in [
                (["bills": "x"], "bills"), (["bills": [1]], "bills.0"), (["bills": [["status": 1]]], "bills.0.status"),
                (claim.setting(["error"], "no network"), ""),
            ] as [(Json, String)] {
                try await stage.refuses(daemon, "\(path)/claims", body, member)
            }
            try await stage.call(daemon, .post, "\(path)/claims", claim, key: "claim")
            try await stage.waitBatch(daemon, batch, for: ["unresolved"])
            func standing(_ bill: String) async throws -> Json {
                try await stage.call(daemon, .get, "\(path)/bills/\(bill)")["standing"] ?? .null
            }
            let paid: Json = [
                "amountDiffers": true, "authCode": "AUTH77", "claimed": "paid", "commission": Stage.hryvnias(77),
                "contractNumber": "CONTRACT77", "id": "a", "outcome": "claimed", "paid": Stage.hryvnias(950),
                "payDate": "21.11.2026 10:00:00", "payeeName": "Water 77",
                "receiptUrl": "https://receipts.example/77.pdf", "source": "claim",
            ]
            #expect(try await standing("a") == paid)
            let failed: Json = [
                "errorText": "no money 77", "id": "b", "outcome": "failed", "paid": Stage.hryvnias(0),
                "source": "claim",
            ]
            #expect(try await standing("b") == failed)
            // Another amount of the bill is another bill than the one that was asked for.
            let other = try await standing("c")
            #expect(other["amountDiffers"] == true && other["paid"] == Stage.hryvnias(1000), "\(other.canonicalText)")
            // Of which the app said nothing.
            #expect(try await standing("d")["outcome"] == "unknown")
            try await stage.holdEvery(daemon, "BillClaim", [claim])
            try await stage.verifyReplay()
        }
    }
}
