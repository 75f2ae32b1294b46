package import EventSourcing
package import Kernel

/// A fact about a payment link.
package enum PaymentLinkEvent: StoredEvent, Hashable {
    case created(PaymentLinkTerms, by: String, at: Timestamp)
    case deactivated(by: String, at: Timestamp)

    /// The stored names; a changed shape gets a new version beside the old one.
    package enum Name: String, Hashable, Sendable, CaseIterable {
        case created = "paymentLink.created.v1"
        case deactivated = "paymentLink.deactivated.v1"
    }

    package var name: Name {
        switch self {
        case .created: .created
        case .deactivated: .deactivated
        }
    }
}

/// A request about a payment link.
package enum PaymentLinkCommand: StoredCommand, Hashable {
    case create(PaymentLinkTerms)
    case deactivate

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case create = "paymentLink.create"
        case deactivate = "paymentLink.deactivate"
    }

    package var name: Name {
        switch self {
        case .create: .create
        case .deactivate: .deactivate
        }
    }
}

extension PaymentLinkEvent {
    /// The payload as it is stored.
    package func write(into out: inout JsonText) {
        switch self {
        case .created(let terms, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("terms", terms)
        case .deactivated(let actor, let at):
            out.member("at", at)
            out.member("by", actor)
        }
    }

    /// Reads the payload of a stored event.
    package init(_ name: Name, _ fields: Fields) throws(CodecFailure) {
        let by = try fields.text("by")
        let at = try fields.time("at")
        switch name {
        case .created: self = .created(try PaymentLinkTerms(fields.fields("terms")), by: by, at: at)
        case .deactivated: self = .deactivated(by: by, at: at)
        }
    }
}

extension PaymentLinkCommand {
    /// The body of the command's input, as it is stored.
    package func write(into out: inout JsonText) {
        switch self {
        case .create(let terms): out.member("terms", terms)
        case .deactivate: break
        }
    }

    /// Reads a stored command.
    package init(name: Name, _ json: Json) throws(CodecFailure) {
        switch name {
        case .create: self = .create(try PaymentLinkTerms(Fields(json).fields("terms")))
        case .deactivate: self = .deactivate
        }
    }
}

extension PaymentLinkTerms: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("accountMode", accountMode)
        out.member("amount", amount)
        out.member("country", country)
        out.member("customer", customer)
        out.member("description", description)
        out.member("expiresAt", expiresAt)
        out.member("language", language)
        out.member("metadata", metadata)
        out.member("methods", .array(methods.map { .string($0.rawValue) }))
        out.member("mode", mode)
        out.member("payee", payee)
        out.member("reference", reference)
        out.member("returnUrl", returnUrl)
        out.member("uses", uses)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        var methods: [PayerMethod] = []
        guard let named = try fields.value("methods").items else { throw CodecFailure("methods") }
        for item in named {
            guard let method = item.text.flatMap({ PayerMethod(rawValue: $0) }) else { throw CodecFailure("methods") }
            methods.append(method)
        }
        self.init(
            amount: try fields.money("amount"),
            mode: try fields.word("mode"),
            uses: try fields.word("uses"),
            payee: try fields.text("payee"),
            description: try fields.optionalText("description"),
            reference: try fields.optionalText("reference"),
            customer: try fields.optionalText("customer"),
            country: try fields.optionalText("country"),
            accountMode: try fields.optionalWord("accountMode"),
            methods: methods,
            returnUrl: try fields.optionalText("returnUrl"),
            language: try fields.optionalWord("language"),
            expiresAt: try fields.optionalTime("expiresAt"),
            metadata: try fields.value("metadata")
        )
    }
}
