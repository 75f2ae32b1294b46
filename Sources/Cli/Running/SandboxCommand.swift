import Glibc
import Kernel
import Sandbox
import SystemKit

/// `paystream sandbox`: the providers as simulators, in a process of their own.
struct SandboxCommand: Command {
    static let name = "sandbox"
    static let summary = "Serve the simulated providers with a ledger of their own."
    static let usage = "[--port N] [--journal FILE] [--announce FILE] [--project ID] [--secret TEXT] [--think MS]"
    static let options = [
        CommandOption("port", value: "N", summary: "port on 127.0.0.1 (default: a free one)"),
        CommandOption("journal", value: "FILE", summary: "keeps every input, so that a restart remembers"),
        CommandOption("announce", value: "FILE", summary: "is given the address once it is bound"),
        CommandOption("project", value: "ID", summary: "ecommpay project (default: 42)"),
        CommandOption("secret", value: "TEXT", summary: "its secret key (default: sandbox-secret)"),
        CommandOption("think", value: "MS", summary: "milliseconds from a request to its outcome (default: 150)"),
    ]

    func run(arguments: [String]) async throws -> Int32 {
        let parsed = try parse(arguments)
        try parsed.demandNoRest()
        let port = try parsed.integer("port") ?? 0
        guard let port = UInt16(exactly: port) else { throw UsageError("--port wants a number up to 65535") }
        let project = Int64(try parsed.integer("project") ?? Int(SandboxMerchants.project))
        var configuration = SandboxConfiguration(
            ecommpayProjects: [
                EcommpayProject(id: project, secret: Secret(parsed["secret"] ?? SandboxMerchants.secret))
            ]
        )
        configuration.portmoneMerchants = [SandboxMerchants.portmone]
        configuration.worldlineMerchants = [SandboxMerchants.worldline]
        configuration.sberPayMerchants = SandboxMerchants.sberPay
        configuration.journalPath = parsed["journal"]
        if let think = try parsed.integer("think") {
            configuration.ecommpayTimings.execution = .milliseconds(think)
        }
        let signals = EndSignals()
        let server = SandboxServer(configuration)
        let address = "http://127.0.0.1:\(try await server.start(port: port))"
        if let file = parsed["announce"] { try PrivateFile.write(address + "\n", to: file) }
        StandardStream.output.write("sandbox on \(address)/sandbox\n")
        await signals.wait()
        await server.stop()
        signals.close()
        return 0
    }
}
