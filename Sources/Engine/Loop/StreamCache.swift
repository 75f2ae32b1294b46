package import EventSourcing
import Kernel
import Payments

/// Streams as this process saw them last, so that a decision seldom reads what the process has just written.
///
/// The events held of a stream are a true beginning of it and may miss its end: another node may have gone on. Who
/// decides on it hears of that from the commit, which compares versions; who needs a version asks for it; who must see
/// the newest reads on from the end of what is held. Of a stream without an end the newest events are held and the state
/// before them; who wants it as it was earlier still makes the store read it. In another recovery epoch nothing is held any more: the log may
/// have lost it.
package final class StreamCache: HistoryReader {
    private let store: any EventStore
    private let epoch: @Sendable () async throws(StoreFailure) -> RecoveryEpoch?
    private let cache: Locked<Held>
    /// Bytes that the held events may take.
    private static let capacity = 48 << 20
    /// Events that are held of a stream without an end, or up to twice as many: readers follow a little behind the newest.
    package static let newestHeld = 256
    /// Events that one statement reads of each stream: as many of all streams of a batch are in memory beside those held.
    package static let page = 2 * newestHeld

    package init(
        store: any EventStore,
        capacity: Int = StreamCache.capacity,
        epoch: @escaping @Sendable () async throws(StoreFailure) -> RecoveryEpoch? = { nil }
    ) {
        self.store = store
        self.epoch = epoch
        cache = Locked(Held(capacity: capacity))
    }

    /// The events held of each stream; streams that aren't held are read.
    package func known(_ streams: [StreamName]) async throws(StoreFailure) -> [History] {
        let epoch = try await epoch()
        let held = cache.withLock { cache in
            cache.enter(epoch)
            return streams.map { cache.find($0) }
        }
        let missing = streams.indices.filter { held[$0] == nil }
        guard !missing.isEmpty else { return held.compactMap { $0 } }
        var all = held.map { $0 ?? History() }
        for (index, history) in zip(missing, try await current(missing.map { streams[$0] })) { all[index] = history }
        return all
    }

    /// Whole streams as the store has them now.
    package func current(_ streams: [StreamName]) async throws(StoreFailure) -> [History] {
        guard !streams.isEmpty else { return [] }
        let epoch = try await epoch()
        let held = cache.withLock { cache in
            cache.enter(epoch)
            return streams.map { cache.find($0) ?? History() }
        }
        let read = try await rest(of: streams, behind: held)
        cache.withLock { cache in
            guard cache.epoch == epoch else { return }
            for (stream, history) in zip(streams, read) { cache.keep(stream, history) }
        }
        return read
    }

    /// Reads on from what is held to each stream's end, in pages; the old events of one without an end go after each.
    private func rest(of streams: [StreamName], behind held: [History]) async throws(StoreFailure) -> [History] {
        var newest = held
        var open = Array(streams.indices)
        while !open.isEmpty {
            let page = try await store.load(open.map { (streams[$0], newest[$0].version) }, atMost: Self.page)
            for (index, more) in zip(open, page) where !more.isEmpty {
                newest[index].append(more)
                newest[index].shorten(streams[index].kind)
            }
            open = zip(open, page).filter { $1.count == Self.page }.map(\.0)
        }
        return newest
    }

    /// Each stream's beginning up to a version, or all of it where it is shorter.
    package func streams(upTo versions: [StreamName: Int32]) async throws(StoreFailure) -> [StreamName: History] {
        let streams = Array(versions.keys)
        var found = Dictionary(uniqueKeysWithValues: zip(streams, try await known(streams)))
        let short = streams.filter { (found[$0]?.version ?? 0) < versions[$0] ?? 0 }
        for (stream, history) in zip(short, try await current(short)) { found[stream] = history }
        for (stream, version) in versions { found[stream] = found[stream]?.prefix(upTo: version) }
        let early = streams.filter { found[$0] == nil }
        let most = early.compactMap { versions[$0] }.max() ?? 0
        for (stream, events) in zip(early, try await store.load(early.map { ($0, 0) }, atMost: Int(most))) {
            found[stream] = History(events).prefix(upTo: versions[stream] ?? 0)
        }
        return found
    }

    /// Whether more of a stream is to come: its mailbox holds an input of one of these names.
    package func awaits(_ stream: StreamName, _ names: [String]) async throws(StoreFailure) -> Bool {
        try await store.awaits(stream, names, before: nil)
    }

    /// Drops what is held of a stream, which turned out to be another.
    func forget(_ stream: StreamName) { cache.withLock { $0.drop(stream) } }

    /// Drops everything: the database was away, and may come back from a backup with another history.
    func forgetAll() { cache.withLock { $0 = Held(capacity: $0.capacity, epoch: $0.epoch) } }

    /// Takes note of what was written in an epoch behind `base`, which its writer had seen.
    ///
    /// A writer that has let go of what it had seen makes this cost what the new events do, however long the stream is.
    package func committed(
        _ stream: StreamName,
        base: Int32,
        _ events: [RecordedEvent],
        in epoch: RecoveryEpoch?
    ) {
        cache.withLock { cache in
            guard cache.epoch == epoch else { return }
            assert(events.first.map { $0.version == base + 1 } ?? true, "what is written follows its base")
            if base == 0 { cache.keep(stream, History(events)) } else { cache.extend(stream, behind: base, events) }
        }
    }

    /// The newest events of streams, all of them read in one epoch.
    private struct Held: Sendable {
        let capacity: Int
        /// The epoch that everything here was read in.
        private(set) var epoch: RecoveryEpoch?
        private var streams: GenerationCache<StreamName, History>
        /// What an event takes beside its data.
        private static let eventBytes = 200

        init(capacity: Int, epoch: RecoveryEpoch? = nil) {
            self.capacity = capacity
            self.epoch = epoch
            streams = GenerationCache(capacity: capacity) { $0.bytes + $0.events.count * Self.eventBytes }
        }

        mutating func enter(_ epoch: RecoveryEpoch?) {
            if self.epoch != epoch { self = Held(capacity: capacity, epoch: epoch) }
        }

        mutating func find(_ stream: StreamName) -> History? { streams.find(stream) }

        mutating func drop(_ stream: StreamName) { streams.forget(stream) }

        /// Keeps what was read, unless it is the beginning of what is held.
        mutating func keep(_ stream: StreamName, _ history: History) {
            guard let last = history.last else { return }
            if find(stream)?.has(last) == true { return }
            streams.keep(history, of: stream)
        }

        /// Appends to what is held, where it ends with `base`.
        mutating func extend(_ stream: StreamName, behind base: Int32, _ events: [RecordedEvent]) {
            streams.change(stream) { held in
                guard held.version == base else { return }
                held.append(events)
                held.shorten(stream.kind)
            }
        }
    }
}

extension History {
    /// Lets go of the beginning of a stream without an end, now and then: each event is folded once for it.
    fileprivate mutating func shorten(_ kind: StreamKind) {
        guard events.count > 2 * StreamCache.newestHeld else { return }
        switch kind {
        case .instrument: fold(as: Instrument.self, keeping: StreamCache.newestHeld)
        case .arrivals: fold(as: Arrivals.self, keeping: StreamCache.newestHeld)
        case .payment, .transfer, .schedule, .billBatch, .bill, .chunk, .account, .routing, .webhookEndpoint, .merchant,
            .paymentLink:
            break
        }
    }
}
