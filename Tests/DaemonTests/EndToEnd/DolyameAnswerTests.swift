import Http
import Kernel
import Testing

/// Answers of Dolyame that say something else than what it did, and orders that are not the ones that were asked for.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct DolyameAnswerTests {
    private static let ball: Json = [
        "amount": Stage.roubles(60_000),
        "details": ["items": [["name": "Ball", "price": "600.00", "sku": "BL-4"]]],
    ]

    @Test func `another sum than was committed is ours and a person's, and the books follow the latest look`()
        async throws
    {
        try await Stage.run("e2edolyameother") { stage, daemon in
            let provider = try stage.toldProvider()
            try await stage.addDolyame(daemon, at: provider.address)
            let (id, url) = try await stage.dolyame(daemon, "other")
            try await stage.choose("approve", at: url)
            try await stage.wait(daemon, id, for: "authorized")
            let name = try await stage.providerName(daemon, id)
            let twice = ToldProvider.Answer.edited { $0["status"] == "committed" ? $0.setting(["amount"], 1200) : $0 }
            provider.tell(twice, times: .max, on: name)
            try await stage.call(daemon, .post, "/v1/payments/\(id)/capture", Self.ball, key: "capture")
            let more = try await stage.wait(daemon, id, operatorOwes: "contradiction: amount")
            #expect(Stage.operations(more, "capture") == ["commanded succeeded 120000"], "\(more.canonicalText)")
            #expect(Stage.sum(more, "captured") + Stage.sum(more, "released") + Stage.sum(more, "held") == 700_000)

            provider.forget()
            let taken = try await stage.look(daemon, id, until: "books follow") { Stage.sum($0, "captured") == 60_000 }
            #expect(Stage.sum(taken, "released") + Stage.sum(taken, "held") == 640_000, "\(taken.canonicalText)")
            try await stage.acknowledge(daemon, id)
            try await stage.call(daemon, .post, "/v1/payments/\(id)/refund", [:], key: "refund")
            try await stage.wait(daemon, id, for: "refunded")
            let ledger = ["hold 700000", "capture 60000", "release 640000", "refund 60000"]
            #expect(try await stage.dolyameLedger(daemon, id) == ledger)
            #expect(provider.messages(naming: "POST", name, "/commit\n").count == 1)
            #expect(provider.messages(naming: "POST", name, "/refund\n").count == 1)
            try await stage.verifyReplay()
        }
    }

    @Test func `nobody is sent to an order that is found with another sum, and one that nobody paid is ended`()
        async throws
    {
        try await Stage.run("e2edolyamefound") { stage, daemon in
            let provider = try stage.toldProvider()
            try await stage.addDolyame(daemon, at: provider.address)
            provider.tell(.lost, on: "POST", "/create\n")
            provider.tell(.edited { $0.setting(["amount"], 6000) }, times: .max, on: "GET", "/info\n")
            let body: Json = [
                "mode": "authorize", "account": "dolyame", "reference": "lost",
                "amount": Stage.roubles(700_000), "details": Stage.dolyameDetails,
            ]
            let made = try await stage.call(daemon, .post, "/v1/payments", body, key: "lost")
            let lost = try #require(made["id"]?.text)
            try await stage.wait(daemon, lost, operatorOwes: "contradiction: amount")
            let next = try await stage.call(daemon, .get, "/v1/payments/\(lost)/next-action")
            #expect(next["type"] == "none" && next["reason"] == "contradicted", "\(next.canonicalText)")
            let name = try await stage.providerName(daemon, lost)
            #expect(provider.messages(naming: "POST", "/create\n", name).count == 1)
            provider.forget()

            let unwanted = try await stage.dolyame(daemon, "unwanted").id
            let other = try await stage.providerName(daemon, unwanted)
            try await stage.call(daemon, .post, "/v1/payments/\(unwanted)/void", [:], key: "void")
            try await stage.wait(daemon, unwanted, for: "voided")
            #expect(provider.messages(naming: "POST", other, "/cancel\n").count == 1)
            let orders = try await stage.control("/dolyame/control/journal?payment_id=\(other)")["entries"]?.items ?? []
            #expect(orders.contains { $0["name"] == "canceled" }, "\(orders)")
            #expect(try await stage.dolyameLedger(daemon, unwanted) == [])
            try await stage.verifyReplay()
        }
    }
}
