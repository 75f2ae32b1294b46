import EventSourcing
import Kernel
import Postgres

/// Units of one commit as the arrays that `paystream.commit` takes; numbers of units start at one.
struct CommitColumns {
    private var units = UnitColumns()
    private var events = EventColumns()
    private var references = ReferenceColumns()
    private var effects = EffectColumns()
    private var forwardUnits: [Int32?] = []
    private var forwards: [InputRecord] = []
    /// The references in the order in which the function numbers them.
    private(set) var referenceList: [Reference] = []

    /// Takes units sorted by stream, one per stream, with no input and no reference twice.
    init(_ list: [CommitUnit]) {
        for (index, unit) in list.enumerated() { append(unit, number: Int32(index + 1)) }
    }

    var values: [PostgresValue] {
        units.values + events.values + references.values + effects.values + [.int32s(forwardUnits)]
            + InputColumns(forwards).values
    }

    private mutating func append(_ unit: CommitUnit, number: Int32) {
        units.append(unit)
        for (index, event) in unit.events.enumerated() {
            events.append(event, unit: number, version: unit.record.baseVersion + Int32(index) + 1)
        }
        var named: Set<Reference> = []
        for reference in unit.references where named.insert(reference).inserted {
            references.append(reference, unit: number)
            referenceList.append(reference)
        }
        let changes = EffectColumns.net(unit.effects)
        if let lease = unit.answers, !changes.contains(where: { $0.replaces(lease.id) }) {
            effects.append(answered: lease, unit: number)
        }
        for change in changes { effects.append(change, unit: number) }
        for forward in unit.forwards {
            forwardUnits.append(number)
            forwards.append(forward)
        }
    }
}

/// One element per unit.
private struct UnitColumns {
    private var merchants: [Int32?] = []
    private var streams: [Uuid?] = []
    private var kinds: [Int32?] = []
    private var inputs: [Uuid?] = []
    private var fences: [Int64?] = []
    private var bases: [Int32?] = []
    private var counts: [Int32?] = []
    private var codes: [String?] = []
    private var details: [[UInt8]?] = []
    private var contexts: [[UInt8]?] = []
    private var versions: [[UInt8]?] = []
    private var macs: [[UInt8]?] = []
    private var machine: [Timestamp?] = []
    private var business: [Timestamp?] = []
    private var inputKinds: [Int32?] = []
    private var names: [String?] = []
    private var metas: [[UInt8]?] = []
    private var bodies: [[UInt8]?] = []
    private var received: [Timestamp?] = []

    mutating func append(_ unit: CommitUnit) {
        merchants.append(unit.stream.merchant.value)
        streams.append(unit.stream.id)
        kinds.append(Int32(unit.stream.kind.rawValue))
        inputs.append(unit.input.id)
        append(unit.input)
        append(unit.record, events: unit.events.count)
        macs.append(unit.commandMac)
        machine.append(unit.timers.machine)
        business.append(unit.timers.business)
    }

    private mutating func append(_ arrival: InputArrival) {
        var new: InputRecord?
        switch arrival {
        case .new(let record):
            new = record
            fences.append(nil)
        case .admitted(_, let fence):
            fences.append(fence)
        }
        inputKinds.append(new.map { Int32($0.kind.rawValue) })
        names.append(new?.name)
        metas.append(new?.meta)
        bodies.append(new?.body)
        received.append(new?.receivedAt)
    }

    private mutating func append(_ record: DecisionRecord, events: Int) {
        bases.append(record.baseVersion)
        counts.append(Int32(events))
        contexts.append(record.context)
        versions.append(record.versions)
        switch record.outcome {
        case .events(let count):
            precondition(count == events, "the record counts the events it comes with")
            codes.append(nil)
            details.append(nil)
        case .rejected(let code, let detail):
            precondition(events == 0, "a rejection appends nothing")
            codes.append(code)
            details.append(detail)
        }
    }

    var values: [PostgresValue] {
        [
            .int32s(merchants), .uuids(streams), .int32s(kinds), .uuids(inputs), .int64s(fences), .int32s(bases),
            .int32s(counts), .texts(codes), .jsons(details), .jsons(contexts), .jsons(versions), .byteArrays(macs),
            .timestamps(machine), .timestamps(business), .int32s(inputKinds), .texts(names), .jsons(metas),
            .byteArrays(bodies), .timestamps(received),
        ]
    }
}

/// One element per event.
private struct EventColumns {
    private var units: [Int32?] = []
    private var versions: [Int32?] = []
    private var types: [String?] = []
    private var data: [[UInt8]?] = []

    mutating func append(_ event: EventDraft, unit: Int32, version: Int32) {
        units.append(unit)
        versions.append(version)
        types.append(event.type)
        data.append(event.data)
    }

    var values: [PostgresValue] { [.int32s(units), .int32s(versions), .texts(types), .jsons(data)] }
}

/// One element per reference.
private struct ReferenceColumns {
    private var units: [Int32?] = []
    private var accounts: [Uuid?] = []
    private var kinds: [String?] = []
    private var texts: [String?] = []

    mutating func append(_ reference: Reference, unit: Int32) {
        units.append(unit)
        accounts.append(reference.account)
        kinds.append(reference.kind)
        texts.append(reference.value)
    }

    var values: [PostgresValue] { [.int32s(units), .uuids(accounts), .texts(kinds), .texts(texts)] }
}

/// One element per changed effect.
private struct EffectColumns {
    private var units: [Int32?] = []
    private var changes: [Int32?] = []
    private var ids: [Uuid?] = []
    private var accounts: [Uuid?] = []
    private var ordinals: [Int32?] = []
    private var templates: [[UInt8]?] = []
    private var notBefore: [Timestamp?] = []
    private var sendBefore: [Timestamp?] = []
    private var deadlines: [Int64?] = []
    private var fences: [Int64?] = []

    /// Keeps the last change of every row: the function applies a set.
    static func net(_ changes: [EffectChange]) -> [EffectChange] {
        var last: [Uuid: Int] = [:]
        for (index, change) in changes.enumerated() { last[change.id] = index }
        return changes.indices.filter { last[changes[$0].id] == $0 }.map { changes[$0] }
    }

    mutating func append(_ change: EffectChange, unit: Int32) {
        units.append(unit)
        ids.append(change.id)
        fences.append(nil)
        switch change {
        case .create(let effect):
            append(0, ordinal: effect.ordinal, notBefore: effect.notBefore, sendBefore: effect.sendBefore)
            accounts.append(effect.account)
            templates.append(effect.template)
            deadlines.append(effect.deadline.wholeMicroseconds)
            return
        case .resend(_, let ordinal, let notBefore, let sendBefore):
            append(1, ordinal: ordinal, notBefore: notBefore, sendBefore: sendBefore)
        case .remove:
            append(2, ordinal: nil, notBefore: nil, sendBefore: nil)
        case .revoke:
            append(3, ordinal: nil, notBefore: nil, sendBefore: nil)
        }
        appendNoMessage()
    }

    mutating func append(answered lease: EffectLease, unit: Int32) {
        units.append(unit)
        ids.append(lease.id)
        fences.append(lease.fence)
        append(4, ordinal: nil, notBefore: nil, sendBefore: nil)
        appendNoMessage()
    }

    private mutating func appendNoMessage() {
        accounts.append(nil)
        templates.append(nil)
        deadlines.append(nil)
    }

    private mutating func append(_ change: Int32, ordinal: Int32?, notBefore: Timestamp?, sendBefore: Timestamp?) {
        changes.append(change)
        ordinals.append(ordinal)
        self.notBefore.append(notBefore)
        self.sendBefore.append(sendBefore)
    }

    var values: [PostgresValue] {
        [
            .int32s(units), .int32s(changes), .uuids(ids), .uuids(accounts), .int32s(ordinals), .byteArrays(templates),
            .timestamps(notBefore), .timestamps(sendBefore), .int64s(deadlines), .int64s(fences),
        ]
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
