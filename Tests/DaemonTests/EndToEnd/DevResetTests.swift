import Cluster
import Kernel
import SystemKit
import Testing

/// `paystream dev --reset`: what it asks, and what it never throws away.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct DevResetTests {
    @Test func `nothing is removed without a word, nor while a daemon runs, and a word is enough`() async throws {
        try await DevStage.run("reset") { stage in
            #expect(try await stage.run(["trigger", "payment.created"]).code == 0)
            let busy = try await stage.run(["dev", "--reset", "--yes"])
            #expect(busy.code == 2 && busy.text.contains("the daemon still runs"), "\(busy.text)")
            #expect(try await stage.run(["dev", "--yes"]).code == 2)
            await stage.endDaemon()
            let silent = try await stage.run(["dev", "--reset"])
            #expect(silent.code == 2 && silent.text.contains("--reset --yes"), "\(silent.text)")
            #expect(silent.text.contains("1 payments of 1 merchants"), "\(silent.text)")
            let kept = try await stage.run(["dev", "--reset"], input: "no")
            #expect(kept.code == 1 && kept.text.contains("kept everything"), "\(kept.text)")
            #expect(FileTree.names(in: stage.folder + "/.paystream").contains("master.key"))
            let removed = try await stage.run(["dev", "--reset"], input: "yes")
            #expect(removed.code == 0 && removed.text.contains("removed database"), "\(removed.text)")
            #expect(!FileTree.names(in: stage.folder + "/.paystream").contains("master.key"))
            #expect(try await stage.run(["dev", "--reset"]).code == 0, "there is nothing to ask about")
        }
    }

    @Test func `a database with a live account is kept whatever is said`() async throws {
        try await DevStage.run("resetlive") { stage in
            let account: Json = [
                "mode": "live", "name": "real-eur", "provider": "ecommpay", "secrets": ["secretKey": "x"],
                "settings": ["currencies": ["EUR"], "projectId": 7],
            ]
            try PrivateFile.write(account.canonicalText, to: stage.folder + "/live.json")
            let made = try await stage.run(["accounts", "set", "live.json"])
            #expect(made.code == 0, "\(made.text)")
            await stage.endDaemon()
            for words in [["dev", "--reset", "--yes"], ["dev", "--reset"]] {
                let refused = try await stage.run(words, input: "yes")
                #expect(refused.code == 2 && refused.text.contains("live accounts (real-eur)"), "\(refused.text)")
            }
            #expect(FileTree.names(in: stage.folder + "/.paystream").contains("master.key"))
        }
    }
}
