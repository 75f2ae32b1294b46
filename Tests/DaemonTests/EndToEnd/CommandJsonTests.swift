import Daemon
import Glibc
import Http
import Kernel
import SystemKit
import TestKit
import Testing

@testable import Cli
@testable import Daemon

/// Every command that takes `--json` says it in JSON, and every command that talks to a daemon talks to the one that is named.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct CommandJsonTests {
    /// Things that commands are asked about.
    private struct Things {
        let payment: String
        let inbox: String
        let files: [String: String]
    }

    /// Each verb of each command that takes `--json`; the words are filled in.
    private static func verbs(_ things: Things) -> [String: [[String]]] {
        let file = { (name: String) in things.files[name] ?? "" }
        return [
            "keys": [
                ["master", file("folder") + "/other.key"], ["create", "json"],
                ["create", "for-a-day", "--days", "1", "--limit", "600/60"], ["list"],
            ],
            "merchants": [
                ["create", "json-shop"], ["list"], ["suspend", "json-shop"], ["resume", "json-shop"],
                ["persons", "json-shop", "two"], ["limit", "json-shop", "600/60"], ["limit", "json-shop", "none"],
            ],
            "audit": [[], ["--kind", "key"]], "requests": [["list"], ["list", "--status", "200"]],
            "payments": [["list"], ["index"], ["show", things.payment]], "transfers": [["list"]],
            "refund": [["--file", file("refunds"), "--check"], ["--file", file("refunds"), "--wait", "20"]],
            "bills": [["list"]], "links": [["list"], ["create", "19.99", "EUR"]],
            "log": [["--payment", things.payment]],
            "events": [[], ["--resource", things.payment], ["types"]],
            "operations": [["list"], ["evidence", things.payment, "seen"]], "instruments": [["list"]],
            "disputes": [["list"]],
            "accounts": [["list"], ["show", Stage.account], ["set", file("account")], ["route", Stage.account]],
            "routes": [["list"], ["set", file("rules")], ["explain"], ["explain", things.payment]],
            "schedules": [
                ["list"], ["due"], ["policies"], ["preview", file("preview")], ["policy", "gentle", file("policy")],
            ],
            "clock": [["own"], ["show"]], "zones": [["list"], ["adopt", "Europe/Riga"]],
            "calendars": [["put", "days", file("calendar")], ["list"], ["show", "days"]],
            "enqueue": [["payment.sync", "json-1", #"{"payment":"\#(things.payment)"}"#], ["outcome", things.inbox]],
            "quarantine": [["list"]], "webhooks": [["list"], ["add", "https://shop.com/hook"]],
            "trigger": [[]],
            "reconcile": [["files"], ["exceptions"], ["mappings"]],
            "projections": [["status"], ["rebuild", "movement"], ["swap", "movement"], ["drop", "all"]],
            "ledger": [["balance"], ["statement"], ["months"], ["periods"]],
            "report": [["turnover"], ["zone", "Europe/Riga"]], "verify": [["licences"], ["books"]],
            "recover": [["status"]],
            "doctor": [[]],
        ]
    }

    private static func prepare(_ stage: Stage, _ daemon: DaemonProcess) async throws -> Things {
        let payment = try await stage.paid(daemon, "json", 7700)
        let calendar: Json = ["period": "month", "start": "2099-01-31", "zone": "Europe/Riga"]
        let inbox = try await stage.command(["enqueue", "payment.sync", "json", #"{"payment":"\#(payment)"}"#])
        let account: Json = [
            "mode": "test", "name": "json-eur", "provider": "ecommpay",
            "secrets": ["secretKey": .string(Stage.secret)],
            "settings": ["currencies": ["EUR"], "projectId": .integer(Stage.project)],
        ]
        let rule: Json = ["name": "all", "to": [["account": .string(Stage.account)]]]
        return Things(
            payment: payment,
            inbox: inbox.split(separator: "\n").first.map(String.init) ?? "",
            files: [
                "account": try stage.file("account", account), "rules": try stage.file("rules", ["rules": [rule]]),
                "policy": try stage.file("policy", ["giveUp": "mark"]),
                "preview": try stage.file("preview", ["rule": calendar]),
                "calendar": try stage.file(
                    "calendar",
                    ["holidays": ["2099-05-01"], "weekend": [6, 7], "workdays": []]
                ),
                "refunds": try stage.file(
                    "refunds",
                    ["payment": .string(payment), "amount": Stage.euros(100), "reason": "json"]
                ),
                "folder": stage.folder,
            ]
        )
    }

    @Test func `every command that takes json says nothing else`() async throws {
        try await Stage.run("everyjson") { stage, daemon in
            let verbs = Self.verbs(try await Self.prepare(stage, daemon))
            let world = stage.environment.merging(["PAYSTREAM_URL": daemon.address, "PAYSTREAM_KEY": stage.token]) {
                $1
            }
            for command in CommandTable.all where command.options.contains(where: { $0.name == "json" }) {
                let known = try #require(verbs[command.name], "no verb of '\(command.name)' is tried")
                for words in known {
                    let told = try Self.output([command.name] + words + ["--json"], world)
                    #expect(told.code == 0, "\(command.name) \(words): \(told.error)")
                    for line in told.text.split(separator: "\n") {
                        #expect((try? Json(text: String(line)))?.members != nil, "\(command.name) \(words): \(line)")
                    }
                }
            }
        }
    }

    @Test func `what is done is told in JSON with its id`() async throws {
        try await Stage.run("jsonids") { stage, daemon in
            let made = try Self.output(["keys", "--json", "create", "named"], stage.environment)
            let key = try Json(text: made.text.split(separator: "\n").first.map(String.init) ?? "")
            #expect(key["key"]?.text?.hasPrefix("psk_") == true && key["name"] == "named" && key["merchant"] == "demo")
            let used = try await stage.tool(daemon, ["accounts", "list"], key: key["key"]?.text)
            #expect(used.contains(Stage.account))
            let id = try #require(key["id"]?.text)
            let revoked = try Self.output(["keys", "--json", "revoke", id], stage.environment)
            #expect(try Json(text: revoked.text)["revoked"] == true)
        }
    }

    /// A folder without `.paystream`, a database that is not there, and a daemon elsewhere: its address alone is enough.
    @Test func `accounts and routes ask the daemon that is named, and show where notifications go`() async throws {
        try await Stage.run("nameddaemon") { stage, daemon in
            let world = ["PAYSTREAM_URL": daemon.address + "/", "PAYSTREAM_KEY": stage.token, "PATH": "/usr/bin:/bin"]
            let listed = try Self.output(["accounts", "list"], world)
            #expect(listed.code == 0, "\(listed.error)")
            let account = try #require(try await stage.call(daemon, .get, "/v1/accounts")["items"]?.items?.first)
            let address = try #require(account["notificationUrl"]?.text)
            #expect(address.hasPrefix(daemon.address + "/v1/notifications/ecommpay/1/"))
            #expect(listed.text.contains(address) && listed.text.contains("NOTIFICATIONS"), "\(listed.text)")
            let shown = try Self.output(["accounts", "show", Stage.account], world)
            #expect(shown.text.contains(address), "\(shown.text) \(shown.error)")
            for words in [["routes", "list"], ["routes", "explain"]] {
                let told = try Self.output(words, world)
                #expect(told.code == 0 && told.text.contains(Stage.account), "\(words): \(told.text) \(told.error)")
            }
        }
    }

    @Test func `the key and the database of a development daemon are kept from other daemons`() async throws {
        let left = [
            "PAYSTREAM_URL": "http://127.0.0.1:8080", "PAYSTREAM_KEY": "psk_dev", "DATABASE_URL": "postgresql://dev",
            "PAYSTREAM_MASTER_KEY_FILE": "/dev/null",
        ]
        let same = try DaemonCall.addressAndKey(given: ["PAYSTREAM_URL": "http://127.0.0.1:8080/"], left: left)
        #expect(same.address == "http://127.0.0.1:8080")
        #expect(throws: UsageError.self) {
            try DaemonCall.addressAndKey(given: ["PAYSTREAM_URL": "https://pay.example"], left: left)
        }
        let folder = "/tmp/paystream-elsewhere-\(getpid())"
        mkdir(folder, 0o755)
        mkdir(folder + "/.paystream", 0o755)
        defer { FileTree.remove(folder) }
        let file = try #require(fopen(folder + "/.paystream/dev.env", "w"))
        fputs(DevFile.text(left.map { ($0.key, $0.value) }), file)
        fclose(file)
        let told = try Self.output(
            ["payments", "list"],
            ["PAYSTREAM_URL": "https://pay.example", "PATH": "/usr/bin:/bin"],
            in: folder
        )
        #expect(told.code == 2 && told.error.contains("DATABASE_URL"), "\(told.error)")
    }

    @Test func `lists of transfers and routes say what they are without rows`() async throws {
        try await Stage.run("emptylists") { stage, daemon in
            #expect(try await stage.command(["transfers", "list"]) == "no transfers\n")
            let routes = try await stage.tool(daemon, ["routes", "list"])
            #expect(routes.contains("no rules;") && routes.contains("otherwise, in this order: \(Stage.account)"))
        }
    }

    /// Runs a command with its two outputs apart.
    private static func output(_ words: [String], _ world: [String: String], in folder: String? = nil) throws
        -> (text: String, error: String, code: Int32)
    {
        let file = "/tmp/paystream-said-\(getpid())-\(words[0])"
        defer { for end in ["", ".error"] { unlink(file + end) } }
        let program = try DaemonProcess.program()
        let quoted = ([program] + words).map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
        let place = folder.map { "cd '\($0)' && " } ?? "cd / && "
        let child = try ChildProcess.start(
            "/bin/bash",
            ["-c", "\(place)exec \(quoted) >'\(file)' 2>'\(file).error'"],
            environment: world,
            outputFile: file + ".shell"
        )
        let ending = child.wait()
        unlink(file + ".shell")
        return (FileTree.text(file) ?? "", FileTree.text(file + ".error") ?? "", ending.exitCode)
    }
}
