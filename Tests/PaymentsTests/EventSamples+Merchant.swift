import EventSourcing
import Kernel
import Payments

/// Events of what administrators do about a merchant.
extension EventSample {
    private static let at = Samples.noon
    private static let key = KeyFacts(
        id: Samples.uuid(1),
        name: "backend",
        role: "developer",
        scopes: ["commands", "read", "audit"],
        networks: ["10.0.0.0/8"],
        expiresAt: at
    )

    private static let limit = RateLimit(requests: 100, seconds: 60)
    private static let limited = KeyFacts(
        id: Samples.uuid(1),
        name: "backend",
        role: nil,
        scopes: ["read"],
        networks: [],
        expiresAt: nil,
        limit: limit
    )

    static let merchants: [EventSample] = [
        merchant("merchant.created.v1", .created(name: "shop", by: "owner:root", at: at)),
        merchant("merchant.suspended.v1", .suspended(reason: "unpaid", by: "owner:root", at: at)),
        merchant("merchant.resumed.v1", .resumed(by: "owner:root", at: at)),
        merchant("merchant.persons_set.v1", .personsSet(needsTwo: true, by: "key:1", at: at)),
        merchant("merchant.limit_set.v1", .limitSet(limit, by: "owner:root", at: at)),
        merchant("merchant.limit_set.v1.none", .limitSet(nil, by: "owner:root", at: at)),
        merchant("key.created.v1", .keyCreated(key, by: "key:1", at: at)),
        merchant("key.created.v1.limited", .keyCreated(limited, by: "key:1", at: at)),
        merchant("key.rotated.v1", .keyRotated(Samples.uuid(1), endsAt: at, by: "key:1", at: at)),
        merchant("key.revoked.v1", .keyRevoked(Samples.uuid(1), reason: "left", by: "key:1", at: at)),
        merchant("change.proposed.v1", proposed(.key(Samples.uuid(1)))),
        merchant("change.proposed.v1.onePerson", proposed(.onePerson)),
        merchant(
            "change.proposed.v1.command",
            proposed(
                .command(
                    kind: StreamKind.routing.rawValue,
                    stream: Samples.uuid(3),
                    name: "routing.set",
                    body: ["accounts": .array([])]
                )
            )
        ), merchant("change.approved.v1", .changeApproved(Samples.uuid(2), by: "key:2", at: at)),
        merchant("change.rejected.v1", .changeRejected(Samples.uuid(2), reason: "no", by: "key:2", at: at)),
        merchant("clock.owned.v1", .clockOwned(start: at, by: "key:1", at: at)),
        merchant("clock.sent.v1", .clockSent(to: at, by: "key:1", at: at)),
        merchant("dunning.kept.v1", .dunningKept(name: "gentle", version: 2, by: "key:1", at: at)),
        merchant("period.closed.v1", .periodClosed(month: "2026-10", by: "key:1", at: at)),
    ]

    private static func proposed(_ what: ProposedChange.What) -> MerchantEvent {
        let change = ProposedChange(id: Samples.uuid(2), what: what, by: "key:1", proposedAt: at, expiresAt: at)
        return .changeProposed(change, by: "key:1", at: at)
    }

    private static func merchant(_ name: String, _ event: MerchantEvent) -> EventSample {
        EventSample(name: name, draft: event.draft) { (draft) throws(CodecFailure) in
            try MerchantEvent(type: draft.type, data: draft.data).draft
        }
    }
}
