import Http
import Kernel
import Testing

/// Rows of Portmone that say something else than what it did, or nothing that can be read.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct PortmoneAnswerTests {
    /// An account behind the provider, whose absences are proved soon.
    private static func open(_ stage: Stage, _ daemon: DaemonProcess) async throws -> ToldProvider {
        let provider = try stage.toldProvider()
        let settings: Json = [
            "gatewayUrl": .string(provider.address + "/portmone/gateway/"), "absenceSeconds": 1,
            "refundAbsenceSeconds": 1, "pollCapSeconds": 1,
        ]
        try await stage.addPortmone(daemon, settings)
        return provider
    }

    /// A held payment of a hundred hryvnias.
    private static func held(_ stage: Stage, _ daemon: DaemonProcess, _ name: String) async throws -> String {
        let id = try await stage.portmone(daemon, name, 10_000, mode: "authorize")
        try await stage.press(daemon, id, ["approve"])
        try await stage.wait(daemon, id, for: "authorized")
        return id
    }

    private static let odd: [(String, Json?, owed: String)] = [
        ("comma", "1,00", "contradiction: amount"), ("third", "1.005", "contradiction: amount"),
        ("unit", "0.01 UAH", "contradiction: amount"), ("plus", "+1", "contradiction: amount"),
        ("empty", "", "amount: amount_unknown"), ("missing", nil, "amount: amount_unknown"),
    ]

    @Test func `a paid row books what it states and nothing else`() async throws {
        try await Stage.run("e2eportmonerows") { stage, daemon in
            let provider = try await Self.open(stage, daemon)
            var ids: [String] = []
            for (word, amount, _) in Self.odd {
                let id = try await stage.portmone(daemon, word, 10_000)
                let name = try await stage.providerName(daemon, id)
                let edit = ToldProvider.Answer.edited { rows in
                    amount.map { rows.setting(["0", "billAmount"], $0) } ?? rows.removing(["0", "billAmount"])
                }
                provider.tell(edit, times: .max, on: "\"result\"", name)
                try await stage.press(daemon, id, ["approve"])
                ids.append(id)
            }
            let exact = try await stage.portmone(daemon, "double", 12_990)
            let double = try Json(text: "129.90000000000001")
            let name = try await stage.providerName(daemon, exact)
            provider.tell(.edited { $0.setting(["0", "billAmount"], double) }, times: .max, on: "\"result\"", name)
            try await stage.press(daemon, exact, ["approve"])
            let paid = try await stage.wait(daemon, exact, for: "captured")
            #expect(Stage.sum(paid, "captured") == 12_990 && Stage.operatorOwes(paid) == [])
            for (id, odd) in zip(ids, Self.odd) {
                let payment = try await stage.wait(daemon, id, operatorOwes: odd.owed)
                #expect(Stage.sum(payment, "captured") == 0 && payment["status"] == "indeterminate")
                #expect(try await stage.portmoneLedger(daemon, id) == ["charge 10000"])
                let next = try await stage.call(daemon, .get, "/v1/payments/\(id)/next-action")
                #expect(["wait", "none"].contains(next["type"]?.text), "\(next.canonicalText)")
            }
            provider.forget()
            for id in ids {
                try await stage.look(daemon, id, until: "the amount is told") { Stage.sum($0, "captured") == 10_000 }
            }
            try await stage.verifyReplay()
        }
    }

    @Test func `another amount than was asked for is ours and a person's, and the books follow the latest look`()
        async throws
    {
        try await Stage.run("e2eportmoneother") { stage, daemon in
            let provider = try await Self.open(stage, daemon)
            let hold = try await Self.held(stage, daemon, "hold")
            let name = try await stage.providerName(daemon, hold)
            provider.tell(.edited { $0.setting(["0", "bill_amount"], "10") }, times: .max, on: "confirmPreauth", name)
            provider.tell(.edited { $0.setting(["0", "billAmount"], "10") }, times: .max, on: "\"result\"", name)
            let four: Json = ["amount": Stage.hryvnias(400)]
            try await stage.call(daemon, .post, "/v1/payments/\(hold)/capture", four, key: "capture")
            let more = try await stage.wait(daemon, hold, operatorOwes: "contradiction: amount")
            #expect(Stage.operations(more, "capture") == ["commanded succeeded 1000"], "\(more.canonicalText)")
            #expect(provider.messages(naming: "confirmPreauth", name).count == 1)

            let sale = try await stage.portmone(daemon, "sale", 10_000)
            try await stage.press(daemon, sale, ["approve"])
            try await stage.wait(daemon, sale, for: "captured")
            let other = try await stage.providerName(daemon, sale)
            provider.tell(.edited { $0.setting(["0", "billAmount"], "-5") }, times: .max, on: "\"return\"", other)
            provider.tell(.edited { $0.setting(["0", "billAmount"], "-5") }, times: .max, on: "\"result\"", other)
            try await stage.call(daemon, .post, "/v1/payments/\(sale)/refund", four, key: "refund")
            let back = try await stage.wait(daemon, sale, operatorOwes: "contradiction: amount")
            #expect(Stage.operations(back, "refund") == ["commanded succeeded 500"], "\(back.canonicalText)")

            provider.forget()
            let taken = try await stage.look(daemon, hold, until: "books follow") { Stage.sum($0, "captured") == 400 }
            #expect(Stage.sum(taken, "released") + Stage.sum(taken, "held") == 9600, "\(taken.canonicalText)")
            try await stage.look(daemon, sale, until: "books follow") { Stage.sum($0, "refunded") == 400 }
            try await stage.acknowledge(daemon, sale)
            let one: Json = ["amount": Stage.hryvnias(100)]
            try await stage.call(daemon, .post, "/v1/payments/\(sale)/refund", one, key: "further")
            try await stage.look(daemon, sale, until: "both refunds are there") { Stage.sum($0, "refunded") == 500 }
            #expect(try await stage.portmoneLedger(daemon, sale) == ["charge 10000", "refund 400", "refund 100"])
            #expect(provider.messages(naming: "\"return\"", other).count == 2)
            try await stage.verifyReplay()
        }
    }

    @Test func `money that shows again after we gave its hold back is a person's`() async throws {
        try await Stage.run("e2eportmoneagain") { stage, daemon in
            let provider = try await Self.open(stage, daemon)
            for (status, owed) in [("PAYED", "contradiction: excess"), ("PREAUTH", "contradiction: vanished")] {
                let id = try await Self.held(stage, daemon, status)
                try await stage.call(daemon, .post, "/v1/payments/\(id)/void", [:], key: "void-\(status)")
                let voided = try await stage.wait(daemon, id, for: "voided")
                #expect(Stage.operatorOwes(voided) == [])
                let name = try await stage.providerName(daemon, id)
                provider.tell(
                    .edited { $0.setting(["0", "status"], .string(status)) },
                    times: .max,
                    on: "\"result\"",
                    name
                )
                try await stage.look(daemon, id, until: owed) { Stage.operatorOwes($0).contains(owed) }
                try await stage.wait(daemon, id, operatorOwes: owed)
                #expect(try await stage.portmoneLedger(daemon, id) == ["hold 10000", "release 10000"])
                #expect(provider.messages(naming: "rejectPreauth", name).count == 1)
            }
            try await stage.verifyReplay()
        }
    }
}
