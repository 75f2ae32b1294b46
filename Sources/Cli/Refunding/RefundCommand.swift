import Daemon
import Http
import Kernel
import SystemKit

/// `paystream refund`: the refunds of a file, each once however often the file is sent.
struct RefundCommand: Command {
    static let name = "refund"
    static let summary = "Refund the payments that a file names, after every line was checked."
    static let usage = "--file FILE [--check] [--skip-bad] [--batch NAME] [--journal FILE] [--wait SECONDS]"
    static let options = [
        CommandOption("file", value: "FILE", summary: "a table (CSV) or lines of JSON; '-' is standard input"),
        CommandOption("check", summary: "check every line and send nothing"),
        CommandOption("skip-bad", summary: "send the good lines although others are bad"),
        CommandOption("batch", value: "NAME", summary: "what keys derive from (default: the file's digest)"),
        CommandOption("journal", value: "FILE", summary: "where outcomes are kept (default: FILE.journal)"),
        CommandOption("wait", value: "SECONDS", summary: "how long each refund is waited for (default: 10)"),
        PaymentsCommand.jsonOption,
    ]
    static let notes = """
        Columns of a table: payment or reference, amount and currency (19.99,EUR; without both all that is left), reason, key.
        Members of a line of JSON: payment or reference, amount ({"value": 1999, "currency": "EUR"}), reason, key.
        Nothing is sent while a line is bad. Each line is one refund for ever: its key is its own, or derives from the batch and from
        what it says, so that the same file again refunds nothing twice. A corrected file is the same batch under the same --batch.
        Asks the daemon that PAYSTREAM_URL and PAYSTREAM_KEY name. docs/payments.md tells more.
        """

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        try given.demand(words: 0)
        guard let path = given["file"] else { throw UsageError("--file names the file of refunds") }
        guard let bytes = SmallFile.read(path == "-" ? "/dev/stdin" : path) else {
            throw UsageError("the file '\(path)' can't be read, or is larger than 64 MiB")
        }
        let file = try RefundFile(bytes, batch: given["batch"])
        let wait = try given.integer("wait", in: 0...Limits.waitSeconds) ?? 10
        let isSent = !given.has("check")
        guard path != "-" || given.has("journal") || !isSent else {
            throw UsageError("--journal names where the outcomes of standard input are kept")
        }
        let journal = given["journal"] ?? path + ".journal"
        return try await DaemonCall.withClient { client in
            let check = try await Self.check(file, client)
            let faults = (file.faults + check.faults).sorted { $0.line < $1.line }
            for fault in faults { Self.tell(fault, given) }
            guard faults.isEmpty || given.has("skip-bad") else {
                throw CommandFailure(
                    "\(faults.count) of \(faults.count + check.orders.count) lines are bad: nothing was sent"
                )
            }
            guard isSent else {
                StandardStream.error.write("\(check.orders.count) lines are good; nothing was sent\n")
                return faults.isEmpty ? 0 : 1
            }
            let journal = RefundJournal(journal, of: try await Self.house(of: client))
            let (results, failure) = await Self.send(check.orders, RefundRun(client, journal, wait: wait))
            Self.tell(results, given)
            if let failure { throw failure }
            return faults.isEmpty && results.allSatisfy(\.outcome.isGood) ? 0 : 1
        }
    }

    private static func check(_ file: RefundFile, _ client: ApiClient) async throws -> RefundCheck {
        var check = RefundCheck(client)
        let progress = ProgressLine("checking")
        for (index, entry) in file.entries.enumerated() {
            try await check.check(entry)
            progress.tell(Int64(index + 1), of: Int64(file.entries.count), count: index + 1, "lines")
        }
        progress.end("\(file.entries.count) lines checked")
        return check
    }

    /// Where refunds are sent to: an outcome that another daemon or merchant told says nothing here.
    private static func house(of client: ApiClient) async throws -> String {
        let merchant = try await client.call(.get, "/v1/merchant")["name"]?.text
        guard let merchant else { throw CommandFailure("the daemon does not say whose key it is") }
        return "\(client.address) \(merchant)"
    }

    /// What became of the lines, and what ended the run before the last of them.
    private static func send(_ orders: [RefundOrder], _ run: RefundRun) async -> ([RefundResult], CommandFailure?) {
        var run = run
        var results: [RefundResult] = []
        var failure: CommandFailure?
        let progress = ProgressLine("refunding")
        for order in orders {
            do throws(CommandFailure) { results.append(try await run.send(order)) } catch {
                failure = error
                break
            }
            progress.tell(Int64(results.count), of: Int64(orders.count), count: results.count, "lines")
        }
        progress.end("\(results.count) lines sent")
        return (results, failure)
    }

    // MARK: The report

    private static func tell(_ fault: RefundFault, _ given: ScatteredArguments) {
        if given.has("json") { StandardStream.output.write(fault.json.canonicalText + "\n") }
        StandardStream.error.write("line \(fault.line): \(ColumnTable.plain(fault.reason))\n")
    }

    private static func tell(_ results: [RefundResult], _ given: ScatteredArguments) {
        guard !given.has("json") else {
            for result in results { StandardStream.output.write(result.json.canonicalText + "\n") }
            return
        }
        var table = ColumnTable(["LINE", "PAYMENT", "AMOUNT", "OUTCOME", "WHY"], rightAligned: [0, 2])
        for result in results {
            let json = result.json
            table.add([
                Cell.text(json["line"]), Cell.text(json["payment"]), Cell.money(json["amount"]),
                Cell.words(json["outcome"]), result.detail ?? result.code ?? "",
            ])
        }
        StandardStream.output.write(table.text(orSay: "no line was sent"))
        let counts = RefundResult.Outcome.allCases.compactMap { outcome -> String? in
            let count = results.count { $0.outcome == outcome }
            return count == 0 ? nil : "\(count) \(Cell.words(outcome.rawValue))"
        }
        if !counts.isEmpty { StandardStream.output.write(counts.joined(separator: ", ") + "\n") }
    }
}
