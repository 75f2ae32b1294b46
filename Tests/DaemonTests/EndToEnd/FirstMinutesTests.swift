import Cluster
import FoundationEssentials
import Glibc
import Http
import Kernel
import SystemKit
import TestKit
import Testing

@testable import Cli
@testable import Daemon

/// What whoever tries the program first meets: its commands, their failures, and what they leave behind.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FirstMinutesTests {
    private struct Failure: Error, CustomStringConvertible { let description: String }

    // MARK: Failures

    /// A name of a Swift type with its members, as an error without words prints itself.
    private static var dump: Regex<Substring> { /[A-Z][A-Za-z]+\(|Optional\(|Failure\b|Swift\./ }

    @Test func `no command tells a failure by the name of a Swift type`() async throws {
        let folder = "/tmp/paystream-failures-\(getpid())"
        mkdir(folder, 0o700)
        defer { FileTree.remove(folder) }
        let key = folder + "/master.key"
        try MasterKeyFile.make(key)
        let nowhere = [
            "DATABASE_URL": "postgresql://127.0.0.1:1/none", "PAYSTREAM_DATABASE_WAIT": "0",
            "PAYSTREAM_MASTER_KEY_FILE": key, "PAYSTREAM_URL": "http://127.0.0.1:1", "PAYSTREAM_KEY": "psk_x",
            "PATH": "/usr/bin:/bin",
        ]
        let worlds: [[String: String]] = [
            ["PATH": "/usr/bin:/bin"], nowhere,
            nowhere.merging(["DATABASE_URL": "no address", "PAYSTREAM_MASTER_KEY_FILE": "/nowhere"]) { $1 },
        ]
        // These start servers where they are not refused.
        let starters: Set<String> = ["demo", "dev", "bench", "sandbox"]
        var told = 0
        for command in CommandTable.all {
            let verbs: [[String]] =
                starters.contains(command.name)
                ? [["--nonsense"]]
                : [[], ["list"], ["show", "x"], ["status"], ["verify"], ["create", "/nowhere"], ["--nonsense"]]
            for (index, verb) in verbs.enumerated() {
                let words = [command.name] + (command.name == "cluster" ? ["--checkout", folder] : []) + verb
                let said = try await Self.say(words, worlds[index % worlds.count], folder)
                #expect(said.text.firstMatch(of: Self.dump) == nil, "\(words): \(said.text)")
                if said.code != 0 {
                    told += 1
                    #expect(said.text.contains("paystream \(command.name): ") || !said.text.isEmpty, "\(words)")
                }
            }
        }
        #expect(told > CommandTable.all.count)
    }

    @Test func `every help explains its command and lists its options`() async throws {
        for command in CommandTable.all {
            let said = try await Self.say([command.name, "--help"], [:], "/tmp")
            #expect(said.code == 0 && said.text.hasPrefix("usage: paystream \(command.name)"), "\(said.text)")
            for option in command.options { #expect(said.text.contains("--\(option.name)"), "\(option.name)") }
        }
    }

    /// Commands that list or show take `--json`.
    @Test func `every command that lists or shows takes json`() {
        for command in CommandTable.all where command.usage.contains("list") || command.usage.contains("show") {
            #expect(command.options.contains { $0.name == "json" }, "\(command.name)")
            #expect(command.usage.contains("OPTIONS") || command.usage.contains("--json"), "\(command.name)")
        }
    }

    // MARK: Leaving nothing

    @Test(arguments: [SIGTERM, SIGINT])
    func `a bench and a command beside a cluster that are ended leave nothing running`(signal: Int32) async throws {
        for words in [["bench", "--seconds", "60", "append"], ["cluster", "exec", "--", "/bin/sleep", "600"]] {
            let folder = try Self.folder("ended-\(signal)-\(words[0])")
            defer { FileTree.remove(folder) }
            let child = try Self.start(words, in: folder)
            try await Self.until("PostgreSQL runs") {
                try Self.running(of: folder).contains { $0.contains("postgres") }
            }
            let places = try Self.places(of: folder)
            kill(child.id, signal)
            let ending = await OwnThread.run { child.wait() }
            #expect(ending != .exited(0), "\(words)")
            try await Self.until("nothing is left of \(words)") { Self.processes(naming: places).isEmpty }
            for place in places { #expect(access(place, F_OK) != 0, "\(place)") }
        }
    }

    @Test func `a demo that is ended leaves nothing running, and one on a moved clock plays all the same`() async throws
    {
        let folder = try Self.folder("demo")
        defer { FileTree.remove(folder) }
        let more = ["PAYSTREAM_LISTEN": "127.0.0.1:0"]
        let ended = try Self.start(["demo", "--exit"], in: folder, more)
        try await Self.until("the demo makes payments") { Self.said(in: folder).contains("making a payment") }
        let places = try Self.places(of: folder) + [folder]
        #expect(Self.processes(naming: places).count >= 2, "PostgreSQL and the sandbox")
        kill(ended.id, SIGTERM)
        #expect(await OwnThread.run { ended.wait() } == .exited(143), "\(Self.said(in: folder))")
        try await Self.until("nothing is left") { Self.processes(naming: places).isEmpty }

        let daemon = try Self.start(["dev"], in: folder, more)
        try await Self.until("the daemon is there") { Self.said(in: folder).contains("Ctrl-C stops") }
        try await Self.tryPayments(in: folder)
        let own = try await Self.end(Self.start(["clock", "own", "2028-01-01T00:00:00Z"], in: folder, output: "clock"))
        #expect(own == .exited(0), "\(FileTree.text(folder + "/clock") ?? "")")
        let reset = try await Self.end(Self.start(["dev", "--reset", "--yes"], in: folder, output: "reset"))
        #expect(reset == .exited(2), "a daemon runs")
        kill(daemon.id, SIGINT)
        _ = await OwnThread.run { daemon.wait() }

        let played = try await Self.end(Self.start(["demo", "--exit"], in: folder, more, output: "played"))
        let text = FileTree.text(folder + "/played") ?? ""
        #expect(played == .exited(0) && text.contains("demo-on-time"), "\(text)")
        #expect(try await Self.end(Self.start(["dev", "--reset", "--yes"], in: folder, output: "reset")) == .exited(0))
        #expect(FileTree.names(in: folder + "/.paystream").isEmpty)
        try await Self.until("nothing is left") { Self.processes(naming: places).isEmpty }
        for place in places.dropLast() { #expect(access(place, F_OK) != 0, "\(place)") }
    }

    /// Runs what the sandbox's pages say, as somebody who copies it.
    private static func tryPayments(in folder: String) async throws {
        let sandbox = DevFile.values(in: FileTree.text(folder + "/.paystream/dev.env") ?? "")["PAYSTREAM_SANDBOX"] ?? ""
        for place in ["sandbox", "portmone/sandbox", "dolyame/sandbox", "sberpay/sandbox", "worldline/sandbox"] {
            let script = """
                curl -sS -H 'Accept: text/html' \(sandbox)/\(place) >page.html
                python3 -c 'import html, re; print(html.unescape(re.search("<pre>(.*?)</pre>", open("page.html").read(), re.S)[1]))' >try.sh
                exec bash try.sh
                """
            let child = try ChildProcess.start(
                "/usr/bin/env",
                ["--chdir=\(folder)", "bash", "-c", script],
                environment: ["PATH": ChildProcess.environment["PATH"] ?? "/usr/bin:/bin"],
                outputFile: folder + "/tried"
            )
            _ = try await end(child)
            let told = FileTree.text(folder + "/tried") ?? ""
            #expect(told.contains(#""type":"redirect""#) && told.contains(sandbox), "\(place): \(told)")
            unlink(folder + "/tried")
        }
    }

    // MARK: A database that is away

    @Test func `serve waits for a database that is away at its start, for so long`() async throws {
        let folder = try Self.folder("away")
        defer { FileTree.remove(folder) }
        let key = folder + "/master.key"
        try MasterKeyFile.make(key)
        try await EmbeddedCluster.own("away-\(getpid())") { cluster in
            let world = [
                "DATABASE_URL": cluster.url(), "PAYSTREAM_MASTER_KEY_FILE": key, "PAYSTREAM_LISTEN": "127.0.0.1:0",
            ]
            #expect(try await Self.end(Self.start(["migrate"], in: folder, world, output: "migrate")) == .exited(0))
            try await OwnThread.run { () throws(ClusterFailure) in try cluster.stop() }
            let impatient = world.merging(["PAYSTREAM_DATABASE_WAIT": "1"]) { $1 }
            #expect(try await Self.end(Self.start(["serve"], in: folder, impatient, output: "short")) == .exited(1))
            #expect(FileTree.text(folder + "/short")?.contains("the database can't be reached") == true)
            let patient = try Self.start(["serve"], in: folder, world)
            try await Self.until("the log tells") { Self.said(in: folder).contains("the database is away") }
            try await OwnThread.run { () throws(ClusterFailure) in try cluster.start() }
            try await Self.until("it listens, and says as whom") {
                Self.said(in: folder).contains(" listens on ") && Self.said(in: folder).contains("role 'postgres'")
            }
            kill(patient.id, SIGTERM)
            #expect(await OwnThread.run { patient.wait() } == .exited(0))
        }
    }

    // MARK: Processes

    private static func folder(_ name: String) throws -> String {
        let path = "/tmp/paystream-minutes-\(getpid())-\(name)"
        guard FileTree.makeFolder(path, mode: 0o755) else { throw Failure(description: "no folder \(path)") }
        return path
    }

    /// Starts the program in a folder; what it says goes to a file there.
    private static func start(
        _ words: [String],
        in folder: String,
        _ more: [String: String] = [:],
        output: String = "said"
    ) throws -> ChildProcess {
        unlink("\(folder)/\(output)")
        var world = ["PATH": ChildProcess.environment["PATH"] ?? "/usr/bin:/bin"].merging(more) { $1 }
        world["PAYSTREAM_PG_BIN"] = ChildProcess.environment["PAYSTREAM_PG_BIN"]
        return try ChildProcess.start(
            "/usr/bin/env",
            ["--chdir=\(folder)", try DaemonProcess.program()] + words,
            environment: world,
            outputFile: "\(folder)/\(output)"
        )
    }

    private static func end(_ child: ChildProcess) async throws -> ChildProcess.Ending {
        await OwnThread.run { child.wait() }
    }

    private static func said(in folder: String) -> String { FileTree.text(folder + "/said") ?? "" }

    /// Runs a command to its end, whatever that is.
    private static func say(_ words: [String], _ world: [String: String], _ folder: String) async throws
        -> (text: String, code: Int32)
    {
        let file = "\(folder)/say-\(getpid())"
        defer { unlink(file) }
        let child = try ChildProcess.start(try DaemonProcess.program(), words, environment: world, outputFile: file)
        let ending = await OwnThread.run { child.wait() }
        return (FileTree.text(file) ?? "", ending.exitCode)
    }

    /// Where clusters of a checkout are.
    private static func places(of checkout: String) throws -> [String] {
        try ClusterDirectory.existing(checkout: checkout, prefix: "", account: .current()).map(\.directory.path)
            .filter { FileTree.folder($0) != nil }
    }

    private static func running(of checkout: String) throws -> [String] {
        processes(naming: try places(of: checkout))
    }

    /// The command lines that name one of these folders.
    private static func processes(naming folders: [String]) -> [String] {
        FileTree.names(in: "/proc").compactMap { pid_t($0) }.filter { $0 != getpid() }.compactMap { id in
            let text = (FileTree.text("/proc/\(id)/cmdline") ?? "").replacing("\0", with: " ")
            return folders.contains(where: text.contains) ? text : nil
        }
    }

    private static func until(_ what: String, _ isTrue: () async throws -> Bool) async throws {
        // On a busy disk a new PostgreSQL takes its time.
        let deadline = ContinuousClock.now + Duration.seconds(120)
        while ContinuousClock.now < deadline {
            if try await isTrue() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Failure(description: "it never came true: \(what)")
    }
}
