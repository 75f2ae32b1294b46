package import EventSourcing
import Kernel
package import Store

/// A node's places on the wire, and who may have how many of them now.
///
/// An endpoint and a merchant each have a window, as a connection has one against congestion: a quick answer widens it by a place, a
/// slow one halves it, once for all that were under way together. Endpoints that are slow now have half of the node's places in all.
/// So whoever is slow narrows himself, and leaves room to who is not.
package struct WebhookPlaces: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// What is granted at most, and where windows begin and end.
    package struct Bounds: Sendable {
        package var all = 900
        package var endpoint = (least: 2, first: 8, most: 96)
        package var merchant = (least: 8, first: 64, most: 450)
        /// Of endpoints that are slow, all together.
        package var slow: Int { all / 2 }

        package init() {}
    }

    /// How many may be under way.
    private struct Window: Sendable {
        var places: Int
        var narrowedAt: Instant?

        mutating func widen(to most: Int) { places = min(places + 1, most) }

        /// What was begun before it was narrowed says nothing new.
        mutating func narrow(to least: Int, begun: Instant, now: Instant) {
            if let narrowedAt, begun < narrowedAt { return }
            places = max(least, places / 2)
            narrowedAt = now
        }
    }

    private struct Endpoint: Sendable {
        var window: Window
        /// When each attempt that is under way began.
        var begun: [Instant] = []
        var wasSlow = false

        func isSlow(at now: Instant) -> Bool {
            wasSlow || begun.first.map { $0.duration(to: now) >= WebhookPlaces.slowness } ?? false
        }
    }

    private struct Merchant: Sendable {
        var window: Window
        var running = 0
    }

    /// An answer within this widens; one that takes so long narrows.
    package static let quickness = Duration.seconds(1)
    package static let slowness = Duration.seconds(5)

    private let bounds: Bounds
    private var endpoints: [StreamName: Endpoint] = [:]
    private var merchants: [MerchantNumber: Merchant] = [:]
    package private(set) var running = 0

    package init(_ bounds: Bounds = Bounds()) { self.bounds = bounds }

    /// Places of an endpoint's own that are free, whatever the node has.
    package func free(of endpoint: StreamName) -> Int {
        guard let known = endpoints[endpoint] else { return bounds.endpoint.first }
        return max(0, known.window.places - known.begun.count)
    }

    // MARK: Sharing

    /// Shares the free places among endpoints that have something due: one to each merchant in turn, and to its endpoints in turn.
    package func share(_ backlogs: [WebhookBacklog], at now: Instant) -> [StreamName: Int] {
        var left = bounds.all - running
        var slowLeft = bounds.slow - endpoints.values.reduce(0) { $0 + ($1.isSlow(at: now) ? $1.begun.count : 0) }
        var queues = Dictionary(grouping: backlogs, by: \.endpoint.merchant).values.map { Queue($0.shuffled()) }
        // Whoever was first the last time is not always first.
        queues.shuffle()
        var granted: [StreamName: Int] = [:]
        while left > 0, !queues.isEmpty {
            for index in queues.indices where left > 0 {
                let ofMerchant = queues[index].granted
                let next = queues[index].next { may($0, granted, ofMerchant, slowLeft, now) }
                guard let next else { continue }
                granted[next, default: 0] += 1
                left -= 1
                if endpoints[next]?.isSlow(at: now) == true { slowLeft -= 1 }
            }
            queues.removeAll { $0.isEmpty }
        }
        return granted
    }

    /// The endpoints of one merchant that still want places.
    private struct Queue {
        private var waiting: [(endpoint: StreamName, due: Int)]
        private(set) var granted = 0

        init(_ backlogs: [WebhookBacklog]) { waiting = backlogs.map { ($0.endpoint, $0.due) }.filter { $0.due > 0 } }

        var isEmpty: Bool { waiting.isEmpty }

        /// Gives the first that may have one a place and puts it behind the others; those that may not are out.
        mutating func next(_ may: (StreamName) -> Bool) -> StreamName? {
            while !waiting.isEmpty {
                var first = waiting.removeFirst()
                guard may(first.endpoint) else { continue }
                first.due -= 1
                if first.due > 0 { waiting.append(first) }
                granted += 1
                return first.endpoint
            }
            return nil
        }
    }

    /// Whether an endpoint may have one place more.
    ///
    /// One that has none may have one, whatever its merchant's other endpoints do.
    private func may(
        _ endpoint: StreamName,
        _ granted: [StreamName: Int],
        _ ofMerchant: Int,
        _ slowLeft: Int,
        _ now: Instant
    ) -> Bool {
        let known = endpoints[endpoint]
        let own = (known?.begun.count ?? 0) + granted[endpoint, default: 0]
        guard own < known?.window.places ?? bounds.endpoint.first else { return false }
        if known?.isSlow(at: now) == true, slowLeft <= 0 { return false }
        let merchant = merchants[endpoint.merchant]
        let held = (merchant?.running ?? 0) + ofMerchant
        return own == 0 || held < merchant?.window.places ?? bounds.merchant.first
    }

    // MARK: Attempts

    package mutating func begin(_ endpoint: StreamName, at now: Instant) {
        endpoints[endpoint, default: Endpoint(window: Window(places: bounds.endpoint.first))].begun.append(now)
        merchants[endpoint.merchant, default: Merchant(window: Window(places: bounds.merchant.first))].running += 1
        running += 1
    }

    /// How a receiver answered.
    package struct Answer: Hashable, Sendable {
        package let isFailed: Bool
        package let time: Duration

        package init(isFailed: Bool, time: Duration) {
            self.isFailed = isFailed
            self.time = time
        }
    }

    /// Ends an attempt; without an answer it says nothing of the receiver.
    package mutating func end(_ endpoint: StreamName, begun: Instant, _ answer: Answer?, at now: Instant) {
        guard var known = endpoints[endpoint], let index = known.begun.firstIndex(of: begun) else { return }
        known.begun.remove(at: index)
        running -= 1
        let limits = (endpoint: bounds.endpoint, merchant: bounds.merchant)
        merchants[endpoint.merchant]?.running -= 1
        if let answer {
            known.wasSlow = answer.time >= Self.slowness
            if known.wasSlow {
                known.window.narrow(to: limits.endpoint.least, begun: begun, now: now)
                merchants[endpoint.merchant]?.window.narrow(to: limits.merchant.least, begun: begun, now: now)
            } else if answer.time < Self.quickness, !answer.isFailed {
                known.window.widen(to: limits.endpoint.most)
                merchants[endpoint.merchant]?.window.widen(to: limits.merchant.most)
            }
            if answer.isFailed { known.window.places = limits.endpoint.least }
        }
        endpoints[endpoint] = known
    }

    /// Forgets whoever is not held any more and has nothing under way.
    package mutating func keep(_ held: some Collection<StreamName>) {
        let names = Set(held)
        endpoints = endpoints.filter { names.contains($0.key) || !$0.value.begun.isEmpty }
        let owners = Set(endpoints.keys.map(\.merchant))
        merchants = merchants.filter { owners.contains($0.key) || $0.value.running > 0 }
    }
}
