import EventSourcing
import Kernel

/// Lets each message go its own way, as many at once as have places.
///
/// A node marks what it has licensed itself. It claims what it was told of, what its own marks left, and each `EffectSender.rest`
/// what nobody told of.
final class SendLoop: Sendable {
    private let sender: EffectSender
    private let book: AccountBook
    private let notifier: CommitNotifier
    private let places = Locked(SendingPlaces())

    init(sender: EffectSender, book: AccountBook, notifier: CommitNotifier) {
        self.sender = sender
        self.book = book
        self.notifier = notifier
    }

    /// Runs until the services drain; returns when the messages under way have ended.
    func run(in services: Services) async {
        var claims = Claims()
        await withDiscardingTaskGroup { group in
            await services.run("sender", rest: .zero, signal: notifier.effects) { () throws(StoreFailure) in
                begin(try await markLicensed(&claims), in: &group)
                if claims.isDue { begin(try await claim(&claims), in: &group) }
                if !claims.isDue, !notifier.hasOutgoing { await notifier.effects.wait(atMost: claims.next - .now) }
                return 1
            }
        }
    }

    private func begin(_ page: [EffectSender.Ready], in group: inout DiscardingTaskGroup) {
        places.withLock { places in for ready in page { places.take(ready.account, of: ready.merchant) } }
        for ready in page {
            group.addTask {
                await self.sender.send(ready)
                let isAwaited = self.places.withLock { $0.release(ready.account, of: ready.merchant) }
                if isAwaited { self.notifier.claim() }
            }
        }
    }

    /// When the next claim is due.
    private struct Claims {
        /// Something is ready that has to be claimed.
        var isOwed = true
        /// When to look for what nobody told of.
        var next = ContinuousClock.now

        var isDue: Bool { isOwed || next <= .now }

        mutating func look(within time: Duration) { next = min(next, .now + time) }

        /// A look that was asked for stays.
        mutating func done(isMore: Bool) {
            isOwed = isMore
            if next <= .now { next = .now + EffectSender.rest }
        }
    }

    /// Marks a page of what this node has licensed, as far as there are places and nothing older waits for them.
    private func markLicensed(_ claims: inout Claims) async throws(StoreFailure) -> [EffectSender.Ready] {
        // What waits behind older messages is theirs who claim those, however many there are.
        let outgoing = notifier.takeOutgoing(atMost: places.withLock(\.isBehind) ? .max : EffectWish.page)
        let due = outgoing.licensed.filter(sender.mayBeDue)
        let licensed = places.withLock { $0.admit(due) }
        if outgoing.mustClaim || licensed.count < due.count { claims.isOwed = true }
        guard !licensed.isEmpty else { return [] }
        do throws(StoreFailure) {
            let (page, left) = try await book.inEpoch { () throws(StoreFailure) in
                try await sender.prepare(licensed: licensed)
            }
            putBehind(left, &claims)
            if page.count + left.count < licensed.count { claims.look(within: EffectSender.shortRest) }
            return page
        } catch {
            putBehind(licensed, &claims)
            throw error
        }
    }

    private func putBehind(_ messages: [LeasedEffect], _ claims: inout Claims) {
        guard !messages.isEmpty else { return }
        places.withLock { $0.putBehind(messages) }
        claims.isOwed = true
    }

    private func claim(_ claims: inout Claims) async throws(StoreFailure) -> [EffectSender.Ready] {
        // Whoever leaves a place calls again.
        guard let wish = places.withLock({ $0.claim() }) else {
            claims.done(isMore: false)
            return []
        }
        let page = try await book.inEpoch { () throws(StoreFailure) in
            try await sender.prepare(wish) { claimed in places.withLock { $0.claimed(claimed, wish) } }
        }
        // Less than that was all there was; what comes now signals.
        claims.done(isMore: page.count >= wish.most)
        return page
    }
}
