import Kernel
import Payments
import ProviderKit

/// The declaration of an adapter, as its model keeps it.
struct Promises: Sendable {
    let capabilities: Capabilities
    let security: NotificationSecurity
    /// Operations whose reference of ours the provider tells again: those that it takes a key for.
    let echoes: Set<OperationKind>

    init(_ capabilities: Capabilities, _ declaration: Declaration) {
        self.capabilities = capabilities
        security = declaration.notifications
        echoes = Set(
            OperationKind.allCases.filter { kind in
                if case .sameKey = capabilities.recovery[kind, by: Self.method] { true } else { false }
            }
        )
    }

    /// Payers of a world meet the provider's page.
    private static let method = PaymentMethod.hosted

    /// How a lost answer is cleared up.
    func recovery(_ kind: OperationKind) -> Capabilities.Recovery { capabilities.recovery[kind, by: Self.method] }

    /// Of the time after which absence is proved, a third each for a request that is slow to arrive, for an operation
    /// that is slow to show, and for an answer that is old.
    private static let shares = 3

    /// How long after its request an operation may stay out of sight.
    func showsAfter(_ kind: OperationKind, _ random: inout SplitMix64) -> Duration {
        switch recovery(kind) {
        case .query(let absenceAfter), .baselineDiff(let absenceAfter):
            random.duration(upTo: absenceAfter / Self.shares)
        case .sameKey, .none: random.duration(upTo: .seconds(30))
        }
    }

    /// How long after its opening an order that nobody paid stays out of sight; `nil` where no question shows it.
    ///
    /// Whoever takes a key need not find an order by our reference.
    func showsOrder(_ kind: OperationKind, _ random: inout SplitMix64) -> Duration? {
        if case .sameKey = recovery(kind), random.chance(500) { return nil }
        return showsAfter(kind, &random)
    }

    /// How late a notification may come: a hint is of use only while questions are answered.
    var latestNotice: Duration {
        let longest = Duration.seconds(3_000_000)
        switch security {
        case .hmac, .rsa: return longest
        case .unsigned:
            let lifetimes = capabilities.lifetimes
            return max(.seconds(3600), min(longest, lifetimes.query - lifetimes.hold - .seconds(259_200)))
        }
    }

    /// How old an answer to a question may be.
    var staleness: Duration { shortestProof / Self.shares }

    /// How long after the connection broke a request may arrive.
    var straggling: Duration { shortestProof / Self.shares }

    private var shortestProof: Duration {
        capabilities.recovery.absenceProofs.min() ?? .seconds(90)
    }
}

extension SplitMix64 {
    /// True so many times in a thousand.
    mutating func chance(_ perMille: Int) -> Bool { Int(next() % 1000) < perMille }

    mutating func number(_ range: ClosedRange<Int64>) -> Int64 {
        range.lowerBound + Int64(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[Int(next() % UInt64(elements.count))] }

    mutating func duration(upTo longest: Duration) -> Duration {
        let (seconds, _) = longest.components
        return .milliseconds(number(0...max(1, seconds * 1000)))
    }
}
