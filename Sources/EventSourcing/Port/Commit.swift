package import Kernel

/// How a decision's input stands in the store.
package enum InputArrival: Hashable, Sendable {
    /// It is written in the decision's own transaction (the in-process fast path).
    ///
    /// Allowed only for a stream that has no undecided input; the store checks that in the same transaction.
    case new(InputRecord)
    /// It was admitted before; the mailbox of its stream is held under `fence`.
    case admitted(id: Uuid, fence: Int64)

    package var id: Uuid {
        switch self {
        case .new(let record): record.id
        case .admitted(let id, _): id
        }
    }
}

/// A name that a provider or we gave to something of a stream: `(account, kind, value)` belongs to one stream for ever.
package struct Reference: Hashable, Sendable {
    package let account: Uuid
    /// As in `payment`, `operation`, `refund`, `token`.
    package let kind: String
    package let value: String

    package init(account: Uuid, kind: String, value: String) {
        self.account = account
        self.kind = kind
        self.value = value
    }

    /// The kind that stands for the next charge by a payer's mandate.
    package static let mandateUse = "leave"
}

/// When the timers of a stream are due; `nil` disarms.
///
/// Machine time is the database's clock, business time a merchant's.
package struct Timers: Hashable, Sendable {
    package let machine: Timestamp?
    package let business: Timestamp?

    package init(machine: Timestamp?, business: Timestamp?) {
        self.machine = machine
        self.business = business
    }

    package static let none = Timers(machine: nil, business: nil)
}

/// One decided input of one stream, written whole or not at all.
package struct CommitUnit: Hashable, Sendable {
    package let stream: StreamName
    package let input: InputArrival
    package let record: DecisionRecord
    package let events: [EventDraft]
    /// For a command: the keyed MAC of its canonical form; the key itself is the input's id.
    package let commandMac: [UInt8]?
    package let references: [Reference]
    /// The message that a new input answers: nobody waits for it any more.
    ///
    /// Under a claim that is gone its row stays as it is.
    package let answers: EffectLease?
    package let effects: [EffectChange]
    package let timers: Timers
    /// Inputs for other streams that follow from this decision, admitted in its transaction; known ones are skipped.
    package let forwards: [InputRecord]

    package init(
        stream: StreamName,
        input: InputArrival,
        record: DecisionRecord,
        events: [EventDraft],
        commandMac: [UInt8]? = nil,
        references: [Reference] = [],
        answers: EffectLease? = nil,
        effects: [EffectChange] = [],
        timers: Timers = .none,
        forwards: [InputRecord] = []
    ) {
        self.stream = stream
        self.input = input
        self.record = record
        self.events = events
        self.commandMac = commandMac
        self.references = references
        self.answers = answers
        self.effects = effects
        self.timers = timers
        self.forwards = forwards
    }
}

/// The outcome of a unit; a conflict is a value and stops no neighbour.
package enum CommitOutcome: Hashable, Sendable {
    /// Durable. `position` is the last position that the unit drew; `events` are its events as they were recorded; `ready` are
    /// the messages that it created, under fences that nobody else was told.
    case committed(version: Int32, position: Int64, events: [RecordedEvent], ready: [LeasedEffect])
    /// This input had been decided before: the lost-COMMIT answer, or a repeated command.
    case duplicate(version: Int32)
    /// The stream moved on: load it again and decide again.
    case conflict(version: Int32)
    /// A new input met a stream with undecided ones: admit it and let the mailbox order them.
    case busy
    /// The mailbox was claimed by somebody else since.
    case fenced
    /// A reference belongs to another stream.
    case referenceTaken(Reference, by: StreamName)
    /// The id is a stream's of another kind; nothing is ever written to it under this one.
    case foreign(StreamKind)
}

/// A command's key in the permanent table.
package struct KnownCommand: Hashable, Sendable {
    package let mac: [UInt8]
    package let stream: StreamName
    /// The version that the command committed.
    package let version: Int32

    package init(mac: [UInt8], stream: StreamName, version: Int32) {
        self.mac = mac
        self.stream = stream
        self.version = version
    }
}
