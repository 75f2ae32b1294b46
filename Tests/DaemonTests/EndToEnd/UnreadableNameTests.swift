import EventSourcing
import Http
import Kernel
import Payments
import Testing

/// Names and documents that can't be kept, or can be read in two ways: unreadable, looked up and owned, and no poison.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct UnreadableNameTests {
    private static let odd: [(String, String)] = [
        ("nul", "x\\u0000y"), ("bell", "x\\u0007y"), ("delete", "x\\u007fy"),
        ("long", String(repeating: "7", count: Limits.providerNameBytes + 1)),
    ]

    @Test func `an unsigned callback that names an order with a control character is refused and counted`() async throws
    {
        try await Stage.run("e2eoddcallback") { stage, daemon in
            try await stage.addSberPay(daemon, "ecom")
            let account = DerivedNames.account(MerchantNumber(1), name: Stage.sberPayAccount("ecom"))
            let url = "\(daemon.address)/v1/notifications/sberpay/1/\(account.compact)"
            let form = HttpHeaders([("Content-Type", "application/x-www-form-urlencoded")])
            var statuses: [Int] = []
            let names = ["a%00b", "a%00b", "a%7Fb", String(repeating: "7", count: Limits.providerNameBytes + 1)]
            for number in 0..<80 {
                let odd = names[number % names.count]
                let both = number % 2 == 0 ? "mdOrder=\(odd)&orderNumber=1" : "mdOrder=1&orderNumber=\(odd)"
                let body = "\(both)&operation=deposited&status=1&n=\(number)"
                statuses.append(try await stage.send(.post, url, form, Array(body.utf8)).status)
            }
            #expect(Set(statuses) == [400, 429], "\(statuses)")
            #expect(statuses.prefix(20).allSatisfy { $0 == 400 }, "\(statuses)")
        }
    }

    @Test func `an order that is named unreadably is looked up`() async throws {
        try await Stage.run("e2eoddname") { stage, daemon in
            let provider = try stage.toldProvider()
            try await stage.addSberPay(daemon, "legacy", [("baseUrl", .string(provider.address + "/sberpay"))])
            for (word, text) in Self.odd {
                provider.forget()
                let name = "\"orderId\":\"" + text
                provider.tell(.changed { $0.replacing("\"orderId\":\"", with: name) }, times: .max, on: "register")
                let id = try await stage.sberPay(daemon, word, 1900, at: "legacy")
                let words = try await stage.agree(daemon, id, until: "failed")
                #expect(words.allSatisfy { !$0.hasSuffix("redirect") }, "\(word): \(words)")
                let events = try await stage.call(daemon, .get, "/v1/payments/\(id)/events").canonicalText
                #expect(events.contains("unreadable: "), "\(word): \(events)")
            }
            #expect(try await stage.count("paystream.input_quarantine") == 0)
            try await stage.verifyReplay()
        }
    }

    @Test func `a member that is told twice with two values says nothing`() async throws {
        try await Stage.run("e2etwovalues") { stage, daemon in
            let provider = try stage.toldProvider()
            let twice = "\"orderStatus\":6,\"orderStatus\":"
            provider.tell(.changed { $0.replacing("\"orderStatus\":", with: twice) }, times: .max, on: "getOrderStatus")
            try await stage.addSberPay(daemon, "legacy", [("baseUrl", .string(provider.address + "/sberpay"))])
            let id = try await stage.sberPay(daemon, "twice", 1900, at: "legacy")
            _ = try await stage.agree(daemon, id, until: "requiresAction")
            try await stage.press(daemon, id, ["approve"])
            try await stage.call(daemon, .post, "/v1/payments/\(id)/sync", [:], key: "sync")
            try await stage.until("the look could tell nothing") {
                let events = try await stage.call(daemon, .get, "/v1/payments/\(id)/events").canonicalText
                return events.contains("unreadable: ") ? .done(()) : .notYet(events)
            }
            let unread = try await stage.payment(daemon, id)
            #expect(unread.at("amounts", "captured", "value")?.integer ?? 0 == 0, "\(unread.canonicalText)")
            provider.forget()
            try await stage.wait(daemon, id, for: "captured")
            try await stage.verifyReplay()
        }
    }
}
