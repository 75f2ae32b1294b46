package import EventSourcing
package import Kernel

/// A merchant's accounts in the order in which payments try them; one stream per merchant.
package struct Routing: Hashable, Sendable {
    package private(set) var version: Int32 = 0
    /// Accounts by their ids, the preferred one first.
    package private(set) var accounts: [Uuid] = []

    package static let accountsPerMerchant = 256

    package init() {}

    package static func fold(_ events: some Sequence<RoutingEvent>) -> Routing {
        var routing = Routing()
        for event in events { routing.evolve(event) }
        return routing
    }

    /// Applies one event; never fails and never decides.
    package mutating func evolve(_ event: RoutingEvent) {
        version += 1
        switch event {
        case .set(let accounts, _, _): self.accounts = accounts
        }
    }

    /// Decides a command; whether the accounts exist was looked up before.
    package func decide(_ command: RoutingCommand, _ context: CommandContext) throws(Rejection) -> [RoutingEvent] {
        switch command {
        case .set(let wanted):
            guard wanted.count <= Self.accountsPerMerchant else {
                throw Rejection(.routingInvalid, "At most \(Self.accountsPerMerchant) accounts.", path: "accounts")
            }
            guard Set(wanted).count == wanted.count else {
                throw Rejection(.routingInvalid, "Each account is named once.", path: "accounts")
            }
            guard wanted != accounts || version == 0 else { return [] }
            return [.set(wanted, by: context.actor.id, at: context.now)]
        }
    }

    /// The first open account that takes the currency and is at the provider, where those are asked for.
    package func pick(from known: [Uuid: Account], currency: Currency?, provider: String? = nil) -> Account? {
        for id in accounts {
            guard let account = known[id], account.isOpen, let configuration = account.configuration else { continue }
            if let provider, configuration.provider != provider { continue }
            if let currency, !account.takes(currency) { continue }
            return account
        }
        return nil
    }
}

/// What happened to a merchant's routing.
package enum RoutingEvent: Hashable, Sendable {
    case set([Uuid], by: String, at: Timestamp)

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case set = "routing.set.v1"
    }

    package var name: Name {
        switch self {
        case .set: .set
        }
    }
}

/// What an administrator asks of the routing.
package enum RoutingCommand: Hashable, Sendable {
    /// Replaces the order in full.
    case set([Uuid])

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case set = "routing.set"
    }

    package var name: Name {
        switch self {
        case .set: .set
        }
    }
}

extension RoutingEvent {
    package var draft: EventDraft { EventDraft(type: name.rawValue, data: json.canonical) }

    package var json: Json {
        switch self {
        case .set(let accounts, let actor, let at):
            ["accounts": .array(accounts.map(\.json)), "at": at.json, "by": .string(actor)]
        }
    }

    /// Reads a stored event.
    package init(type: String, data: [UInt8]) throws(CodecFailure) {
        guard let name = Name(rawValue: type), let json = try? Json(data) else { throw CodecFailure(type) }
        let fields = Fields(json)
        switch name {
        case .set:
            self = .set(try fields.accounts(), by: try fields.text("by"), at: try fields.time("at"))
        }
    }
}

extension RoutingCommand {
    package var json: Json {
        switch self {
        case .set(let accounts): ["accounts": .array(accounts.map(\.json))]
        }
    }

    /// Reads a stored command.
    package init(name: Name, _ json: Json) throws(CodecFailure) {
        switch name {
        case .set: self = .set(try Fields(json).accounts())
        }
    }
}

extension Fields {
    fileprivate func accounts() throws(CodecFailure) -> [Uuid] {
        guard let items = try value("accounts").items else { throw CodecFailure("accounts") }
        let read = items.compactMap { $0.text.flatMap { Uuid($0) } }
        guard read.count == items.count else { throw CodecFailure("accounts") }
        return read
    }
}
