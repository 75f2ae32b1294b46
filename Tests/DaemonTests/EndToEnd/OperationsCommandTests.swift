import Glibc
import Http
import Kernel
import Testing

/// `paystream operations`, each verb against a daemon, PostgreSQL and the sandbox.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct OperationsCommandTests {
    @Test func `two persons end by the command line what the provider does not tell`() async throws {
        try await Stage.run("operationscli") { stage, daemon in
            // Its page is never opened, and the provider knows of nothing.
            let body = Stage.newPayment("asked", 7700)
            let created = try await stage.call(daemon, .post, "/v1/payments", body, key: "asked")
            let id = try #require(created["id"]?.text)
            let noted = try Json(
                text: try await stage.tool(daemon, ["operations", "--json", "evidence", id, "the payer never came"])
            )
            #expect(noted["id"] == .string(id))
            let operation = try #require(noted["operations"]?.items?.first?["id"])
            let proposal: Json = [
                "verdict": ["is": "failed", "operation": operation], "evidence": "not in the statement",
                "seenVersion": noted["version"] ?? .null,
            ]
            let file = try stage.file("proposal", proposal)
            let proposed = try Json(text: try await stage.tool(daemon, ["operations", "--json", "propose", id, file]))
            let resolution = try #require(proposed["resolutions"]?.items?.first?["id"]?.text)
            let seen = String(try #require(proposed["version"]?.integer))
            let approve = ["operations", "--json", "approve", id, resolution, "--seen", seen]
            let refusal = await #expect(throws: (any Error).self) { try await stage.tool(daemon, approve) }
            #expect("\(refusal.map { "\($0)" } ?? "")".contains("second_person_needed"))
            #expect(try await stage.payment(daemon, id)["status"] != "failed", "nobody approves of their own")
            let second = try await stage.newKey("second-person")
            let approved = try Json(text: try await stage.tool(daemon, approve, key: second))
            #expect(approved["status"] == "failed", "\(approved.canonicalText)")
            #expect(try await stage.command(["operations", "list"]).contains("nothing is unresolved"))
            try await stage.verifyReplay()
        }
    }
}
