import Http
import Kernel
import Sandbox
import Testing

/// A payment in instalments through a real daemon: opened by us, approved in the form, committed and refunded in part.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct DolyameOrderTests {
    @Test func `an order is approved, committed in part and refunded in part`() async throws {
        try await Stage.run("e2edolyame") { stage, daemon in
            try await stage.addDolyame(daemon)
            let (id, url) = try await stage.dolyame(daemon, "instalments")
            try await stage.choose("approve", at: url)
            try await stage.wait(daemon, id, for: "authorized")
            try await stage.control(
                "/dolyame/control/faults",
                ["method": "commit", "fault": "error_after"]
            )
            try await stage.call(daemon, .post, "/v1/payments/\(id)/capture", Stage.dolyamePart, key: "capture")
            try await stage.wait(daemon, id, for: "captured")
            try await stage.call(daemon, .post, "/v1/payments/\(id)/complete-delivery", [:], key: "delivered")
            try await stage.until("the delivery is complete") { () -> Stage.Look<Void> in
                let payment = try await stage.payment(daemon, id)
                let states = payment["errands"]?.items?.map { $0["state"] } ?? []
                return states == ["done"] ? .done(()) : .notYet(payment.canonicalText)
            }
            let refused = try await stage.exchange(
                daemon,
                .post,
                "/v1/payments/\(id)/refund",
                [
                    "amount": ["currency": "RUB", "value": 60000],
                    "details": ["items": [["name": "Ball", "price": "600"]]],
                ],
                key: "refund-ball",
                headers: [("Prefer", "wait=10")]
            )
            #expect(refused.status == 422)
            try await stage.call(daemon, .post, "/v1/payments/\(id)/refund", [:], key: "refund")
            try await stage.wait(daemon, id, for: "refunded")
            // Each notification came from a network of the account's and was kept.
            #expect(try await stage.count("paystream.quarantine") == 0)
            #expect(try await stage.count("paystream.input WHERE name = 'dolyame.notification'") > 0)
            try await stage.verifyReplay()
        }
    }

    @Test func `a refused and an abandoned order end as such`() async throws {
        try await Stage.run("e2edolyameends") { stage, daemon in
            try await stage.addDolyame(daemon)
            let declined = try await stage.dolyame(daemon, "declined")
            try await stage.choose("decline", at: declined.url)
            try await stage.wait(daemon, declined.id, for: "failed")
            let abandoned = try await stage.dolyame(daemon, "abandoned")
            try await stage.choose("abandon", at: abandoned.url)
            try await stage.wait(daemon, abandoned.id, for: "expired")
            // Nobody can pay on its page any more, long before its link would have died by itself.
            let unwanted = try await stage.dolyame(daemon, "unwanted")
            try await stage.call(daemon, .post, "/v1/payments/\(unwanted.id)/void", [:], key: "void")
            try await stage.wait(daemon, unwanted.id, for: "voided")
            try await stage.verifyReplay()
        }
    }
}
