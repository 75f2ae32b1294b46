import EventSourcing
package import Kernel

extension BillBatch {
    /// The batch in one word.
    package enum Status: String, Hashable, Sendable, CaseIterable {
        case open, pricing, processing
        case requiresAction = "requires_action"
        case paused, completed
        case partiallyCompleted = "partially_completed"
        case failed, claimed, unresolved
    }

    package var status: Status {
        switch phase {
        case .open: return .open
        case .pricing: return .pricing
        case .paused: return .paused
        case .running:
            let awaitsApp = head?.mode == .sdk && !live.isEmpty
            return waiting != nil || awaitsApp ? .requiresAction : .processing
        case .ended:
            if refusedPrice != nil { return .failed }
            switch isRolledUp {
            case .completed: return .completed
            case .partiallyCompleted: return .partiallyCompleted
            case .failed: return .failed
            case .claimed: return .claimed
            case .unresolved, nil: return .unresolved
            }
        }
    }

    /// The batch as answers and lists show it.
    package func document(account: Json?) -> Json {
        let commission = commissions.values.reduce(Money?.none) { sum, part in
            sum.flatMap { try? $0.adding(part) } ?? part
        }
        let taken = pages.isEmpty ? nil : total ?? sumOfPages
        return .compact([
            ("account", account), ("bills", .integer(Int64(count))), ("chunks", .integer(Int64(chunksMade))),
            ("createdAt", createdAt?.json), ("credentials", credentials?.json),
            ("currency", (head?.currency.code).map(Json.string)), ("customer", (head?.customer).map(Json.string)),
            ("digest", digest.map(Json.string)), ("endedAt", endedAt?.json),
            ("expectedCommission", commission?.json), ("id", id.json), ("instrument", (head?.instrument)?.json),
            ("mode", (head?.mode.rawValue).map(Json.string)), ("object", "bill_batch"),
            ("pages", .integer(Int64(pages.count))), ("priceRefused", refusedPrice.map(Json.string)),
            ("reference", (head?.reference).map(Json.string)), ("requiresAction", (waiting?.bill).map(Json.string)),
            ("status", .string(status.rawValue)), ("submittedAt", submittedAt?.json), ("tally", tally?.document),
            ("total", taken?.json), ("trouble", (trouble?.rawValue).map(Json.string)),
            ("version", .integer(Int64(version))),
        ])
    }

    private var sumOfPages: Money? {
        head.flatMap { head in
            pages.reduce(Money?.some(.zero(head.currency))) { sum, page in
                sum.flatMap { try? $0.adding(page.total) }
            }
        }
    }
}

extension Bill {
    /// The bill as answers show it.
    package var document: Json {
        .compact([
            ("amount", reservation?.line.amount.json), ("batch", reservation?.batch.json),
            ("id", (reservation?.line.id).map(Json.string)),
            ("object", "bill"), ("ordinal", reservation.map { .integer(Int64($0.line.ordinal)) }),
            ("outcome", .string(standing?.outcome.rawValue ?? "pending")),
            (
                "resolutions",
                proposals.isEmpty
                    ? nil
                    : .array(
                        proposals.values.sorted { $0.id < $1.id }.map { proposal in
                            .compact([
                                ("approved", .bool(approved.contains(proposal.id))), ("by", .string(proposal.by)),
                                ("evidence", .string(proposal.evidence)), ("id", proposal.id.json),
                                ("outcome", .string(proposal.outcome.rawValue)), ("paid", proposal.paid?.json),
                                ("seenVersion", .integer(Int64(proposal.seenVersion))),
                            ])
                        }
                    )
            ),
            ("standing", standing?.json), ("version", .integer(Int64(version))),
        ])
    }
}
