import Http
import Kernel
import SystemKit
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

    @Test func `the command lists, brings and saves files about a dispute, and says until when`() async throws {
        try await Stage.run("disputecommand") { stage, daemon in
            let id = try await stage.paid(daemon, "disputed", 7700)
            let body: Json = ["amount": Stage.euros(700), "answerBy": "2099-01-02T03:04:05Z"]
            let opened = try await stage.call(daemon, .post, "/v1/payments/\(id)/disputes", body, key: "open")
            let dispute = try #require(opened["disputes"]?.items?.first?["id"]?.text)
            let scan: [UInt8] =
                [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
            let path = "\(stage.folder)/доставка.png"
            try PrivateFile.make(scan, at: path)
            func disputes(_ words: String...) async throws -> String {
                try await stage.tool(daemon, ["disputes"] + words)
            }
            // Behind an answer stands until when.
            func first(_ text: String) throws -> Json { try Json(text: String(text.prefix { $0 != "\n" })) }
            let none = try await disputes("files", id, dispute)
            #expect(none.contains("no files about this dispute") && none.contains("answer by 2099-01-02T03:04:05"))
            let kept = try first(try await disputes("--json", "attach", id, dispute, path))
            let file = try #require(kept["id"]?.text)
            #expect(kept["type"] == "image/png" && kept["name"] == "доставка.png" && kept["bytes"] == 5008)
            let again = try first(try await disputes("--json", "--name", "other", "attach", id, dispute, path))
            #expect(again["id"]?.text == file, "the same file is the same")
            let listed = try await disputes("files", id, dispute)
            #expect(listed.contains(file) && listed.contains("доставка.png") && listed.contains("image/png"))
            let rows = try await disputes("--json", "files", id, dispute).split(separator: "\n")
            #expect(try rows.map { try Json(text: String($0))["id"]?.text } == [file])
            let saved = "\(stage.folder)/saved.png"
            #expect(try await disputes("save", id, dispute, file, saved).contains("5008 bytes"))
            #expect(SmallFile.read(saved) == scan)
            #expect(try await stage.count("paystream.access_record WHERE action = 'dispute_evidence'") == 1)
            await #expect(throws: (any Error).self, "it is there already") {
                try await stage.tool(daemon, ["disputes", "save", id, dispute, file, saved])
            }
            let blank = "\(stage.folder)/blank.bin"
            try PrivateFile.make([0, 1, 2], at: blank)
            await #expect(throws: (any Error).self, "no type that is kept") {
                try await stage.tool(daemon, ["disputes", "attach", id, dispute, blank])
            }
            let end = "/v1/payments/\(id)/disputes/\(dispute)/won"
            try await stage.call(daemon, .post, end, [:], key: "won")
            #expect(try await disputes("files", id, dispute).contains("the dispute has ended: won"))
            await #expect(throws: (any Error).self, "it has ended") {
                try await stage.tool(daemon, ["disputes", "--name", "late", "attach", id, dispute, path])
            }
        }
    }
}
