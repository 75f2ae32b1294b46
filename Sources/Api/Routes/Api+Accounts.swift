import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit

extension Api {
    /// Makes an account, or replaces the configuration of the one that has this name.
    func configureAccount(_ call: Call) async throws(Problem) -> HttpResponse {
        let form = try AccountForm(call.body)
        guard let adapter = adapters[form.provider] else {
            let known = adapters.ids.joined(separator: ", ")
            throw Problem(.providerUnknown, "Known providers are: \(known).", path: "provider")
        }
        if form.mode != .test, try await clock(call) != nil {
            throw Problem(
                .clockOwned,
                "A merchant with a clock of its own has accounts in test mode only.",
                path: "mode"
            )
        }
        let known = try await account(named: form.name, call)
        let id = known?.id ?? DerivedNames.account(call.merchant, name: form.name)
        try check(form, adapter, id)
        let configuration = AccountConfiguration(
            name: form.name,
            provider: form.provider,
            mode: form.mode,
            settings: form.settings,
            secrets: try await secrets(form, adapter, id, known, call),
            currencies: form.currencies
        )
        let command = AccountCommand.configure(configuration)
        let stream = StreamName(call.merchant, .account, id)
        let submitted = try await submit(try call.submission(stream, command.name.rawValue, command.json))
        let address = ports.notifications.address(of: id, provider: form.provider, merchant: call.merchant)
        let shown = configuration.shown(id, address, version: submitted.version, isOpen: known?.isOpen ?? true)
        var response = HttpResponse.json(submitted.version == nil ? 202 : 200, shown)
        response.headers.set("Paystream-Mode", form.mode.rawValue)
        if submitted.isReplay { response.headers.set("Idempotent-Replayed", "true") }
        return response
    }

    /// Lets the adapter check its own settings before anything is stored.
    private func check(_ form: AccountForm, _ adapter: any Adapter, _ id: Uuid) throws(Problem) {
        let facts = AccountFacts(id: id, name: form.name, provider: form.provider, mode: form.mode, version: 0)
        let settings = AccountSettings(account: facts, values: form.settings, notificationUrl: "", returnUrl: "")
        do throws(SettingsFailure) { _ = try adapter.capabilities(settings) } catch {
            throw Problem(
                .settingsInvalid,
                "The provider's adapter does not take these settings.",
                path: error.path.hasPrefix("settings") ? error.path : "settings.\(error.path)",
                members: [("reason", .string(error.reason))]
            )
        }
        if let floor = PollFloor.fault(in: form.settings, isLive: form.mode == .live) {
            throw Problem(
                .settingsInvalid,
                "An account that sends messages out asks after \(floor.seconds) seconds at the earliest.",
                path: "settings.\(floor.member)",
                members: [("reason", "out_of_range")]
            )
        }
    }

    /// Seals the given secrets; where none are given, the account keeps those that it has.
    private func secrets(
        _ form: AccountForm,
        _ adapter: any Adapter,
        _ id: Uuid,
        _ known: Account?,
        _ call: Call
    ) async throws(Problem) -> Json {
        guard let given = form.secrets else {
            if let kept = known?.configuration?.secrets { return kept }
            guard adapter.declaration.secrets.isEmpty else {
                throw Problem(.secretMissing, "The provider needs its secrets.", path: "secrets")
            }
            return [:]
        }
        let names = adapter.declaration.secrets + adapter.declaration.optionalSecrets
        for name in given.keys.sorted() where !names.contains(name) {
            throw Problem(.memberUnknown, "This provider has no such secret.", path: "secrets.\(name)")
        }
        for name in adapter.declaration.secrets where given[name] == nil {
            throw Problem(.secretMissing, "The provider needs this secret.", path: "secrets.\(name)")
        }
        return try await read { () async throws(ReadFailure) in
            try await ports.personal.seal(secrets: given, account: id, merchant: call.merchant)
        }
    }

    func listAccounts(_ call: Call) async throws(Problem) -> HttpResponse {
        let accounts = try await accounts(call)
        return Self.page(accounts.compactMap { shown($0, call) }, next: nil)
    }

    func accounts(_ call: Call) async throws(Problem) -> [Account] {
        try await read { () async throws(ReadFailure) in try await ports.reader.accounts(merchant: call.merchant) }
    }

    /// The same for a call that names one.
    func accounts(_ call: Call, naming name: String) async throws(Problem) -> [Account] {
        try await read { () async throws(ReadFailure) in
            try await ports.reader.accounts(merchant: call.merchant, naming: name)
        }
    }

    /// The same as they are now, for a change that is made by them.
    func accountsNow(_ call: Call) async throws(Problem) -> [Account] {
        try await read { () async throws(ReadFailure) in
            try await ports.reader.accounts(merchant: call.merchant, isAsked: true)
        }
    }

    func account(named name: String, _ call: Call) async throws(Problem) -> Account? {
        try await accounts(call, naming: name).first { $0.configuration?.name == name }
    }

    // MARK: Routing

    func getRouting(_ call: Call) async throws(Problem) -> HttpResponse {
        let routing = try await read { () async throws(ReadFailure) in
            try await ports.reader.routing(merchant: call.merchant)
        }
        return .json(200, self.routing(routing.accounts, try await accounts(call), call))
    }

    func setRouting(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try Form(call.body)
        guard let value = form.value("accounts") else { throw form.missing("accounts") }
        guard let items = value.items else { throw form.wrongType("accounts", "A list") }
        try form.end()
        guard items.count <= Routing.accountsPerMerchant else {
            throw Problem(.tooMany, "At most \(Routing.accountsPerMerchant) accounts.", path: "accounts")
        }
        let known = try await accountsNow(call)
        var order: [Uuid] = []
        for (index, item) in items.enumerated() {
            guard let text = item.text else { throw form.wrongType("accounts.\(index)", "A name") }
            guard let account = known.first(where: { $0.configuration?.name == text || $0.id == Uuid(text) }) else {
                throw Problem(.accountUnknown, "There is no such account.", path: "accounts.\(index)")
            }
            order.append(account.id)
        }
        let command = RoutingCommand.set(order)
        let stream = DerivedNames.routing(call.merchant)
        let submitted = try await submit(try call.submission(stream, command.name.rawValue, command.json))
        var response = HttpResponse.json(submitted.version == nil ? 202 : 200, routing(order, known, call))
        if submitted.isReplay { response.headers.set("Idempotent-Replayed", "true") }
        return response
    }

    private func routing(_ order: [Uuid], _ accounts: [Account], _ call: Call) -> Json {
        let items = order.compactMap { id in accounts.first { $0.id == id }.flatMap { shown($0, call) } }
        return ["object": "routing", "accounts": .array(items)]
    }

    private func shown(_ account: Account, _ call: Call) -> Json? {
        guard let configuration = account.configuration else { return nil }
        let provider = configuration.provider
        let address = ports.notifications.address(of: account.id, provider: provider, merchant: call.merchant)
        return configuration.shown(account.id, address, version: account.version, isOpen: account.isOpen)
    }
}

extension AccountConfiguration {
    /// The account as the API shows it: which secrets it has, never what they are.
    ///
    /// Without a version it is not decided yet.
    fileprivate func shown(_ id: Uuid, _ address: String, version: Int32?, isOpen: Bool) -> Json {
        .compact([
            ("id", id.json), ("object", "account"), ("version", version.map { .integer(Int64($0)) }),
            ("name", .string(name)), ("provider", .string(provider)), ("mode", .string(mode.rawValue)),
            ("settings", settings),
            ("secrets", .array((secrets.members?.names ?? []).sorted().map(Json.string))),
            ("currencies", currencies.map { .array($0.map { .string($0.code) }) }), ("open", .bool(isOpen)),
            ("notificationUrl", .string(address)),
        ])
    }
}

/// `POST /v1/accounts`.
struct AccountForm {
    let name: String
    let provider: String
    let mode: AccountFacts.Mode
    let settings: Json
    let secrets: [String: Secret]?
    let currencies: [Currency]?

    init(_ body: Json) throws(Problem) {
        var form = try Form(body)
        name = try form.needed("name", bytes: AccountConfiguration.nameCharacters)
        provider = try form.needed("provider", bytes: Limits.identifierBytes)
        guard let mode: AccountFacts.Mode = try form.word("mode") else { throw form.missing("mode") }
        self.mode = mode
        settings = form.value("settings") ?? [:]
        try FreeForm.check(settings, at: "settings", lines: true)
        secrets = try Self.secrets(form.value("secrets"))
        currencies = try Self.currencies(form.value("currencies"))
        try form.end()
    }

    private static func secrets(_ json: Json?) throws(Problem) -> [String: Secret]? {
        guard let json else { return nil }
        guard let object = json.members else { throw Problem(.typeWrong, "An object is needed here.", path: "secrets") }
        var secrets: [String: Secret] = [:]
        for member in object.members {
            let path = "secrets.\(member.name)"
            guard let text = member.value.text else { throw Problem(.typeWrong, "A text is needed here.", path: path) }
            guard !text.isEmpty else { throw Problem(.textEmpty, "The secret is empty.", path: path) }
            secrets[member.name] = Secret(text)
        }
        return secrets
    }

    private static func currencies(_ json: Json?) throws(Problem) -> [Currency]? {
        guard let json else { return nil }
        guard let items = json.items else { throw Problem(.typeWrong, "A list is needed here.", path: "currencies") }
        var currencies: [Currency] = []
        for (index, item) in items.enumerated() {
            let path = "currencies.\(index)"
            guard let text = item.text else { throw Problem(.typeWrong, "A text is needed here.", path: path) }
            guard let currency = Currency(text) else {
                throw Problem(.currencyUnknown, "This is no currency of ISO 4217.", path: path)
            }
            currencies.append(currency)
        }
        return currencies
    }
}
