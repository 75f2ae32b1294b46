import Http
import Kernel
import Testing

/// Payments are found by the merchant's labels: a daemon as a process, PostgreSQL, sandbox.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct LabelSearchFlowTests {
    @Test func `payments are found by their metadata, over HTTP and by the command, before and after a rebuild`()
        async throws
    {
        try await Stage.run("labelsearch") { stage, daemon in
            let first = try await stage.made(daemon, "first", ["channel": "web", "shop": "Riga, 3=1"])
            let second = try await stage.made(daemon, "second", ["channel": "web", "empty": ""])
            let third = try await stage.made(daemon, "third", ["channel": "app"])
            try await stage.until("the list knows all of them") {
                let found = try await stage.labelled(daemon, "limit=50")
                return found.count == 3 ? .done(()) : .notYet("\(found)")
            }
            try await stage.findsLabels(daemon, first, second, third)
            let lines = try await stage.command([
                "payments", "--json", "--metadata", "channel=web", "--metadata", "shop=Riga, 3=1",
            ])
            #expect(lines.split(separator: "\n").map { try? Json(text: String($0))["id"]?.text } == [first])
            let page = try await stage.call(daemon, .get, "/v1/payments?metadata%5Bchannel%5D=web&limit=1")
            let next = try #require(page["next"]?.text)
            #expect(try await stage.labelled(daemon, "metadata[channel]=web&limit=1&cursor=\(next)") == [first])
            let foreign = "/v1/payments?metadata[channel]=app&limit=1&cursor=\(next)"
            #expect(try await stage.exchange(daemon, .get, foreign).status == 400)
            let many = (1...6).map { "metadata[label\($0)]=x" }.joined(separator: "&")
            #expect(try await stage.exchange(daemon, .get, "/v1/payments?\(many)").status == 400)
            #expect(try await stage.exchange(daemon, .get, "/v1/payments?metadata=web").status == 400)
            // As after an update: the rows of before are found once the read model was made again.
            try await stage.execute("TRUNCATE paystream.payment_label")
            try await stage.execute("UPDATE paystream.payment_view SET labels = NULL")
            #expect(try await stage.labelled(daemon, "metadata[channel]=web").isEmpty)
            try await stage.command(["projections", "rebuild", "--swap", "payment_view"])
            try await stage.findsLabels(daemon, first, second, third)
            try await stage.verifyViews()
        }
    }
}

extension Stage {
    fileprivate func made(_ daemon: DaemonProcess, _ name: String, _ labels: Json) async throws -> String {
        let body = Self.newPayment(name, 500, more: [("metadata", labels)])
        let id = try await call(daemon, .post, "/v1/payments", body, key: name)["id"]?.text
        return try #require(id)
    }

    fileprivate func labelled(_ daemon: DaemonProcess, _ query: String) async throws -> [String] {
        let page = try await call(daemon, .get, "/v1/payments?\(query)")
        return (page["items"]?.items ?? []).compactMap { $0["id"]?.text }
    }

    fileprivate func findsLabels(_ daemon: DaemonProcess, _ first: String, _ second: String, _ third: String)
        async throws
    {
        for (query, expected) in [
            ("metadata[channel]=web", [second, first]), ("metadata[channel]=app", [third]),
            ("metadata[channel]=web&metadata[empty]=", [second]),
            ("metadata[shop]=Riga%2C%203%3D1&reference=first", [first]),
            ("metadata[channel]=app&metadata[empty]=", []), ("metadata[channel]=we", []),
            ("metadata[Channel]=web", []), ("metadata[channel]=web&amount=500&status=requiresAction", [second, first]),
        ] {
            #expect(try await labelled(daemon, query) == expected, "\(query)")
        }
    }
}
