import EventSourcing
import Kernel

/// Streams as they were before each decision of a log that is walked from its beginning: each is read on from where it was left.
struct StreamWalk {
    /// A stream at a decision of the page.
    private struct Place {
        var before: History
        /// What is known of the stream behind that.
        var ahead: ArraySlice<RecordedEvent>
        let firstMissing: Int32?
    }

    private let store: any EventStore
    /// What was read of the streams of earlier pages.
    private var held = GenerationCache<StreamName, History>(
        capacity: StreamWalk.capacity,
        heaviest: StreamWalk.capacity / 8,
        weight: \.weight
    )
    private var places: [StreamName: Place] = [:]
    /// Bytes that the held events may take.
    private static let capacity = 32 << 20

    init(_ store: any EventStore) { self.store = store }

    /// Reads the streams of a page of decisions; answers those that lack events.
    mutating func read(for decisions: [RecordedDecision]) async throws(StoreFailure) -> [StreamName] {
        var versions: [StreamName: ClosedRange<Int32>] = [:]
        for decision in decisions {
            let base = max(0, decision.record.baseVersion)
            var end = base
            if case .events(let count) = decision.record.outcome { end += Int32(count) }
            let known = versions[decision.stream] ?? base...end
            versions[decision.stream] = min(known.lowerBound, base)...max(known.upperBound, end)
        }
        let wanted = versions.map { (name: $0.key, versions: $0.value) }
        let known = wanted.map { name, versions in
            held.find(name).flatMap { $0.isKnown(behind: versions.lowerBound) ? $0 : nil } ?? History()
        }
        places = [:]
        for ((name, versions), read) in zip(wanted, try await store.read(on: known, wanted).streams) {
            places[name] = Place(
                before: read.prefix(upTo: versions.lowerBound) ?? History(),
                ahead: read.events(behind: versions.lowerBound),
                firstMissing: read.firstMissing
            )
            held.keep(read, of: name)
        }
        return places.filter { $0.value.firstMissing != nil }.map(\.key)
    }

    /// The stream as a decision of the page saw it, and what is behind that; `nil` where events are missing before it.
    mutating func step(_ decision: RecordedDecision) -> (before: History, written: ArraySlice<RecordedEvent>)? {
        let base = decision.record.baseVersion
        // It is taken out, so that what is behind is appended in its place.
        guard var place = places.removeValue(forKey: decision.stream) else { return nil }
        defer { places[decision.stream] = place }
        let count = Int(base) - Int(place.before.version)
        guard (0...place.ahead.count).contains(count), place.firstMissing.map({ base < $0 }) ?? true else { return nil }
        place.before.append(Array(place.ahead.prefix(count)))
        place.ahead = place.ahead.dropFirst(count)
        return (place.before, place.ahead)
    }
}
