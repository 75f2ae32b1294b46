/// The values that were asked for lately, by key, at most so much of them.
///
/// There are two generations: what is asked for moves to the young one, and the old one is dropped when the young one holds
/// half of all.
package struct GenerationCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    private let heaviest: Int
    private let weight: @Sendable (Value) -> Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private var youngWeight = 0
    private var oldWeight = 0

    /// The weight of all values together.
    package var total: Int { youngWeight + oldWeight }

    /// `capacity` bounds the sum of what the values weigh, one each where nothing else is said; below two it holds one.
    ///
    /// A value that weighs more than `heaviest` is not held, so that it drives out no others.
    package init(capacity: Int, heaviest: Int = .max, weight: @escaping @Sendable (Value) -> Int = { _ in 1 }) {
        self.capacity = capacity
        self.heaviest = heaviest
        self.weight = weight
    }

    package mutating func find(_ key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old[key] else { return nil }
        keep(value, of: key)
        return value
    }

    package mutating func keep(_ value: Value, of key: Key) {
        let weighs = weight(value)
        guard weighs <= heaviest else { return forget(key) }
        youngWeight += weighs - (young.updateValue(value, forKey: key).map(weight) ?? 0)
        dropOld(key)
        guard youngWeight > capacity / 2 else { return }
        (old, oldWeight) = (young, youngWeight)
        young = [:]
        youngWeight = 0
    }

    /// Changes a value in its place, without a copy where nobody else has it; answers whether there is one.
    @discardableResult
    package mutating func change(_ key: Key, _ body: (inout Value) -> Void) -> Bool {
        guard var value = take(key) else { return false }
        body(&value)
        keep(value, of: key)
        return true
    }

    private mutating func take(_ key: Key) -> Value? {
        guard let value = young.removeValue(forKey: key) else { return dropOld(key) }
        youngWeight -= weight(value)
        return value
    }

    @discardableResult
    private mutating func dropOld(_ key: Key) -> Value? {
        guard let value = old.removeValue(forKey: key) else { return nil }
        oldWeight -= weight(value)
        return value
    }

    package mutating func forget(_ key: Key) {
        youngWeight -= young.removeValue(forKey: key).map(weight) ?? 0
        dropOld(key)
    }

    package mutating func forgetAll() {
        self = GenerationCache(capacity: capacity, heaviest: heaviest, weight: weight)
    }
}
