import Daemon
import Http
import Kernel
import SystemKit

/// `paystream listen`: the event feed, sent to a receiver that runs beside its developer.
struct ListenCommand: Command {
    static let name = "listen"
    static let summary = "Send the events of a test merchant to a receiver of yours, signed as webhooks are."
    static let usage = "--forward URL [--types LIST] [--after CURSOR] [--checkpoint FILE] [--secret SECRET] [--live]"
    static let options = [
        CommandOption("forward", value: "URL", summary: "where the receiver is, as in http://localhost:3000/hooks"),
        CommandOption("types", value: "LIST", summary: "only these types, as payment.*,refund.succeeded"),
        CommandOption("after", value: "CURSOR", summary: "only events behind this cursor (default: what happens now)"),
        CommandOption("checkpoint", value: "FILE", summary: "go on behind the cursor in this file, and keep it there"),
        CommandOption("secret", value: "SECRET", summary: "sign by this secret, whsec_… (default: a new one)"),
        CommandOption("live", summary: "take a merchant that has live accounts, too"),
    ]
    static let notes = """
        Prints the secret, then a line for each delivery. An event whose receiver is down or answers anything but 2xx is
        sent again until it has it; nothing overtakes it. An event may come twice: know it by its id. Ctrl-C ends it.
        Asks the daemon that PAYSTREAM_URL and PAYSTREAM_KEY name, for that key's merchant.
        """

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        try given.demand(words: 0)
        guard let url = given["forward"] else { throw UsageError("--forward names the receiver's address") }
        guard WebAddress.isAbsolute(url) else {
            throw UsageError("'\(url)' is no address of a receiver: https, or http on this machine")
        }
        let secret = Secret(given["secret"] ?? "whsec_" + Base64.encode(SystemRandom().bytes(32)))
        guard WebhookSigning.isSecret(secret) else {
            throw UsageError("--secret wants whsec_ and base64 of 24 to 64 bytes")
        }
        guard given["after"] == nil || given["checkpoint"] == nil else {
            throw UsageError("--after and --checkpoint both say where to begin; give one")
        }
        let (address, key) = try DaemonCall.addressAndKey()
        let forwarding = EventForwarding(
            api: ApiClient(address: address, key: key),
            url: url,
            types: given["types"],
            checkpoint: given["checkpoint"],
            secret: secret
        )
        if !given.has("live") { try await forwarding.refuseLive() }
        let cursor = try await forwarding.beginning(given["after"])
        let signals = EndSignals()
        StandardStream.output.write("secret \(secret.withBytes { String(decoding: $0, as: UTF8.self) })\n")
        StandardStream.output.write("forwarding to \(url)\n")
        return try await Self.untilEnded(forwarding, from: cursor, signals)
    }

    /// Forwards until it fails or a signal comes.
    private static func untilEnded(
        _ forwarding: EventForwarding,
        from cursor: String,
        _ signals: EndSignals
    ) async throws -> Int32 {
        let failure = Locked<(any Error)?>(nil)
        let work = Task {
            do { try await forwarding.run(from: cursor) } catch { failure.withLock { $0 = error } }
            signals.raise()
        }
        await signals.wait()
        // What fails from here on fails because it is ended.
        let failed = failure.withLock { $0 }
        work.cancel()
        signals.close()
        if let failed { throw failed }
        StandardStream.error.write("go on with --after \(forwarding.reached ?? cursor)\n")
        return 0
    }
}
