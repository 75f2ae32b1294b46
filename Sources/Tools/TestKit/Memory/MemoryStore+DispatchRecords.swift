package import EventSourcing
package import Kernel

extension MemoryStore: DispatchRecords {
    package func streams(after: StreamName?, limit: Int) async throws(StoreFailure) -> [StreamName] {
        try perform(.streams) { state, _ in
            let rest = state.streams.keys.filter { stream in after.map { $0 < stream } ?? true }
            return Array(rest.sorted().prefix(limit))
        }
    }

    package func marks(of streams: [StreamName]) async throws(StoreFailure) -> [[SendingMark]] {
        try perform(.marks) { state, _ in streams.map { state.marks[$0] ?? [] } }
    }

    package func strayMarks(limit: Int) async throws(StoreFailure) -> [SendingMark] {
        try perform(.marks) { state, _ in
            let strays = state.marks.filter { state.streams[$0.key] == nil }.sorted { $0.key < $1.key }
            return Array(strays.flatMap(\.value).prefix(limit))
        }
    }

    package func effects(_ ids: [Uuid], merchant: MerchantNumber) async throws(StoreFailure) -> [EffectStanding] {
        try perform(.effects) { state, _ in
            ids.compactMap { state.effects[MerchantKey(merchant: merchant, id: $0)]?.standing }
        }
    }

    package func effects(after: EffectStanding?, limit: Int) async throws(StoreFailure) -> [EffectStanding] {
        try perform(.effects) { state, _ in
            let rows = state.effects.values.map(\.standing).sorted { $0.key < $1.key }
            return Array(rows.filter { row in after.map { $0.key < row.key } ?? true }.prefix(limit))
        }
    }

    package func marksBegan() async throws(StoreFailure) -> Timestamp { .epoch }

    /// Changes what no call of the port would: breaches that a check must see.
    package func tamper(_ body: (inout Tampering) -> Void) {
        state.withLock { state in
            var hand = Tampering(events: state.streams, marks: state.marks)
            body(&hand)
            for id in hand.droppedEffects { state.effects[id] = nil }
            for (id, effect) in hand.addedEffects {
                state.effects[id] = EffectRow(
                    stream: effect.stream,
                    effect: effect.row,
                    order: state.position,
                    fence: state.nextFence(),
                    leaseUntil: effect.row.notBefore
                )
            }
            state.streams = hand.events
            state.marks = hand.marks
        }
    }
}

/// The rows that a test may forge.
package struct Tampering: Sendable {
    package var events: [StreamName: [RecordedEvent]]
    package var marks: [StreamName: [SendingMark]]
    var droppedEffects: [MerchantKey] = []
    var addedEffects: [MerchantKey: (stream: StreamName, row: NewEffect)] = [:]

    package mutating func drop(effect id: Uuid, of merchant: MerchantNumber) {
        droppedEffects.append(MerchantKey(merchant: merchant, id: id))
    }

    package mutating func add(_ effect: NewEffect, to stream: StreamName) {
        addedEffects[MerchantKey(merchant: stream.merchant, id: effect.id)] = (stream, effect)
    }
}

extension EffectStanding {
    fileprivate var key: StreamName { StreamName(stream.merchant, .payment, id) }
}
