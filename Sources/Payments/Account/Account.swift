import EventSourcing
package import Kernel

/// One merchant's account at one provider: the fold of its stream, whose version is the account's version.
package struct Account: Aggregate, Hashable {
    package let id: Uuid
    /// Events folded so far; decisions and licences name the version that they saw.
    package private(set) var version: Int32 = 0
    package private(set) var configuration: AccountConfiguration?
    package private(set) var closedAt: Timestamp?

    package init(id: Uuid) { self.id = id }

    /// Applies one event; never fails and never decides.
    package mutating func evolve(_ event: AccountEvent) {
        version += 1
        switch event {
        case .configured(let configuration, _, _): self.configuration = configuration
        case .closed(_, let at): closedAt = at
        }
    }

    /// Decides a command.
    package func decide(_ command: AccountCommand, _ context: CommandContext) throws(Rejection) -> [AccountEvent] {
        switch command {
        case .configure(let wanted):
            guard closedAt == nil else { throw Rejection(.accountClosed, "The account was closed.") }
            try wanted.check()
            if let configuration {
                guard configuration != wanted else { return [] }
                guard configuration.provider == wanted.provider else {
                    throw Rejection(.accountFixed, "An account stays at its provider.", path: "provider")
                }
                guard configuration.mode == wanted.mode else {
                    throw Rejection(.accountFixed, "An account keeps its mode; test and live never mix.", path: "mode")
                }
            }
            return [.configured(wanted, by: context.actor.id, at: context.now)]
        case .close:
            guard configuration != nil else { throw Rejection(.accountUnknown, "There is no such account.") }
            guard closedAt == nil else { return [] }
            return [.closed(by: context.actor.id, at: context.now)]
        }
    }

    /// Whether something new may begin at it; a closed account still takes captures, voids and refunds.
    package var isOpen: Bool { configuration != nil && closedAt == nil }

    /// Its facts, as a payment keeps them.
    package var facts: AccountFacts? {
        configuration.map {
            AccountFacts(id: id, name: $0.name, provider: $0.provider, mode: $0.mode, version: version)
        }
    }

    package func takes(_ currency: Currency) -> Bool {
        guard let configuration else { return false }
        return configuration.currencies?.contains(currency) ?? true
    }
}

extension Rejection {
    /// Nothing new begins at a closed account.
    package static var closedAccount: Rejection {
        Rejection(.accountClosed, "The account was closed.", path: "account")
    }
}

/// The whole configuration of an account; a new one replaces the old one in full.
package struct AccountConfiguration: Hashable, Sendable {
    /// The merchant's name for it, as in `ecommpay-eur`.
    package let name: String
    package let provider: String
    package let mode: AccountFacts.Mode
    /// Settings by the adapter's schema; nothing in them is secret.
    package let settings: Json
    /// An object of sealed values by the names that the adapter declares, as in `{"secretKey": {"$sealed": …}}`.
    package let secrets: Json
    /// The currencies that it takes; `nil` leaves the question to the provider.
    package let currencies: [Currency]?

    package static let nameCharacters = 64

    package init(
        name: String,
        provider: String,
        mode: AccountFacts.Mode,
        settings: Json,
        secrets: Json,
        currencies: [Currency]?
    ) {
        self.name = name
        self.provider = provider
        self.mode = mode
        self.settings = settings
        self.secrets = secrets
        self.currencies = currencies
    }

    /// Checks what holds for every provider; the adapter has checked its own settings before.
    func check() throws(Rejection) {
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
        guard isName, !name.isEmpty, name.utf8.count <= Self.nameCharacters else {
            throw Rejection(.settingsInvalid, "A name is 1 to 64 characters of a–z, 0–9 and hyphens.", path: "name")
        }
        guard !provider.isEmpty else { throw Rejection(.settingsInvalid, "A provider is needed.", path: "provider") }
        guard settings.members != nil else {
            throw Rejection(.settingsInvalid, "Settings are an object.", path: "settings")
        }
        guard let members = secrets.members?.members else {
            throw Rejection(.settingsInvalid, "Secrets are an object.", path: "secrets")
        }
        for (name, value) in members where Sealed(value) == nil {
            throw Rejection(.secretNotSealed, "A secret is stored sealed or not at all.", path: "secrets.\(name)")
        }
        if let currencies, currencies.isEmpty || Set(currencies).count != currencies.count {
            throw Rejection(.settingsInvalid, "Currencies are named once each, or left out.", path: "currencies")
        }
    }
}
