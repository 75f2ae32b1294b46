package import EventSourcing
package import Kernel

/// The places on this node's wire, and which accounts have messages in them.
///
/// An account has at most an eighth of all places, and never more than are free: so an account whose provider is silent holds
/// up itself alone, and however many do, the next account finds a place.
package struct SendingPlaces: Sendable {
    /// As many places per account as the client has connections to one host: more would wait behind them.
    package static let standard = 256

    package let all: Int
    private var taken: [Uuid: Int] = [:]
    private var count = 0
    /// The account that was served last.
    private var last = Uuid(high: 0, low: 0)

    package init(_ all: Int = standard) { self.all = all }

    /// What the next claim may take, if there is a place at all.
    package var wish: EffectWish? {
        let free = all - count
        guard free > 0 else { return nil }
        let rooms = taken.keys.map { ($0, room($0)) }
        return EffectWish(
            most: min(EffectWish.page, (free + 1) / 2),
            room: min(EffectWish.page, Self.room(taken: 0, of: all, free: free)),
            rooms: Dictionary(uniqueKeysWithValues: rooms),
            after: last
        )
    }

    /// How many messages of an account may begin.
    package func room(_ account: Uuid) -> Int {
        Self.room(taken: taken[account] ?? 0, of: all, free: all - count)
    }

    private static func room(taken: Int, of all: Int, free: Int) -> Int {
        max(0, min(max(1, all / 8) - taken, (free - taken + 1) / 2))
    }

    /// A message of the account begins.
    package mutating func take(_ account: Uuid) {
        taken[account, default: 0] += 1
        count += 1
        last = account
    }

    /// A message of the account ended; answers whether more of the account may wait for that.
    package mutating func leave(_ account: Uuid) -> Bool {
        let wasScarce = room(account) < EffectWish.page
        count -= 1
        taken[account, default: 1] -= 1
        if taken[account] == 0 { taken[account] = nil }
        return wasScarce
    }
}
