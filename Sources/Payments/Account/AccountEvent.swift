package import EventSourcing
package import Kernel

/// A fact about an account.
package enum AccountEvent: StoredEvent, Hashable {
    case configured(AccountConfiguration, by: String, at: Timestamp)
    /// No new payment uses it; what runs goes on.
    case closed(by: String, at: Timestamp)

    /// The stored names; a changed shape gets a new version beside the old one.
    package enum Name: String, Hashable, Sendable, CaseIterable {
        case configured = "account.configured.v1"
        case closed = "account.closed.v1"
    }

    package var name: Name {
        switch self {
        case .configured: .configured
        case .closed: .closed
        }
    }
}

/// A request of an administrator about an account.
package enum AccountCommand: StoredCommand, Hashable {
    /// Replaces the configuration in full.
    case configure(AccountConfiguration)
    case close

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case configure = "account.configure"
        case close = "account.close"
    }

    package var name: Name {
        switch self {
        case .configure: .configure
        case .close: .close
        }
    }
}

extension AccountEvent {
    /// The payload as it is stored.
    package func write(into out: inout JsonText) {
        switch self {
        case .configured(let configuration, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("configuration", configuration)
        case .closed(let actor, let at):
            out.member("at", at)
            out.member("by", actor)
        }
    }

    /// Reads the payload of a stored event.
    package init(_ name: Name, _ fields: Fields) throws(CodecFailure) {
        switch name {
        case .configured:
            self = .configured(
                try AccountConfiguration(fields.fields("configuration")),
                by: try fields.text("by"),
                at: try fields.time("at")
            )
        case .closed: self = .closed(by: try fields.text("by"), at: try fields.time("at"))
        }
    }
}

extension AccountCommand {
    /// The body of the command's input, as it is stored.
    package func write(into out: inout JsonText) {
        switch self {
        case .configure(let configuration): configuration.write(into: &out)
        case .close: break
        }
    }

    /// Reads a stored command.
    package init(name: Name, _ json: Json) throws(CodecFailure) {
        switch name {
        case .configure: self = .configure(try AccountConfiguration(Fields(json)))
        case .close: self = .close
        }
    }
}

extension AccountConfiguration: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("currencies", currencies.map { .array($0.map { .string($0.code) }) })
        out.member("mode", mode)
        out.member("name", name)
        out.member("provider", provider)
        out.member("secrets", secrets)
        out.member("settings", settings)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        let currencies = try fields.optional("currencies") { json -> [Currency]? in
            guard let items = json.items else { return nil }
            let known = items.compactMap { $0.text.flatMap { Currency($0) } }
            return known.count == items.count ? known : nil
        }
        self.init(
            name: try fields.text("name"),
            provider: try fields.text("provider"),
            mode: try fields.word("mode"),
            settings: try fields.value("settings"),
            secrets: try fields.value("secrets"),
            currencies: currencies
        )
    }
}
