import Http
import Kernel

/// How often an address may try keys that are none.
struct SignInAttempts: Sendable {
    /// So many at once, and then one every second.
    private static let limit = RateLimit(requestsPerSecond: 1, burst: 10)
    private let failures = RateLimiter<[UInt8]>(SignInAttempts.limit)

    /// How long an address must wait; `nil` where it may try.
    func pause(_ address: String, at now: Timestamp) -> Duration? { failures.pause(of: Self.site(address), at: now) }

    func failed(_ address: String, at now: Timestamp) { _ = failures.take(Self.site(address), at: now) }

    /// One line of version 6 has many addresses.
    static func site(_ address: String) -> [UInt8] { SourceAddress(address)?.site ?? Array(address.utf8) }
}
