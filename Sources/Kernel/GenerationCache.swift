/// The values that were asked for lately, by key, at most so much of them.
///
/// There are two generations: what is asked for moves to the young one, and the old one is dropped when the young one holds
/// half of all.
package struct GenerationCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    private let weight: @Sendable (Value) -> Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private var youngWeight = 0

    /// `capacity` bounds the sum of what the values weigh, one each where nothing else is said; below two it holds one.
    package init(capacity: Int, weight: @escaping @Sendable (Value) -> Int = { _ in 1 }) {
        self.capacity = capacity
        self.weight = weight
    }

    package mutating func find(_ key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old[key] else { return nil }
        keep(value, of: key)
        return value
    }

    package mutating func keep(_ value: Value, of key: Key) {
        youngWeight += weight(value) - (young.updateValue(value, forKey: key).map(weight) ?? 0)
        old[key] = nil
        guard youngWeight > capacity / 2 else { return }
        old = young
        young = [:]
        youngWeight = 0
    }

    package mutating func forget(_ key: Key) {
        youngWeight -= young.removeValue(forKey: key).map(weight) ?? 0
        old[key] = nil
    }

    package mutating func forgetAll() { self = GenerationCache(capacity: capacity, weight: weight) }
}
