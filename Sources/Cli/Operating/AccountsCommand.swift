import Daemon
import Http
import Kernel
import SystemKit

/// `paystream accounts`: provider accounts and the order in which payments try them.
struct AccountsCommand: Command {
    static let name = "accounts"
    static let summary = "List provider accounts, show, add, change, test or close one, or set the routing."
    static let usage =
        "[--json] [--key KEY] list | show NAME | add FILE | set FILE | test NAME | close NAME | route ACCOUNT…"
    static let options = [
        PaymentsCommand.jsonOption,
        CommandOption("key", value: "KEY", summary: "idempotency key of the change (default: a new one)"),
    ]
    static let notes = """
        FILE holds the body of POST /v1/accounts, '-' stands for standard input:
          {"name": "portmone-uah", "provider": "portmone", "mode": "test",
           "settings": {"payeeId": "…", "login": "…"}, "secrets": {"password": "…", "signingKey": "…"}}
        docs/providers/ names every setting and secret. 'add' refuses a name that is taken; 'set' replaces the
        configuration of that name and keeps its secrets where the file gives none. 'test' lets the daemon ask the
        provider whether the account's credentials work; it ends with 1 where they don't. 'close' is for good: nothing new begins at the
        account, and what exists goes on. 'list' and 'show' tell where the provider sends its notifications. All ask the daemon
        that PAYSTREAM_URL and PAYSTREAM_KEY name, for that key's merchant.
        """

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        switch given.words.first {
        case "list", nil:
            try given.demand(words: 1)
            return try await list(given)
        case "show":
            try given.demand(words: 2)
            guard given.words.count == 2 else { throw UsageError("name the account") }
            return try await show(given.words[1], given)
        case "add", "set":
            try given.demand(words: 2)
            guard given.words.count == 2 else { throw UsageError("name the file with the account's JSON") }
            return try await set(given.words[1], isNew: given.words[0] == "add", given)
        case "test":
            try given.demand(words: 2)
            guard given.words.count == 2 else { throw UsageError("name the account") }
            return try await test(given.words[1], given)
        case "close":
            try given.demand(words: 2)
            guard given.words.count == 2 else { throw UsageError("name the account") }
            return try await send(.post, "/v1/accounts/\(FormEncoding.escape(given.words[1]))/close", [:], given)
        case "route":
            let accounts = given.words.dropFirst().map(Json.string)
            guard !accounts.isEmpty else { throw UsageError("name the accounts, the preferred one first") }
            return try await send(.put, "/v1/routing", ["accounts": .array(Array(accounts))], given)
        case let verb?:
            throw UsageError(
                "accounts know no '\(verb)'; say 'list', 'show NAME', 'add FILE', 'set FILE', 'test NAME', 'close NAME' or 'route …'"
            )
        }
    }

    // MARK: Reading

    private func list(_ given: ScatteredArguments) async throws -> Int32 {
        let accounts = try await Self.accounts()
        guard !given.has("json") else {
            for account in accounts { StandardStream.output.write(account.canonicalText + "\n") }
            return 0
        }
        StandardStream.output.write(Self.table(accounts))
        return 0
    }

    /// The accounts with their places in the routing's order, counted from one.
    private static func accounts() async throws -> [Json] {
        try await DaemonCall.withClient { client in
            let order = try await client.call(.get, "/v1/routing")["accounts"]?.items ?? []
            return try await (client.call(.get, "/v1/accounts")["items"]?.items ?? []).map { account in
                guard var members = account.members else { return account }
                members["route"] = order.firstIndex { $0["id"] == account["id"] }.map { .integer(Int64($0 + 1)) }
                return .object(members)
            }
        }
    }

    static func table(_ accounts: [Json]) -> String {
        var table = ColumnTable([
            "ACCOUNT", "PROVIDER", "MODE", "ROUTE", "OPEN", "CURRENCIES", "SECRETS", "VERSION", "NOTIFICATIONS",
        ])
        for account in accounts {
            let currencies = account["currencies"].map { Self.words($0) } ?? "any"
            table.add([
                Cell.text(account["name"]), Cell.text(account["provider"]), Cell.text(account["mode"]),
                Cell.text(account["route"]), account["open"] == true ? "yes" : "closed", currencies,
                Self.words(account["secrets"]), Cell.text(account["version"]), Cell.text(account["notificationUrl"]),
            ])
        }
        return table.text(orSay: "no accounts; 'paystream accounts add FILE' makes one")
    }

    private static func words(_ list: Json?) -> String {
        (list?.items ?? []).compactMap(\.text).joined(separator: " ")
    }

    /// The account with this name or id.
    private func show(_ name: String, _ given: ScatteredArguments) async throws -> Int32 {
        guard let found = try await Self.accounts().first(where: { $0["name"]?.text == name || $0["id"]?.text == name })
        else { throw CommandFailure("there is no account '\(name)'; 'paystream accounts list' shows those there are") }
        DaemonCall.show(found, given)
        return 0
    }

    // MARK: Change

    /// The file holds the body of `POST /v1/accounts`, secrets included: they are sealed by the daemon.
    private func set(_ path: String, isNew: Bool, _ given: ScatteredArguments) async throws -> Int32 {
        guard let bytes = SmallFile.read(path == "-" ? "/dev/stdin" : path) else {
            throw UsageError("the file '\(path)' can't be read")
        }
        guard let body = try? Json(bytes, limits: .api) else { throw UsageError("'\(path)' is no JSON") }
        return try await send(.post, "/v1/accounts", body, given, newName: isNew ? body["name"]?.text : nil)
    }

    /// Changes something through the daemon; `newName` must not be an account's yet.
    private func send(
        _ method: HttpMethod,
        _ path: String,
        _ body: Json,
        _ given: ScatteredArguments,
        newName: String? = nil
    ) async throws -> Int32 {
        let key = given["key"] ?? "cli-\(SystemRandom().uuid(at: WallClock.now()))"
        let answer = try await DaemonCall.withClient { client in
            if let newName {
                let known = try await client.call(.get, "/v1/accounts")["items"]?.items ?? []
                guard !known.contains(where: { $0["name"]?.text == newName }) else {
                    throw ApiClient.Failure(description: "there is an account '\(newName)'; 'set' changes it")
                }
            }
            return try await client.call(method, path, body, key: key)
        }
        DaemonCall.show(answer, given)
        return 0
    }

    /// Asks the provider of the account with this name or id.
    private func test(_ name: String, _ given: ScatteredArguments) async throws -> Int32 {
        let path = "/v1/accounts/\(FormEncoding.escape(name))/test-connection"
        let answer = try await DaemonCall.withClient { try await $0.call(.post, path, [:]) }
        DaemonCall.show(answer, given)
        return answer["result"]?.text == "works" ? 0 : 1
    }
}
