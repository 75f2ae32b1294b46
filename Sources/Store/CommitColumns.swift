import EventSourcing
import Kernel
import Postgres

/// Units of one commit as the arrays that `paystream.commit` takes; numbers of units start at one.
struct CommitColumns {
    private let units: [CommitUnit]
    private var events: [NumberedEvent] = []
    private var references: [NumberedReference] = []
    private var changes: [NumberedChange] = []
    private var forwardUnits: [Int32?] = []
    private var forwards: [InputRecord] = []

    /// Takes units sorted by stream, one per stream, with no input and no reference twice.
    init(_ units: [CommitUnit]) {
        self.units = units
        events.reserveCapacity(units.reduce(0) { $0 + $1.events.count })
        for (index, unit) in units.enumerated() { append(unit, number: Int32(index + 1)) }
    }

    /// The references in the order in which the function numbers them.
    var referenceList: [Reference] { references.map(\.reference) }

    var values: [PostgresValue] {
        var values = Self.columns(units)
        values.reserveCapacity(48)
        values += Self.columns(events)
        values += Self.columns(references)
        values += Self.columns(changes)
        values.append(.int32s(forwardUnits))
        values += InputRecord.columns(forwards)
        return values
    }

    private mutating func append(_ unit: CommitUnit, number: Int32) {
        unit.record.check(events: unit.events.count)
        for (index, event) in unit.events.enumerated() {
            let version = unit.record.baseVersion + Int32(index) + 1
            events.append(NumberedEvent(unit: number, version: version, event: event))
        }
        for (index, reference) in unit.references.enumerated()
        where !unit.references[..<index].contains(reference) {
            references.append(NumberedReference(unit: number, reference: reference))
        }
        let changes = unit.effects.net
        if let lease = unit.answers, !changes.contains(where: { $0.replaces(lease.id) }) {
            self.changes.append(NumberedChange(answered: lease, unit: number))
        }
        for change in changes { self.changes.append(NumberedChange(change, unit: number)) }
        for forward in unit.forwards {
            forwardUnits.append(number)
            forwards.append(forward)
        }
    }
}

/// An event of a numbered unit.
private struct NumberedEvent {
    let unit: Int32
    let version: Int32
    let event: EventDraft
}

/// A name of a numbered unit.
private struct NumberedReference {
    let unit: Int32
    let reference: Reference
}

/// A changed effect of a numbered unit.
private struct NumberedChange {
    let unit: Int32
    let change: Int32
    let id: Uuid
    var created: NewEffect?
    var ordinal: Int32?
    var notBefore: Timestamp?
    var sendBefore: Timestamp?
    var fence: Int64?

    init(_ change: EffectChange, unit: Int32) {
        self.unit = unit
        id = change.id
        switch change {
        case .create(let effect):
            self.change = 0
            created = effect
            ordinal = effect.ordinal
            notBefore = effect.notBefore
            sendBefore = effect.sendBefore
        case .resend(_, let ordinal, let notBefore, let sendBefore):
            self.change = 1
            self.ordinal = ordinal
            self.notBefore = notBefore
            self.sendBefore = sendBefore
        case .remove: self.change = 2
        case .revoke: self.change = 3
        }
    }

    init(answered lease: EffectLease, unit: Int32) {
        self.unit = unit
        change = 4
        id = lease.id
        fence = lease.fence
    }
}

extension CommitColumns {
    fileprivate static func columns(_ units: [CommitUnit]) -> [PostgresValue] {
        [
            .int32s(units) { $0.stream.merchant.value }, .uuids(units) { $0.stream.id },
            .int32s(units) { Int32($0.stream.kind.rawValue) }, .uuids(units) { $0.input.id },
            .int64s(units) { $0.input.fence }, .int32s(units) { $0.record.baseVersion },
            .int32s(units) { Int32($0.events.count) }, .texts(units) { $0.record.refusal?.code },
            .jsons(units) { $0.record.refusal?.detail }, .jsons(units) { $0.record.context },
            .jsons(units) { $0.record.versions }, .byteArrays(units) { $0.commandMac },
            .timestamps(units) { $0.timers.machine }, .timestamps(units) { $0.timers.business },
            .int32s(units) { $0.input.new.map { Int32($0.kind.rawValue) } }, .texts(units) { $0.input.new?.name },
            .jsons(units) { $0.input.new?.meta }, .byteArrays(units) { $0.input.new?.body },
            .timestamps(units) { $0.input.new?.receivedAt },
        ]
    }

    fileprivate static func columns(_ events: [NumberedEvent]) -> [PostgresValue] {
        [
            .int32s(events) { $0.unit }, .int32s(events) { $0.version }, .texts(events) { $0.event.type },
            .jsons(events) { $0.event.data },
        ]
    }

    fileprivate static func columns(_ references: [NumberedReference]) -> [PostgresValue] {
        [
            .int32s(references) { $0.unit }, .uuids(references) { $0.reference.account },
            .texts(references) { $0.reference.kind }, .texts(references) { $0.reference.value },
        ]
    }

    fileprivate static func columns(_ changes: [NumberedChange]) -> [PostgresValue] {
        [
            .int32s(changes) { $0.unit }, .int32s(changes) { $0.change }, .uuids(changes) { $0.id },
            .uuids(changes) { $0.created?.account }, .int32s(changes) { $0.ordinal },
            .byteArrays(changes) { $0.created?.template }, .timestamps(changes) { $0.notBefore },
            .timestamps(changes) { $0.sendBefore }, .int64s(changes) { $0.created?.deadline.wholeMicroseconds },
            .int64s(changes) { $0.fence },
        ]
    }
}

extension InputArrival {
    /// The input, where no mailbox holds it yet.
    fileprivate var new: InputRecord? { if case .new(let record) = self { record } else { nil } }
    fileprivate var fence: Int64? { if case .admitted(_, let fence) = self { fence } else { nil } }
}

extension DecisionRecord {
    fileprivate var refusal: (code: String, detail: [UInt8])? {
        if case .rejected(let code, let detail) = outcome { (code, detail) } else { nil }
    }

    fileprivate func check(events: Int) {
        switch outcome {
        case .events(let count): precondition(count == events, "the record counts the events it comes with")
        case .rejected: precondition(events == 0, "a rejection appends nothing")
        }
    }
}

extension [EffectChange] {
    /// The last change of every row: the function applies a set.
    var net: [EffectChange] {
        guard count > 1 else { return self }
        var last: [Uuid: Int] = [:]
        for (index, change) in enumerated() { last[change.id] = index }
        return indices.filter { last[self[$0].id] == $0 }.map { self[$0] }
    }
}

extension EffectChange {
    /// The row that changes.
    var id: Uuid {
        switch self {
        case .create(let effect): effect.id
        case .resend(let id, _, _, _): id
        case .remove(let id), .revoke(let id): id
        }
    }

    /// Whether the row is another one, or none, behind this change.
    func replaces(_ row: Uuid) -> Bool {
        if case .revoke = self { return false }
        return id == row
    }
}
