import Http
import Kernel
import TestKit
import Testing

/// An account that was closed while daemons ran: nothing new begins at it, and what exists goes on to its end.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct ClosedAccountFlowTests {
    @Test func `a held payment is captured and refunded after its account was closed, and no other is made`()
        async throws
    {
        try await Stage.run("e2eclosedaccount") { stage, daemon in
            let held = try await stage.paid(daemon, "held", 7700, mode: "authorize")
            let other = try await stage.serve()
            // What the other daemon knows of accounts is a moment old.
            try await stage.call(other, .get, "/v1/accounts")
            let printed = try await stage.tool(daemon, ["accounts", "--json", "close", Stage.account])
            #expect(try Json(Array(printed.utf8))["open"] == false)
            let closed = try await stage.call(other, .post, "/v1/accounts/\(Stage.account)/close", [:], key: "close")
            #expect(closed["open"] == false)
            for (number, node) in [daemon, other].enumerated() {
                let body = Stage.newPayment("new", 7700, more: [("account", .string(Stage.account))])
                let refused = try await stage.exchange(node, .post, "/v1/payments", body, key: "new-\(number)")
                #expect(refused.status == 422)
                #expect(try Json(refused.body)["code"] == "account_closed")
            }
            let unrouted = try await stage.exchange(
                daemon,
                .post,
                "/v1/payments",
                Stage.newPayment("any", 7700),
                key: "any"
            )
            #expect(try Json(unrouted.body)["code"] == "no_account_for_payment")
            try await stage.call(daemon, .post, "/v1/payments/\(held)/capture", [:], key: "capture")
            try await stage.wait(daemon, held, for: "captured")
            try await stage.call(other, .post, "/v1/payments/\(held)/refund", [:], key: "refund")
            try await stage.wait(other, held, for: "refunded")
            try await stage.verifyReplay()
        }
    }
}
