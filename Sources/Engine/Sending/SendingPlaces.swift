package import EventSourcing
package import Kernel

/// The places on this node's wire, and which accounts and merchants have messages in them.
///
/// An account has at most an eighth of all places, and never more than are free: so an account whose provider is silent holds
/// up itself alone, and however many do, the next account finds a place. A merchant begins nothing more while it has as many
/// places as are free: however many accounts one has, half of the places are left for others.
package struct SendingPlaces: Sendable {
    /// As many places per account as the client has connections to one host: more would wait behind them.
    package static let standard = 256

    package let all: Int
    /// Messages that are under way, by their accounts.
    private var underWay: [Uuid: Int] = [:]
    private var merchants: [MerchantNumber: Int] = [:]
    private var count = 0
    /// Accounts of which messages may wait for a place, with their merchants.
    private var behind: [Uuid: MerchantNumber] = [:]
    /// Whether messages of any account may wait for a place.
    package private(set) var isBehind = false
    /// The account behind which the next claim goes on.
    private var last = Uuid(high: 0, low: 0)

    package init(_ all: Int = standard) { self.all = all }

    /// The most that a claim may take; `nil` if there is no room at all.
    private var wish: EffectWish? {
        let free = all - count
        guard free > 0 else { return nil }
        let rooms = underWay.keys.map { ($0, room($0)) }
        return EffectWish(
            most: min(EffectWish.page, (free + 1) / 2),
            room: min(EffectWish.page, Self.room(inUse: 0, of: all, free: free)),
            rooms: Dictionary(uniqueKeysWithValues: rooms),
            full: merchants.keys.filter(isFull).sorted(),
            after: last
        )
    }

    /// How many messages of an account may begin.
    package func room(_ account: Uuid) -> Int {
        Self.room(inUse: underWay[account] ?? 0, of: all, free: all - count)
    }

    private static func room(inUse: Int, of all: Int, free: Int) -> Int {
        max(0, min(max(1, all / 8) - inUse, (free - inUse + 1) / 2))
    }

    private func isFull(_ merchant: MerchantNumber) -> Bool { merchants[merchant] ?? 0 >= all - count }

    /// Those of the messages that were just licensed that may begin without a claim: none that waits behind an older one.
    package mutating func admit(_ messages: [LeasedEffect]) -> [LeasedEffect] {
        guard !isBehind else { return [] }
        var places = self
        var admitted: [LeasedEffect] = []
        for message in messages {
            let (account, merchant) = (message.effect.account, message.lease.stream.merchant)
            if behind[account] == nil, places.room(account) > 0, !places.isFull(merchant) {
                places.take(account, of: merchant)
                admitted.append(message)
            } else {
                putBehind([message])
            }
        }
        return admitted
    }

    /// These were licensed and are left to claims: what their accounts license next waits behind them.
    package mutating func putBehind(_ messages: [LeasedEffect]) {
        for message in messages { behind[message.effect.account] = message.lease.stream.merchant }
    }

    /// The limits of the next claim; `nil` if there is no room at all, and then messages are left.
    package mutating func claim() -> EffectWish? {
        let wish = wish
        if wish == nil { isBehind = true }
        return wish
    }

    /// A claim got these, whether they begin or are given back: the next one goes on behind them.
    package mutating func claimed(_ page: [LeasedEffect], _ wish: EffectWish) {
        if let account = page.last?.effect.account { last = account }
        isBehind = page.count >= wish.most
        var counts: [Uuid: Int] = [:]
        for message in page { counts[message.effect.account, default: 0] += 1 }
        putBehind(page)
        // Whoever got less than there was room for has nothing left.
        guard !isBehind else { return }
        behind = behind.filter { account, merchant in
            counts[account, default: 0] >= wish.rooms[account] ?? wish.room || wish.full.contains(merchant)
        }
    }

    /// A message of the merchant's account begins.
    package mutating func take(_ account: Uuid, of merchant: MerchantNumber) {
        underWay[account, default: 0] += 1
        merchants[merchant, default: 0] += 1
        count += 1
    }

    /// A message of the merchant's account ended; answers whether others are known that may wait for that.
    package mutating func release(_ account: Uuid, of merchant: MerchantNumber) -> Bool {
        let wasScarce = room(account) < EffectWish.page || isFull(merchant)
        count -= 1
        underWay[account, default: 1] -= 1
        if underWay[account] == 0 { underWay[account] = nil }
        merchants[merchant, default: 1] -= 1
        if merchants[merchant] == 0 { merchants[merchant] = nil }
        return wasScarce && (isBehind || behind.values.contains(merchant))
    }
}
