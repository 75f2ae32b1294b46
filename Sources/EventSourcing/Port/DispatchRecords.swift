package import Kernel

/// The durable word that bytes may have left under a licence, written before they may.
package struct SendingMark: Hashable, Sendable {
    package let stream: StreamName
    /// Id of the effect.
    package let effect: Uuid
    /// Which licence of the effect.
    package let ordinal: Int32
    /// The fence under which it was set.
    package let fence: Int64
    package let at: Timestamp

    package init(stream: StreamName, effect: Uuid, ordinal: Int32, fence: Int64, at: Timestamp) {
        self.stream = stream
        self.effect = effect
        self.ordinal = ordinal
        self.fence = fence
        self.at = at
    }
}

/// An effect row as it stands.
package struct EffectStanding: Hashable, Sendable {
    /// How far a row got; the numbers are stored and never change.
    package enum State: Int16, Hashable, Sendable, CaseIterable {
        case ready = 0
        /// Leased, which proves nothing.
        case claimed = 1
        /// Bytes may have left.
        case sending = 2
        case observed = 3
    }

    package let stream: StreamName
    package let id: Uuid
    package let ordinal: Int32
    package let state: State
    package let sendBefore: Timestamp

    package init(stream: StreamName, id: Uuid, ordinal: Int32, state: State, sendBefore: Timestamp) {
        self.stream = stream
        self.id = id
        self.ordinal = ordinal
        self.state = state
        self.sendBefore = sendBefore
    }
}

/// Reads for a check of sends, beside the events; nothing that decides reads it.
package protocol DispatchRecords: Sendable {
    /// Names streams in the order of merchant and id.
    func streams(after: StreamName?, limit: Int) async throws(StoreFailure) -> [StreamName]

    /// Reads the marks of each stream, in the order of their times.
    func marks(of streams: [StreamName]) async throws(StoreFailure) -> [[SendingMark]]

    /// Reads up to `limit` marks of streams that have no event.
    func strayMarks(limit: Int) async throws(StoreFailure) -> [SendingMark]

    /// Reads effect rows by their ids; what has no row is missing.
    func effects(_ ids: [Uuid], merchant: MerchantNumber) async throws(StoreFailure) -> [EffectStanding]

    /// Reads effect rows in the order of merchant and id.
    func effects(after: EffectStanding?, limit: Int) async throws(StoreFailure) -> [EffectStanding]

    /// From when on every send has its mark.
    func marksBegan() async throws(StoreFailure) -> Timestamp
}
