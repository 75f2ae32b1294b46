package import EventSourcing
import Kernel

/// Streams as this process saw them last, so that a decision seldom reads what the process has just written.
///
/// The events held of a stream are a true beginning of it and may miss its end: another node may have gone on. Who
/// decides on it hears of that from the commit, which compares versions; who needs a version asks for it; who must see
/// the newest reads on from the end of what is held. Of a stream without an end the newest events are held and the state
/// before them; where somebody asked for it as it was earlier is held as well, and who asks for a later version reads on from
/// there. In another recovery epoch nothing is held any more: the log may have lost it. Where an event that is held turns out not to be
/// in the log, nothing is held either.
package final class StreamCache: HistoryReader {
    private let store: any EventStore
    private let epoch: @Sendable () async throws(StoreFailure) -> RecoveryEpoch?
    private let forgetLog: @Sendable () -> Void
    private let cache: Locked<Held>
    /// Bytes that the held events may take.
    private static let capacity = 48 << 20
    package init(
        store: any EventStore,
        capacity: Int = StreamCache.capacity,
        epoch: @escaping @Sendable () async throws(StoreFailure) -> RecoveryEpoch? = { nil },
        forgetLog: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        self.epoch = epoch
        self.forgetLog = forgetLog
        cache = Locked(Held(capacity: capacity))
    }

    /// The events held of each stream; streams that aren't held are read, and those that end before their version in
    /// `versions` are read on.
    package func known(_ streams: [StreamName], to versions: [StreamName: Int32] = [:])
        async throws(StoreFailure) -> [History]
    {
        var found = try await known(streams)
        let short = streams.indices.filter { found[$0].version < versions[streams[$0]] ?? 0 }
        for (index, history) in zip(short, try await current(short.map { streams[$0] })) { found[index] = history }
        return found
    }

    private func known(_ streams: [StreamName]) async throws(StoreFailure) -> [History] {
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
        let read = try await read(on: held, streams.map { ($0, Self.newest) })
        cache.withLock { cache in
            guard cache.epoch == epoch else { return }
            for (stream, history) in zip(streams, read) { cache.keep(stream, history) }
        }
        return read
    }

    /// Every version, of which no event has to be known.
    private static let newest = Int32.max...Int32.max

    package func streams(_ wanted: [StreamName: ClosedRange<Int32>]) async throws(StoreFailure)
        -> [StreamName: History]
    {
        let streams = Array(wanted.keys)
        let newest = try await known(streams, to: wanted.mapValues(\.upperBound))
        var found = Dictionary(uniqueKeysWithValues: zip(streams, newest))
        for (stream, versions) in wanted { found[stream] = found[stream]?.part(versions) }
        return found.merging(try await past(wanted.filter { found[$0.key] == nil })) { held, _ in held }
    }

    /// Streams as they were before what is held of them, each read on from where somebody wanted it last.
    private func past(_ wanted: [StreamName: ClosedRange<Int32>]) async throws(StoreFailure) -> [StreamName: History] {
        guard !wanted.isEmpty else { return [:] }
        let epoch = try await epoch()
        let streams = wanted.map { ($0.key, $0.value) }
        let held = cache.withLock { cache in
            cache.enter(epoch)
            return streams.map { stream, versions in
                cache.past.find(stream).flatMap { $0.isKnown(behind: versions.lowerBound) ? $0 : nil } ?? History()
            }
        }
        let read = try await read(on: held, streams)
        cache.withLock { cache in
            guard cache.epoch == epoch else { return }
            for ((stream, _), history) in zip(streams, read) { cache.past.keep(history, of: stream) }
        }
        return Dictionary(
            uniqueKeysWithValues: zip(streams, read).map { ($0.0, $1.part($0.1) ?? History()) }
        )
    }

    private func read(on held: [History], _ wanted: [(name: StreamName, versions: ClosedRange<Int32>)])
        async throws(StoreFailure) -> [History]
    {
        let (streams, isAnotherLog) = try await store.read(on: held, wanted)
        guard isAnotherLog else { return streams }
        forgetAll()
        forgetLog()
        // The others of these were not all looked at.
        return try await store.read(on: held.map { _ in History() }, wanted).streams
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
        /// Streams as they were when somebody asked for them as of earlier.
        var past: GenerationCache<StreamName, History>
        /// A stream that takes more than one part of so many is read each time.
        private static let share = 8

        init(capacity: Int, epoch: RecoveryEpoch? = nil) {
            self.capacity = capacity
            self.epoch = epoch
            let heaviest = capacity / Self.share
            streams = GenerationCache(capacity: capacity, heaviest: heaviest, weight: \.weight)
            past = GenerationCache(capacity: capacity / 4, heaviest: heaviest, weight: \.weight)
        }

        mutating func enter(_ epoch: RecoveryEpoch?) {
            if self.epoch != epoch { self = Held(capacity: capacity, epoch: epoch) }
        }

        mutating func find(_ stream: StreamName) -> History? { streams.find(stream) }

        mutating func drop(_ stream: StreamName) {
            streams.forget(stream)
            past.forget(stream)
        }

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
