import Daemon
import Http
import Kernel
import Projections
import Schedules
import SystemKit

/// Questions of `paystream schedules` to a daemon.
extension SchedulesCommand {
    func ask(_ verb: String, _ given: ScatteredArguments) async throws -> Int32 {
        switch verb {
        case "policies":
            try given.demand(words: 1)
            return try await DaemonCall.print(.get, "/v1/dunning-policies", nil, given)
        case "policy":
            let name = try Self.word(1, "the policy's name", given)
            guard name.utf8.allSatisfy({ $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "%") }) else {
                throw UsageError("'\(name)' is no policy's name")
            }
            return try await DaemonCall.print(.put, "/v1/dunning-policies/\(name)", try Self.neededFile(given), given)
        case "add":
            try given.demand(words: 2)
            return try await DaemonCall.print(
                .post,
                "/v1/schedules",
                try DaemonCall.file(try Self.word(1, "a file", given)),
                given
            )
        case "preview":
            try given.demand(words: 2)
            let what = try Self.word(1, "a file or a schedule's id", given)
            guard let id = ScheduleId(what) else {
                return try await DaemonCall.print(.post, "/v1/schedules/preview", try DaemonCall.file(what), given)
            }
            return try await DaemonCall.print(.get, "/v1/schedules/\(id)/preview", nil, given)
        case "show":
            try given.demand(words: 2)
            return try await DaemonCall.print(.get, "/v1/schedules/\(try Self.id(given))", nil, given)
        case "occurrences":
            try given.demand(words: 2)
            return try await occurrences(try Self.id(given), given)
        case "change":
            return try await DaemonCall.print(
                .post,
                "/v1/schedules/\(try Self.id(given))/change",
                try Self.neededFile(given),
                given
            )
        case "pause", "resume", "cancel", "run":
            try given.demand(words: 3)
            let body = given.words.count == 3 ? try DaemonCall.file(given.words[2]) : [:]
            return try await DaemonCall.print(.post, "/v1/schedules/\(try Self.id(given))/\(verb)", body, given)
        default: throw UsageError("schedules know no '\(verb)'; 'paystream schedules --help' lists what they know")
        }
    }

    /// Prints what became of each occurrence, in the order of their ordinals.
    private func occurrences(_ id: ScheduleId, _ given: ScatteredArguments) async throws -> Int32 {
        let limit = try given.integer("limit", in: 1...10_000) ?? Self.standardLimit
        let (items, isMore) = try await DaemonCall.withClient { client in
            var items: [Json] = []
            var after = "0"
            while true {
                let page = try await client.call(.get, "/v1/schedules/\(id)/occurrences?after=\(after)")
                items += page["items"]?.items ?? []
                guard let next = page["next"]?.text, items.count < limit else {
                    return (items, page["next"] != nil || items.count > limit)
                }
                after = next
            }
        }
        if given.has("json") {
            StandardStream.output.write(items.prefix(limit).map { $0.canonicalText + "\n" }.joined())
        } else {
            var table = ColumnTable(
                ["NO", "STATE", "DUE", "AMOUNT", "TRIES", "PAYMENT", "REASON", "POLICY"],
                rightAligned: [0, 3, 4]
            )
            for item in items.prefix(limit) {
                let policy = item.at("policy", "name")?.text.map {
                    "\($0)/\(item.at("policy", "version")?.integer ?? 0)"
                }
                table.add([
                    String(item["ordinal"]?.integer ?? 0), Cell.text(item["state"]), Cell.time(item["dueAt"]),
                    Cell.money(item["amount"]), String(item["tries"]?.items?.count ?? 0), Cell.text(item["payment"]),
                    Cell.text(item["reason"]), policy ?? "-",
                ])
            }
            StandardStream.output.write(table.text(orSay: "nothing was decided yet"))
        }
        if isMore { StandardStream.error.write("there are more; --limit shows them\n") }
        return 0
    }

    // MARK: Words

    private static func word(_ index: Int, _ what: String, _ given: ScatteredArguments) throws(UsageError) -> String {
        guard given.words.count > index else { throw UsageError("'\(given.words[0])' needs \(what)") }
        return given.words[index]
    }

    private static func id(_ given: ScatteredArguments) throws(UsageError) -> ScheduleId {
        let text = try word(1, "a schedule's id", given)
        guard let id = ScheduleId(text) else { throw UsageError("'\(text)' is no schedule's id") }
        return id
    }

    private static func neededFile(_ given: ScatteredArguments) throws(UsageError) -> Json {
        try given.demand(words: 3)
        return try DaemonCall.file(try word(2, "a file", given))
    }
}
