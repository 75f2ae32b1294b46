import Http
import Kernel
import Testing

/// A dispute with a deadline and files: a daemon as a process, PostgreSQL, sandbox.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct DisputeEvidenceFlowTests {
    @Test func `a dispute is owed until its deadline, and its files are kept sealed`() async throws {
        try await Stage.run("disputefiles") { stage, daemon in
            let id = try await stage.paid(daemon, "disputed", 7700)
            let body: Json = ["amount": Stage.euros(700), "answerBy": "2099-01-02T03:04:05Z", "reason": "not received"]
            let opened = try await stage.call(daemon, .post, "/v1/payments/\(id)/disputes", body, key: "open")
            let dispute = try #require(opened["disputes"]?.items?.first?["id"]?.text)
            let owed = try await stage.until("somebody owes an answer") {
                let items = try await stage.call(daemon, .get, "/v1/operations/unresolved")["items"]?.items ?? []
                let owed = items.flatMap { $0["obligations"]?.items ?? [] }.first { $0["kind"] == "dispute" }
                return owed.map { .done($0) } ?? .notYet("\(items)")
            }
            #expect(owed["deadline"]?.text?.hasPrefix("2099-01-02T03:04:05") == true)
            let files = "/v1/payments/\(id)/disputes/\(dispute)/evidence"
            let scan = Array("%PDF-1.7 ".utf8) + (0..<300_000).map { UInt8(truncatingIfNeeded: $0 * 31) | 0x80 }
            let headers = HttpHeaders([("Authorization", "Bearer \(stage.token)"), ("Content-Type", "application/pdf")])
            let address = daemon.address + files + "?name=delivery%20note.pdf"
            for status in [201, 200] {
                let kept = try await stage.send(.post, address, headers, scan)
                #expect(kept.status == status, "\(String(decoding: kept.body, as: UTF8.self))")
            }
            let listed = try await stage.call(daemon, .get, files)["items"]?.items ?? []
            #expect(listed.count == 1 && listed.first?["name"] == "delivery note.pdf")
            #expect(try await stage.count("paystream.dispute_evidence e WHERE e::text LIKE '%delivery%'") == 0)
            let one = try await stage.call(daemon, .get, "\(files)/\(listed.first?["id"]?.text ?? "")")
            #expect(one["content"]?.text.flatMap { Base64.decode($0) } == scan)
            #expect(try await stage.count("paystream.access_record WHERE action = 'dispute_evidence'") == 1)
            try await stage.verifyReplay()
        }
    }
}
