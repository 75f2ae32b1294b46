import Engine
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
        if known == nil, try await accountsNow(call).count >= Routing.accountsPerMerchant {
            throw Problem(
                .tooMany,
                "A merchant has at most \(Routing.accountsPerMerchant) accounts, closed ones included."
            )
        }
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
        if let change = try await proposed(call, stream, command.name.rawValue, command.json) { return change }
        let submitted = try await submit(call.submission(stream, command.name.rawValue, command.canonical))
        let address = engine.notifications.address(of: id, provider: form.provider, merchant: call.merchant)
        let shown = configuration.shown(id, address, version: submitted.version, isOpen: known?.isOpen ?? true)
        return HttpResponse.outcome(of: submitted, shown).with(form.mode)
    }

    /// Closes an account: nothing new begins at it, and what exists goes on.
    func closeAccount(_ call: Call) async throws(Problem) -> HttpResponse {
        _ = try Form(call.body).end()
        let known = try await accountInPath(call)
        guard let configuration = known.configuration else { throw .unknownAccount }
        let command = AccountCommand.close
        let stream = StreamName(call.merchant, .account, known.id)
        if let change = try await proposed(call, stream, command.name.rawValue, command.json) { return change }
        let submitted = try await submit(call.submission(stream, command.name.rawValue, command.canonical))
        let address = engine.notifications.address(
            of: known.id,
            provider: configuration.provider,
            merchant: call.merchant
        )
        // A closed account is never changed again; while the command waits, the account is still open.
        let isOpen = submitted.version == nil && known.isOpen
        let shown = configuration.shown(known.id, address, version: submitted.version, isOpen: isOpen)
        return HttpResponse.outcome(of: submitted, shown).with(configuration.mode)
    }

    /// The account in the path, by its name or its id.
    func accountInPath(_ call: Call) async throws(Problem) -> Account {
        let named = call.path["account"] ?? ""
        guard let account = try await accounts(call, naming: named).called(named) else { throw .unknownAccount }
        return account
    }

    /// Lets the adapter check its own settings before anything is stored.
    private func check(_ form: AccountForm, _ adapter: any Adapter, _ id: Uuid) throws(Problem) {
        let facts = AccountFacts(id: id, name: form.name, provider: form.provider, mode: form.mode, version: 0)
        let settings = AccountSettings(facts, form.settings)
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
        return vault.seal(secrets: given, account: id, merchant: call.merchant)
    }

    func listAccounts(_ call: Call) async throws(Problem) -> HttpResponse {
        let accounts = try await accounts(call)
        return Self.page(accounts.compactMap { shown($0, call) }, next: nil)
    }

    func accounts(_ call: Call) async throws(Problem) -> [Account] {
        try await reader.accounts(merchant: call.merchant)
    }

    /// The same for a call that names one.
    func accounts(_ call: Call, naming name: String) async throws(Problem) -> [Account] {
        try await reader.accounts(merchant: call.merchant, naming: name)
    }

    /// The same as they are now, for a change that is made by them.
    func accountsNow(_ call: Call) async throws(Problem) -> [Account] {
        try await reader.accounts(merchant: call.merchant, isAsked: true)
    }

    func account(named name: String, _ call: Call) async throws(Problem) -> Account? {
        try await accounts(call, naming: name).named(name)
    }

    func shown(_ account: Account, _ call: Call) -> Json? {
        guard let configuration = account.configuration else { return nil }
        let provider = configuration.provider
        let address = engine.notifications.address(of: account.id, provider: provider, merchant: call.merchant)
        return configuration.shown(account.id, address, version: account.version, isOpen: account.isOpen)
    }
}

extension Problem {
    /// A path that names no account.
    static var unknownAccount: Problem {
        Problem(status: 404, code: ProblemCode.accountUnknown, "There is no such account.")
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
