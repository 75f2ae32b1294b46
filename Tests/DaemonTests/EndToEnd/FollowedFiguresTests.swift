import FoundationEssentials
import Glibc
import Http
import Kernel
import SystemKit
import TestKit
import Testing

/// What operators watch: metrics, the request log, and events as they come.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct FollowedFiguresTests {
    /// Names with their kinds, as the page declares them.
    private func declared(_ page: String) -> [String: String] {
        Dictionary(
            page.matches(of: /# TYPE (\S+) (\S+)/).map { (String($0.output.1), String($0.output.2)) }
        ) { $1 }
    }

    @Test func `the metrics page and its document name the same metrics`() async throws {
        let root = #filePath.components(separatedBy: "/Tests/")[0]
        let document = try #require(FileTree.text(root + "/docs/metrics.md"))
        let documented = Dictionary(
            document.matches(of: /\| `([a-z_]+)` \| (counter|gauge|histogram) \|/).map {
                (String($0.output.1), String($0.output.2))
            }
        ) { $1 }
        try await Stage.run("metricsdoc") { stage, daemon in
            let fresh = declared(try await stage.text(daemon, "/metrics"))
            #expect(Set(fresh.keys) == Set(documented.keys))
            for (name, kind) in fresh { #expect(documented[name] == kind, "\(name)") }
        }
    }

    @Test func `a payment shows in the figures by route, provider and outcome, and in the request log`() async throws {
        try await Stage.run("figures") { stage, daemon in
            let created = try await stage.call(
                daemon,
                .post,
                "/v1/payments",
                Stage.newPayment("figures", 7700),
                key: "figures"
            )
            let id = try #require(created["id"]?.text)
            try await stage.openPage(daemon, id)
            try await stage.wait(daemon, id, for: "captured")
            _ = try await stage.exchange(daemon, .get, "/v1/payments/pay_00000000000000000000000000000000")
            _ = try await stage.exchange(daemon, .get, "/v1/nowhere")
            let sync = try await stage.exchange(daemon, .post, "/v1/payments/\(id)/sync", key: "figures-sync")
            #expect((200..<300).contains(sync.status))
            try await stage.until("the provider was asked") {
                let page = try await stage.text(daemon, "/metrics")
                return page.contains(#"paystream_exchanges_total{outcome="status_2xx",provider="ecommpay"}"#)
                    ? .done(()) : .notYet(page)
            }
            let page = try await stage.text(daemon, "/metrics")
            for line in [
                #"paystream_http_requests_total{method="POST",route="/v1/payments",status="202"} 1"#,
                #"paystream_http_requests_total{method="GET",route="/v1/payments/{payment}",status="404"} 1"#,
                #"paystream_http_requests_total{method="GET",route="none",status="404"} 1"#,
                #"paystream_http_request_seconds_count{route="/v1/payments"} 1"#,
                #"paystream_exchange_seconds_count{provider="ecommpay"} "#,
                #"paystream_follower_lag_seconds{view="payment_view"} "#, #"paystream_queue_depth{queue="inbox"} 0"#,
                #"paystream_unresolved{what="payments_operator"} "#, "process_resident_memory_bytes ",
                "paystream_build_info{",
            ] where !page.contains(line) {
                Issue.record("\(line) is not on the page: \(page)")
            }
            let log = FileTree.text(daemon.outputFile) ?? ""
            let lines = log.split(separator: "\n").filter { $0.contains(#""message":"request""#) }
            let create = lines.compactMap { try? Json(text: String($0)) }.first {
                $0["route"] == "/v1/payments" && $0["method"] == "POST"
            }
            #expect(create?["status"] == 202 && create?["merchant"] == "demo" && create?["milliseconds"] != nil)
            #expect(!lines.contains { $0.contains("payer@example.org") || $0.contains("/metrics") })
        }
    }

    @Test func `events that come are followed until Ctrl-C`() async throws {
        try await Stage.run("followed") { stage, daemon in
            let (child, file) = try stage.begin(["log", "--follow", "--json"])
            try await stage.until("what was there is told") {
                let text = FileTree.text(file) ?? ""
                return text.contains("account.configured.v1") ? .done(()) : .notYet(text)
            }
            let body = Stage.newPayment("followed", 7700)
            let created = try await stage.call(daemon, .post, "/v1/payments", body, key: "followed")
            let id = try #require(created["id"]?.text)
            try await stage.until("the new payment is told") {
                let text = FileTree.text(file) ?? ""
                return text.contains("payment.created.v1") ? .done(()) : .notYet(text)
            }
            kill(child.id, SIGINT)
            #expect(await OwnThread.run { child.wait() } == .signalled(SIGINT))
            let table = try await stage.command(["log", "--payment", id])
            #expect(table.contains("POSITION") && table.contains("payment.created.v1"))
            #expect(!table.contains("account.configured"))
        }
    }

    @Test func `what the database advises reaches whoever enqueues, and lists come as tables or JSON`() async throws {
        try await Stage.run("advice") { stage, daemon in
            let refusal = await #expect(throws: (any Error).self) {
                try await stage.command(["enqueue", "payment.fly", "key-1", "{}"])
            }
            let said = refusal.map { "\($0)" } ?? ""
            #expect(said.contains("no such command (one of payment.create"), "\(said)")
            let broken = await #expect(throws: (any Error).self) {
                try await stage.command(["enqueue", "payment.sync", "key-1", "{payment: 1}"])
            }
            #expect("\(broken.map { "\($0)" } ?? "")".contains("no JSON object"))
            for list in [["keys", "list"], ["accounts", "list"], ["zones", "list"], ["payments", "list"]] {
                let lines = try await stage.tool(daemon, list + ["--json"]).split(separator: "\n")
                for line in lines { #expect((try? Json(text: String(line)))?.members != nil, "\(list): \(line)") }
                #expect(try await !stage.tool(daemon, list).contains("{"), "\(list)")
            }
            let shown = try await stage.tool(daemon, ["schedules", "policies"])
            #expect(shown.contains("NAME") && shown.contains("standard"), "\(shown)")
        }
    }

    @Test func `an account's path takes its name, and strangers' addresses are 404`() async throws {
        try await Stage.run("accountpath") { stage, daemon in
            let id = try await stage.addWorldline(daemon)
            for account in ["worldline-eur", id] {
                let answer = try await stage.call(daemon, .post, "/v1/accounts/\(account)/test-connection", [:])
                #expect(answer["account"]?.text == id && answer["result"] == "works", "\(answer.canonicalText)")
            }
            let told = try await stage.tool(daemon, ["accounts", "test", "worldline-eur"])
            #expect(told.contains("works"), "\(told)")
            let missing = try await stage.exchange(daemon, .post, "/v1/accounts/nobody/test-connection", [:])
            #expect(missing.status == 404)
            let nobody = "00000000-0000-4000-8000-000000000000"
            for place in ["ecommpay/999/\(id)", "ecommpay/1/\(nobody)", "ecommpay/999/\(nobody)", "nobody/1/\(id)"] {
                let url = daemon.address + "/v1/notifications/" + place
                let headers = HttpHeaders([("Content-Type", "application/json")])
                #expect(try await stage.send(.post, url, headers, Array("{}".utf8)).status == 404, "\(place)")
            }
        }
    }
}

extension Stage {
    /// Reads a page that needs no key.
    func text(_ daemon: DaemonProcess, _ path: String) async throws -> String {
        String(decoding: try await send(.get, daemon.address + path, HttpHeaders(), []).body, as: UTF8.self)
    }

    /// Starts a command on this database that goes on; what it says goes to the file.
    func begin(_ words: [String]) throws -> (ChildProcess, file: String) {
        let file = "\(folder)/\(words[0])-going"
        let program = try DaemonProcess.program()
        return (try ChildProcess.start(program, words, environment: environment, outputFile: file), file)
    }
}
