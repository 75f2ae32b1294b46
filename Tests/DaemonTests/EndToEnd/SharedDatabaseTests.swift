import Glibc
import Http
import Kernel
import SystemKit
import Testing

/// Several daemons on one database, and a daemon that is asked to end.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct SharedDatabaseTests {
    private static let payments = 40

    @Test func `two daemons on one database never send twice`() async throws {
        // Who is killed may have marked a capture that it never sent: absence has to be proved before it is sent again.
        try await Stage.run("e2etwo", settings: ["absenceSeconds": 2]) { stage, first in
            let second = try await stage.serve()
            var other = first
            var ids: [String] = []
            for number in 0..<Self.payments {
                if number == Self.payments / 2 {
                    try await stage.end(first, SIGKILL)
                    other = try await stage.serve(onPortOf: first)
                    try await stage.passLeases()
                }
                let daemon = number.isMultiple(of: 2) ? other : second
                let mode = number.isMultiple(of: 4) ? "authorize" : "sale"
                ids.append(try await stage.open(daemon, "two-\(number)", 7700, mode: mode))
            }
            try await Self.follow(stage, ids, second, other)
            try await stage.verifyReplay()
        }
    }

    /// Captures the holds and refunds the sales, each asked of both daemons, one killed and replaced in the middle.
    private static func follow(
        _ stage: Stage,
        _ ids: [String],
        _ second: DaemonProcess,
        _ third: DaemonProcess
    ) async throws {
        for (number, id) in ids.enumerated() {
            let isHold = number.isMultiple(of: 4)
            try await stage.wait(number.isMultiple(of: 2) ? second : third, id, for: isHold ? "authorized" : "captured")
        }
        var other = third
        for (number, id) in ids.enumerated() {
            let verb = number.isMultiple(of: 4) ? "capture" : "refund"
            for daemon in [second, other] {
                try await stage.call(daemon, .post, "/v1/payments/\(id)/\(verb)", [:], key: "\(verb)-\(number)")
            }
            if number == payments / 2 {
                try await stage.end(third, SIGKILL)
                other = try await stage.serve(onPortOf: third)
                try await stage.passLeases()
            }
        }
        for (number, id) in ids.enumerated() {
            let isHold = number.isMultiple(of: 4)
            try await stage.wait(number.isMultiple(of: 2) ? second : other, id, for: isHold ? "captured" : "refunded")
            let entries = try await stage.ledger(try await stage.providerName(second, id))
            #expect(entries == (isHold ? ["hold 7700", "capture 7700"] : ["charge 7700", "refund 7700"]))
        }
    }

    @Test func `a node that runs on behind a newer schema refuses, and loses nothing that it had taken`() async throws {
        try await Stage.run("e2enewer") { stage, daemon in
            let paid = try await stage.paid(daemon, "older", 7700)
            try await stage.execute("ALTER FUNCTION paystream.commit RENAME TO commit_of_another_build")
            let body = Stage.newPayment("newer", 7700)
            let refused = try await stage.exchange(daemon, .post, "/v1/payments", body, key: "newer")
            #expect(refused.status == 503, "\(String(decoding: refused.body, as: UTF8.self))")
            try await stage.enqueue("payment.refund", key: "newer-refund", ["payment": .string(paid)])
            try await stage.until("the node has taken it over") {
                let left = try await stage.count("paystream.inbox")
                return left == 0 ? .done(()) : .notYet("\(left)")
            }
            // In two seconds the worker tries it twice, and suspects it of nothing.
            try await Task.sleep(for: .seconds(2))
            // Streams that hear of the payment may wait beside it.
            #expect(try await stage.count("paystream.mail WHERE stream = '\(paid.dropFirst(4))'") == 1)
            #expect(try await stage.count("paystream.mail WHERE attempts > 0") == 0)
            try await stage.execute("ALTER FUNCTION paystream.commit_of_another_build RENAME TO commit")
            try await stage.call(daemon, .post, "/v1/payments", body, key: "newer")
            try await stage.wait(daemon, paid, for: "refunded")
            try await stage.verifyReplay()
        }
    }

    @Test func `SIGTERM answers what is in flight and leaves nothing claimed`() async throws {
        try await Stage.run("e2edrain") { stage, daemon in
            let id = try await stage.paid(daemon, "drain", 7770)
            async let answer = stage.exchange(
                daemon,
                .post,
                "/v1/payments/\(id)/refund",
                [:],
                key: "refund",
                headers: [("Prefer", "wait=10")]
            )
            try await stage.waitForEffect(in: "1, 2")
            let ending = try await stage.end(daemon, SIGTERM)
            #expect(ending == .exited(0))
            let response = try await answer
            #expect(response.status == 200 || response.status == 202)
            #expect((try Json(response.body))["id"]?.text == id)
            #expect(try await stage.count("paystream.effect WHERE state IN (1, 2)") == 0)
            let next = try await stage.serve(onPortOf: daemon)
            try await stage.wait(next, id, for: "refunded")
            #expect(try await stage.ledger(try await stage.providerName(next, id)) == ["charge 7770", "refund 7770"])
        }
    }
}
