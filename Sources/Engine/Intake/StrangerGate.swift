package import Http
package import Kernel

/// How much may come from senders who prove nothing.
package struct StrangerLimits: Hashable, Sendable {
    /// Refused messages of one address, and to one account: each is looked at, sealed and put into quarantine.
    package var refused = RateLimit(requestsPerSecond: 2, burst: 50)
    package var refusedByAccount = RateLimit(requestsPerSecond: 10, burst: 200)
    /// Hints of one address, and to one account: each is kept and leads to a question to the provider.
    package var hints = RateLimit(requestsPerSecond: 100, burst: 1_000)
    package var hintsByAccount = RateLimit(requestsPerSecond: 200, burst: 2_000)

    package init() {}
}

/// Bounds what strangers cost at the addresses for notifications.
///
/// A proof is asked for before anything is counted, so that no stranger uses up what a provider needs: only an address that
/// was refused too often is turned away unheard, and never at an account that it has brought a proof of lately.
package final class StrangerGate: Sendable {
    private let refused: RateLimiter<[UInt8]>
    private let refusedByAccount: RateLimiter<Uuid>
    private let hints: RateLimiter<[UInt8]>
    private let hintsByAccount: RateLimiter<Uuid>
    /// A proof at one's own account says nothing about another one's.
    private struct Proof: Hashable {
        let site: [UInt8]
        let account: Uuid
    }

    /// When an address last brought a proof.
    private let proved = Locked(GenerationCache<Proof, Timestamp>(capacity: StrangerGate.addressesKept))

    /// So long an address is heard for one proof.
    private static let trusted = Duration.seconds(86_400)
    private static let addressesKept = 10_000

    package init(_ limits: StrangerLimits = StrangerLimits()) {
        refused = RateLimiter(limits.refused)
        refusedByAccount = RateLimiter(limits.refusedByAccount)
        hints = RateLimiter(limits.hints)
        hintsByAccount = RateLimiter(limits.hintsByAccount)
    }

    /// How long a sender is not heard at all; `nil` where it is.
    package func pause(_ request: HttpRequest, account: Uuid, at now: Timestamp) -> Duration? {
        let site = Self.site(of: request)
        if let at = proved.withLock({ $0.find(Proof(site: site, account: account)) }), now.since(at) < Self.trusted {
            return nil
        }
        return refused.pause(of: site, at: now)
    }

    /// Counts a message without a right proof by the events that are kept of it; answers how long to wait where there were too many.
    ///
    /// What a provider sends in bulk makes its address wait no longer than it takes to hear it out again.
    package func refuse(_ request: HttpRequest, account: Uuid, events: Int = 1, at now: Timestamp) -> Duration? {
        let pause = refused.take(Self.site(of: request), worth: min(events, refused.burst), at: now)
        return pause ?? refusedByAccount.take(account, worth: events, at: now)
    }

    /// Counts a message that needs no proof by its events, each of which is kept; answers how long to wait where there were too many.
    ///
    /// One that names nothing of ours is as good as refused: it stays in the log, and leads nowhere.
    package func hint(_ request: HttpRequest, account: Uuid, events: Int, isKnown: Bool, at now: Timestamp)
        -> Duration?
    {
        guard isKnown else { return refuse(request, account: account, events: events, at: now) }
        let pause = hints.take(Self.site(of: request), worth: events, at: now)
        return pause ?? hintsByAccount.take(account, worth: events, at: now)
    }

    /// Remembers that a proof came from there.
    package func prove(_ request: HttpRequest, account: Uuid, at now: Timestamp) {
        let proof = Proof(site: Self.site(of: request), account: account)
        proved.withLock { $0.keep(now, of: proof) }
    }

    /// Senders whose address is not known are one.
    package static func site(of request: HttpRequest) -> [UInt8] {
        request.peerAddress.flatMap { SourceAddress($0) }?.site ?? []
    }
}
