import Kernel
import Payments

/// A routed payment with accounts to go on to.
struct FallbackStory {
    var story = Story()

    static let routing = RouteSamples.sharing(
        [(RouteSamples.first, 1)],
        then: [RouteSamples.second, RouteSamples.third],
        fallback: RouteSamples.softly
    )
    static let first = routing.route(RouteSamples.question(), among: RouteSamples.three, at: Samples.noon)
    static let second = routing.next(
        after: first,
        cause: .fallback(after: 1, .closed, Samples.decline),
        among: RouteSamples.three,
        tried: [RouteSamples.first],
        refusals: [RouteSamples.second],
        at: Samples.noon
    )

    /// A payment that the rules sent to the first account.
    init(
        _ mode: PaymentMode = .sale,
        opening: Opening = .handover,
        routing: Routing = Self.routing,
        terms: PaymentTerms? = nil
    )
        throws
    {
        story.account = RouteSamples.facts(RouteSamples.first)
        story.opening = opening
        story.route = Self.first
        try story.command(.create(terms ?? Samples.terms(mode)))
        story.fallbackRoutes = FallbackRoutes(
            routing: routing,
            accounts: RouteSamples.three,
            openings: [RouteSamples.second: opening, RouteSamples.third: opening],
            refusals: []
        )
    }

    var payment: Payment { story.payment }
    var tried: [Uuid] { payment.triedAccounts.map(\.id) }

    /// Takes facts in as evidence of an account.
    mutating func observe(_ account: Uuid, _ facts: Fact...) {
        story.account = RouteSamples.facts(account)
        story.observe(.facts(facts, trust: .verified, dispatch: nil))
    }

    mutating func see(_ account: Uuid, _ operation: ProviderOperation) { observe(account, .operation(operation)) }

    /// Answers the newest message to an account.
    mutating func answer(_ account: Uuid, _ facts: Fact...) {
        story.account = RouteSamples.facts(account)
        guard let open = story.openDispatches.last(where: { $0.account == account }) else { return }
        story.answer(open, facts)
    }
}
