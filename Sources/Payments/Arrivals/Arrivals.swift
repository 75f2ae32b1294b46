import Crypto
package import EventSourcing
package import Kernel

/// The verified notifications of one account that match no payment.
///
/// Each stays raw as an input; this stream keeps what it was about, so that nothing verified is ever lost.
package struct Arrivals: Aggregate, Hashable {
    package private(set) var version: Int32 = 0
    /// The one that came last.
    package private(set) var latest: Arrival?

    package init() {}

    /// It holds nothing of its name.
    package init(id _: Uuid) {}

    /// Applies one event; never fails and never decides.
    package mutating func evolve(_ event: ArrivalsEvent) {
        version += 1
        switch event {
        case .kept(let arrival, _): latest = arrival
        }
    }

    /// Decides a command: keeping the same input twice is a success with nothing to record.
    package func decide(_ command: ArrivalsCommand, _ context: CommandContext) -> [ArrivalsEvent] {
        switch command {
        case .keep(let arrival): latest?.input == arrival.input ? [] : [.kept(arrival, at: context.now)]
        }
    }
}

extension StreamName {
    /// The arrivals of an account.
    ///
    /// A merchant's stream ids differ whatever the kinds are, so it can't be the account's own.
    package static func arrivals(_ merchant: MerchantNumber, account: Uuid) -> StreamName {
        StreamName(merchant, .arrivals, Uuid.version5(namespace: account, name: "arrivals"))
    }
}

/// One notification that nobody was waiting for.
package struct Arrival: Hashable, Sendable {
    /// One name that the provider gave, as `("payment", "ord-2")`.
    package struct Reference: Hashable, Sendable {
        package let kind: String
        package let value: String

        package init(kind: String, value: String) {
            self.kind = kind
            self.value = value
        }
    }

    /// The input that holds it raw.
    package let input: Uuid
    /// The surest first.
    package let references: [Reference]

    package init(input: Uuid, references: [Reference]) {
        self.input = input
        self.references = references
    }
}

/// A fact about an account's arrivals.
package enum ArrivalsEvent: StoredEvent, Hashable {
    case kept(Arrival, at: Timestamp)

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case kept = "arrival.kept.v1"
    }

    package var name: Name {
        switch self {
        case .kept: .kept
        }
    }
}

/// A request of the notification entrance to the arrivals.
package enum ArrivalsCommand: StoredCommand, Hashable {
    case keep(Arrival)

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case keep = "arrival.keep"
    }

    package var name: Name {
        switch self {
        case .keep: .keep
        }
    }
}

extension ArrivalsEvent {
    package func write(into out: inout JsonText) {
        switch self {
        case .kept(let arrival, let at):
            out.member("arrival", arrival)
            out.member("at", at)
        }
    }

    /// Reads the payload of a stored event.
    package init(_ name: Name, _ fields: Fields) throws(CodecFailure) {
        switch name {
        case .kept: self = .kept(try Arrival(fields.fields("arrival")), at: try fields.time("at"))
        }
    }
}

extension ArrivalsCommand {
    package func write(into out: inout JsonText) {
        switch self {
        case .keep(let arrival): arrival.write(into: &out)
        }
    }

    /// Reads a stored command.
    package init(name: Name, _ json: Json) throws(CodecFailure) {
        switch name {
        case .keep: self = .keep(try Arrival(Fields(json)))
        }
    }
}

extension Arrival: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("input", input)
        out.member("references", .array(references.map { ["kind": .string($0.kind), "value": .string($0.value)] }))
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        guard let items = try fields.value("references").items else { throw CodecFailure("references") }
        var references: [Reference] = []
        for item in items {
            let member = Fields(item)
            references.append(Reference(kind: try member.text("kind"), value: try member.text("value")))
        }
        self.init(input: try fields.uuid("input"), references: references)
    }
}
