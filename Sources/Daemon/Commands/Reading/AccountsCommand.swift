import Api
import EventSourcing
import Http
import Kernel
import Payments

/// `paystream accounts`: provider accounts and the order in which payments try them.
struct AccountsCommand: Command {
    static let name = "accounts"
    static let summary = "List provider accounts, add, change or test one, or set the routing."
    static let usage = "[--merchant NAME] [--json] [--key KEY] list | add FILE | set FILE | test NAME | route ACCOUNT…"
    static let options = [
        PaymentsCommand.merchantOption, PaymentsCommand.jsonOption,
        CommandOption("key", value: "KEY", summary: "idempotency key of the change (default: a new one)"),
    ]
    static let notes = """
        FILE holds the body of POST /v1/accounts, '-' stands for standard input:
          {"name": "portmone-uah", "provider": "portmone", "mode": "test",
           "settings": {"payeeId": "…", "login": "…"}, "secrets": {"password": "…", "signingKey": "…"}}
        docs/providers/ names every setting and secret. 'add' refuses a name that is taken; 'set' replaces the
        configuration of that name and keeps its secrets where the file gives none. 'test' lets the daemon ask the
        provider whether the account's credentials work; it ends with 1 where they don't.
        """

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        switch given.words.first {
        case "list", nil:
            try given.demand(words: 1)
            return try await list(given)
        case "add", "set":
            try given.demand(words: 2)
            guard given.words.count == 2 else { throw UsageError("name the file with the account's JSON") }
            return try await set(given.words[1], isNew: given.words[0] == "add", given)
        case "test":
            try given.demand(words: 2)
            guard given.words.count == 2 else { throw UsageError("name the account") }
            return try await test(given.words[1], given)
        case "route":
            let accounts = given.words.dropFirst().map(Json.string)
            guard !accounts.isEmpty else { throw UsageError("name the accounts, the preferred one first") }
            return try await send(.put, "/v1/routing", ["accounts": .array(Array(accounts))], given)
        case let verb?:
            throw UsageError("accounts know no '\(verb)'; say 'list', 'add FILE', 'set FILE', 'test NAME' or 'route …'")
        }
    }

    // MARK: List

    private func list(_ given: ScatteredArguments) async throws -> Int32 {
        let (accounts, routing) = try await StoreSession.with { session in
            let merchant = try await session.merchant(given["merchant"])
            let reader = session.reader
            return (try await reader.accounts(merchant: merchant), try await reader.routing(merchant: merchant))
        }
        var table = ColumnTable(["ACCOUNT", "PROVIDER", "MODE", "ROUTE", "OPEN", "CURRENCIES", "SECRETS", "VERSION"])
        for account in accounts {
            guard let configuration = account.configuration else { continue }
            let place = routing.accounts.firstIndex(of: account.id).map { String($0 + 1) } ?? "-"
            let secrets = (configuration.secrets.members?.names ?? []).sorted().joined(separator: " ")
            let currencies = configuration.currencies?.map(\.code).joined(separator: " ") ?? "any"
            if given.has("json") {
                let line: Json = [
                    "currencies": .string(currencies), "id": account.id.json,
                    "mode": .string(configuration.mode.rawValue),
                    "name": .string(configuration.name), "open": .bool(account.isOpen),
                    "provider": .string(configuration.provider), "route": .string(place), "secrets": .string(secrets),
                    "settings": configuration.settings, "version": .integer(Int64(account.version)),
                ]
                StandardStream.output.write(line.canonicalText + "\n")
            }
            table.add([
                configuration.name, configuration.provider, configuration.mode.rawValue, place,
                account.isOpen ? "yes" : "closed", currencies, secrets, String(account.version),
            ])
        }
        if !given.has("json") {
            StandardStream.output.write(table.text(orSay: "no accounts; 'paystream accounts add FILE' makes one"))
        }
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
        let (address, token) = try Self.daemon()
        let client = ApiClient(address: address, key: token)
        let key = given["key"] ?? "cli-\(SystemRandom().uuid(at: WallClock.now()))"
        do throws(ApiClient.Failure) {
            if let newName {
                let known = try await client.call(.get, "/v1/accounts")["items"]?.items ?? []
                guard !known.contains(where: { $0["name"]?.text == newName }) else {
                    throw ApiClient.Failure(description: "there is an account '\(newName)'; 'set' changes it")
                }
            }
            let answer = try await client.call(method, path, body, key: key)
            await client.stop()
            DaemonCall.show(answer, given)
            return 0
        } catch {
            await client.stop()
            throw CommandFailure(error.description)
        }
    }

    /// Asks the provider of the account with this name or id.
    private func test(_ name: String, _ given: ScatteredArguments) async throws -> Int32 {
        let path = "/v1/accounts/\(FormEncoding.escape(name))/test-connection"
        let answer = try await DaemonCall.withClient { try await $0.call(.post, path, [:]) }
        DaemonCall.show(answer, given)
        return answer["result"]?.text == "works" ? 0 : 1
    }

    /// Changes go through a running daemon: `PAYSTREAM_URL` and `PAYSTREAM_KEY`, or what `paystream dev` left.
    static func daemon() throws(UsageError) -> (address: String, key: Secret) {
        let known = DevFile.read().merging(ChildProcess.environment) { $1 }
        guard let address = known["PAYSTREAM_URL"], let key = known["PAYSTREAM_KEY"] else {
            throw UsageError(
                "PAYSTREAM_URL and PAYSTREAM_KEY name the daemon and an API key; 'paystream dev' sets both"
            )
        }
        return (address.hasSuffix("/") ? String(address.dropLast()) : address, Secret(key))
    }
}
