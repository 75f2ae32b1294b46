import Kernel

/// What was read lately, by key, for as long as it is fresh; what was read before a write is not kept after it.
package final class FreshCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The writes that a read began behind.
    package struct Mark: Hashable, Sendable {
        fileprivate let own: Int
        fileprivate let all: Int
    }

    private struct Entries {
        var known: GenerationCache<Key, (value: Value, readAt: ContinuousClock.Instant)>
        /// How often this process has written what is kept under a key since the last clearing.
        var writes: [Key: Int] = [:]
        /// How often every mark became invalid.
        var clearings = 0

        func mark(_ key: Key) -> Mark { Mark(own: writes[key, default: 0], all: clearings) }

        mutating func clear() {
            writes = [:]
            clearings += 1
        }
    }

    private let entries: Locked<Entries>
    private let freshness: Duration
    private let capacity: Int
    private let now: @Sendable () -> ContinuousClock.Instant

    package init(
        for freshness: Duration = .seconds(1),
        capacity: Int = 10_000,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        entries = Locked(Entries(known: GenerationCache(capacity: capacity)))
        self.freshness = freshness
        self.capacity = capacity
        self.now = now
    }

    package func fresh(_ key: Key) -> Value? {
        guard let known = entries.withLock({ $0.known.find(key) }), known.readAt.duration(to: now()) < freshness else {
            return nil
        }
        return known.value
    }

    /// The value of whatever age.
    package func last(_ key: Key) -> Value? { entries.withLock { $0.known.find(key)?.value } }

    /// To be taken before what is kept is read.
    package func mark(_ key: Key) -> Mark { entries.withLock { $0.mark(key) } }

    /// Keeps what was read since the mark, unless this process has written meanwhile: it may be older than that.
    package func keep(_ value: Value, _ key: Key, since mark: Mark) {
        entries.withLock { entries in
            if entries.mark(key) == mark { entries.known.keep((value, now()), of: key) }
        }
    }

    /// Forgets what this process has just written.
    package func forget(_ key: Key) {
        entries.withLock { entries in
            entries.known.forget(key)
            if entries.writes.count >= capacity { entries.clear() }
            entries.writes[key, default: 0] += 1
        }
    }

    package func forgetAll() {
        entries.withLock { entries in
            entries.known.forgetAll()
            entries.clear()
        }
    }
}
