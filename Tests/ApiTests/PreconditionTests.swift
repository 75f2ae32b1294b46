import Api
import EventSourcing
import Http
import Kernel
import Payments
import TestKit
import Testing

/// `If-Match`, and what a client is told when we fail.
@Suite struct PreconditionTests {
    @Test func `a command that is meant for another version is 412, and the one at hand is taken`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create(ApiHarness.sale(mode: .authorize))
            let target = "/v1/payments/\(id)"
            let tag = try #require(try await api.get(target).expect(200).header("ETag"))
            for (number, stale) in ["\"1000\"", "W/\(tag)", "\"a\"", "1", "\"1000\", \"1001\""].enumerated() {
                let key = "stale-\(number)"
                let answer = try await api.post(target + "/sync", [:], key: key, headers: [("If-Match", stale)]).expect(
                    412
                )
                #expect(answer.code == "precondition_failed")
                #expect(answer.path == "If-Match")
                // A refusal that was decided stays the key's answer.
                try await api.post(target + "/sync", [:], key: key, headers: [("If-Match", stale)]).expect(412)
            }
            #expect(try await api.get(target).header("ETag") == tag)
            let fresh = try await api.post(
                target + "/sync",
                [:],
                key: "fresh",
                headers: [("If-Match", "\"7\", \(tag)")]
            )
            #expect(fresh.status < 300, "\(fresh)")
            let any = try await api.post(target + "/sync", [:], key: "any", headers: [("If-Match", "*")])
            #expect(any.status < 300, "\(any)")
        }
    }

    @Test func `what has no version matches none`() async throws {
        try await ApiHarness.run { api throws in
            let tag = [("If-Match", "\"1\"")]
            let created = try await api.post("/v1/payments", ApiHarness.sale(), key: "new", headers: tag).expect(412)
            #expect(created.code == "precondition_failed")
            // It was refused before it became a command: the key is free.
            try await api.post("/v1/payments", ApiHarness.sale(), key: "new").expect(202)
        }
    }

    @Test func `no answer tells what failed inside`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create(ApiHarness.sale())
            let inside = "connection to server on socket \"/var/run/postgresql/.s.PGSQL.5432\" failed"
            api.switches.storeFault = .before(StoreFailure(.unavailable, detail: inside))
            defer { api.switches.storeFault = nil }
            for (target, body, key) in [
                ("/v1/payments/\(id)/sync", [:] as Json?, "sync" as String?),
                ("/v1/payments", ApiHarness.sale(), "other"),
                ("/v1/payments/\(id)/next-action", nil, nil), ("/v1/payments/\(id)", nil, nil),
            ] {
                let answer = try await api.send(body == nil ? .get : .post, target, body, key: key)
                #expect(!answer.text.contains("socket") && !answer.text.contains("/var"), "\(target): \(answer)")
                if answer.status == 503 { #expect(answer.header("Retry-After") == "1") }
            }
        }
    }
}
