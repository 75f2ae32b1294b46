import EventSourcing
import Http
import Kernel

/// The other entrance for commands, which is SQL's.
enum InboxEndpoints {
    static let all: [Endpoint] = [
        .reading("inboxOutcome", "/v1/inbox/{inbox}", by: Api.inboxOutcome)
            .documented(.entrances, "Read what became of an enqueued command", "InboxOutcome", problems: [404])
    ]

    static let schemas: [(String, Json)] = [("InboxOutcome", outcome)]

    /// The outcome of a command of the SQL entrance.
    private static var outcome: Json {
        let states: Json = ["pending", "admitted", "refused", "rejected", "quarantined", "done", "unknown"]
        return Schema.object(
            [
                ("state", ["type": "string", "enum": states]), ("stream", Schema.uuid), ("version", Schema.integer()),
                ("code", Schema.text()), ("detail", Schema.text()),
            ],
            required: ["state"]
        )
    }
}

extension Api {
    func inboxOutcome(_ call: Call) async throws(Problem) -> HttpResponse {
        let unknown = Problem(.inboxUnknown, "There is no such command in the inbox.")
        guard let id = call.path["inbox"].flatMap({ Uuid($0) }) else { throw unknown }
        let found = try await asked { () async throws(StoreFailure) in
            try await reader.tables.inboxOutcome(id, call.merchant)
        }
        guard let found else { throw unknown }
        return .json(200, found)
    }
}
