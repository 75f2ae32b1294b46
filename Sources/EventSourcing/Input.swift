package import Kernel

/// Where an input came from; the numbers are stored and never change.
package enum InputKind: Int16, Hashable, Sendable, CaseIterable {
    /// A backend, an operator or the scheduler asks for something.
    case command = 1
    /// The outcome of one dispatch: an answer, or the knowledge that there was none.
    case answer = 2
    /// A provider calls us.
    case notification = 3
    /// The payer's browser came back.
    case browserReturn = 4
    /// The payer's app tells what its SDK said.
    case claim = 5
    /// A moment that the stream itself had asked for.
    case timer = 6
    /// A line of a provider's report.
    case imported = 7
}

/// Everything that comes in, kept raw: personal fields are sealed in place, nothing else is changed.
package struct InputRecord: Hashable, Sendable {
    /// Derived from what the input is (command key, effect and fence, notification digest), so that a repetition meets itself.
    package let id: Uuid
    package let stream: StreamName
    package let kind: InputKind
    /// The stored name of its kind, as in `payment.create`, `effect.answered`, `ecommpay.callback`, `timer`.
    package let name: String
    /// Canonical JSON about it: actor, correlation id, traceparent, verdict, headers, findings.
    package let meta: [UInt8]
    /// Exact bytes, or a skeleton where personal fields were sealed.
    package let body: [UInt8]
    package let receivedAt: Timestamp

    package init(
        id: Uuid,
        stream: StreamName,
        kind: InputKind,
        name: String,
        meta: [UInt8],
        body: [UInt8],
        receivedAt: Timestamp
    ) {
        self.id = id
        self.stream = stream
        self.kind = kind
        self.name = name
        self.meta = meta
        self.body = body
        self.receivedAt = receivedAt
    }
}

/// The outcome of a decision.
package enum DecisionOutcome: Hashable, Sendable {
    /// So many events were appended; none for a hint or a repetition.
    case events(Int)
    /// The command was refused: a stable code and a detail in canonical JSON.
    case rejected(code: String, detail: [UInt8])
}

/// Everything that replay needs to decide the same input again.
package struct DecisionRecord: Hashable, Sendable {
    /// The stream's version that the decision saw.
    package let baseVersion: Int32
    /// Canonical JSON: clock reading, configuration versions, resolved look-ups.
    package let context: [UInt8]
    /// Canonical JSON: versions of decider, adapter and tables, build id.
    package let versions: [UInt8]
    package let outcome: DecisionOutcome

    package init(baseVersion: Int32, context: [UInt8], versions: [UInt8], outcome: DecisionOutcome) {
        self.baseVersion = baseVersion
        self.context = context
        self.versions = versions
        self.outcome = outcome
    }
}

/// A decision record as the log holds it.
package struct RecordedDecision: Hashable, Sendable {
    package let input: Uuid
    package let stream: StreamName
    package let position: Int64
    package let record: DecisionRecord

    package init(input: Uuid, stream: StreamName, position: Int64, record: DecisionRecord) {
        self.input = input
        self.stream = stream
        self.position = position
        self.record = record
    }
}
