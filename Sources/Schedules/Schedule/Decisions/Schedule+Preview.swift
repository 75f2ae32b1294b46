import EventSourcing
package import Kernel

/// The charges that a schedule is going to make, as far as they can be known now.
package struct SchedulePreview: Hashable, Sendable {
    package struct Item: Hashable, Sendable {
        package enum State: String, Hashable, Sendable, CaseIterable {
            /// Decided already: planned, waiting for another try, or under way.
            case decided
            /// Expected by the rule.
            case expected
            /// Falls on the day of a neighbour, so that nothing is charged.
            case skipped
        }

        package let ordinal: Int
        package let state: State
        package let date: CivilDate
        package let dueAt: Timestamp
        /// Nothing is charged before it.
        package let startAt: Timestamp
        package let amount: Money
        package let reasons: [RuleOccurrence.Reason]
        package let zoneDigest: String?
    }

    /// Why nothing follows the last item.
    package enum End: String, Hashable, Sendable, CaseIterable {
        /// The rule or its total is at its end, or somebody ended the series.
        case over
        /// The customer's mandate ends.
        case mandate
    }

    /// An obstacle between the items and their charges.
    package enum Hold: String, Hashable, Sendable, CaseIterable {
        case notActivated, paused
        /// The mandate's distance can't be counted before a charge has its outcome.
        case outcomeAwaited
        /// The zone's data is not there.
        case zoneUnknown
    }

    package fileprivate(set) var items: [Item] = []
    /// `nil` where more may follow.
    package fileprivate(set) var end: End?
    package fileprivate(set) var holds: [Hold] = []
}

extension Schedule {
    /// The next charges if every charge succeeds: at most so many occurrences, those decided already first.
    package func preview(count: Int, _ context: ScheduleContext) -> SchedulePreview {
        var draft = ScheduleDraft(self, context)
        return draft.preview(count: min(max(count, 0), ScheduleRule.previewedOccurrences))
    }
}

extension ScheduleTerms {
    /// The same for a schedule that nobody registered, from an ordinal on.
    package func preview(from ordinal: Int, count: Int, _ context: ScheduleContext) -> SchedulePreview {
        var schedule = Schedule(id: ScheduleId(context.input))
        schedule.evolve(.registered(self, by: context.actor, at: context.now))
        let first = Activation(payment: PaymentId(context.input), mode: .verify, instrument: nil, series: nil)
        schedule.evolve(.activated(first, at: context.now))
        if ordinal > 1 {
            schedule.evolve(.skipped(first: 1, last: ordinal - 1, .changed, at: context.now))
            if let taken = total(before: ordinal) {
                schedule.evolve(.succeeded(ordinal: 0, payment: first.payment, amount: taken, at: context.now))
            }
        }
        return schedule.preview(count: count, context)
    }

    /// The sum of the occurrences before an ordinal; too much to count counts as all there is.
    private func total(before ordinal: Int) -> Money? {
        switch rule?.cadence {
        case .every?:
            return amount.map { amount in
                let (sum, overflow) = amount.minor.multipliedReportingOverflow(by: Int64(ordinal - 1))
                return Money(overflow ? .max : sum, amount.currency)
            }
        case .dates(let list)?:
            guard let currency = list.first?.amount.currency else { return nil }
            var total: Int64 = 0
            for line in list.prefix(ordinal - 1) {
                let (sum, overflow) = total.addingReportingOverflow(line.amount.minor)
                total = overflow ? .max : sum
            }
            return Money(total, currency)
        case nil: return nil
        }
    }
}

extension ScheduleDraft {
    fileprivate mutating func preview(count: Int) -> SchedulePreview {
        var preview = SchedulePreview()
        preview.holds = holds
        skipWhatIsNotCharged()
        let earliest = [earliestByMandate, earliestByCard(nil)].compactMap(\.self).max().map(usual)
        for one in schedule.open.values.sorted(by: { $0.plan.ordinal < $1.plan.ordinal }).prefix(count) {
            preview.items.append(SchedulePreview.Item(one, earliest: earliest))
        }
        if schedule.status.isOver {
            preview.end = .over
            return preview
        }
        while preview.items.count < count, schedule.terms?.rule != nil {
            let ordinal = schedule.next
            switch following(ordinal) {
            case .none: preview.end = .over
            case .mandateOver: preview.end = .mandate
            case .unknown: preview.holds.append(.zoneUnknown)
            case .occurrence(let found, let amount):
                let item = SchedulePreview.Item(ordinal, found, amount, earliest: earliest)
                preview.items.append(item)
                take(item)
                continue
            }
            return preview
        }
        return preview
    }

    private var holds: [SchedulePreview.Hold] {
        var holds: [SchedulePreview.Hold] = []
        switch schedule.status {
        case .registered: holds.append(.notActivated)
        case .paused: holds.append(.paused)
        case .unregistered, .active, .completed, .cancelled, .expired: break
        }
        if isWaitingForOutcome { holds.append(.outcomeAwaited) }
        return holds
    }

    /// Skips occurrences that fall due before the first payment, and those that fall due in a pause, unless somebody
    /// resumes otherwise.
    private mutating func skipWhatIsNotCharged() {
        switch schedule.status {
        case .registered: skipDue(before: context.now, .beforeActivation)
        case .paused: skipMissed()
        case .unregistered, .active, .completed, .cancelled, .expired: break
        }
    }

    /// Counts an expected occurrence as paid, so that a total sees it.
    private mutating func take(_ item: SchedulePreview.Item) {
        let ordinal = item.ordinal
        switch item.state {
        case .skipped: add(.skipped(first: ordinal, last: ordinal, .coincides, at: context.now))
        case .decided, .expected:
            add(.skipped(first: ordinal, last: ordinal, .changed, at: context.now))
            let payment = schedule.payment(ordinal, attempt: 1)
            add(.succeeded(ordinal: ordinal, payment: payment, amount: item.amount, at: context.now))
        }
    }
}

extension SchedulePreview.Item: JsonWritable {
    fileprivate init(_ one: OpenOccurrence, earliest: Timestamp?) {
        self.init(
            ordinal: one.plan.ordinal,
            state: .decided,
            date: one.plan.date,
            dueAt: one.plan.dueAt,
            startAt: one.isStartable ? max(one.startAt, earliest ?? one.startAt) : one.startAt,
            amount: one.plan.amount,
            reasons: one.plan.reasons,
            zoneDigest: one.plan.zoneDigest
        )
    }

    fileprivate init(_ ordinal: Int, _ found: RuleOccurrence, _ amount: Money, earliest: Timestamp?) {
        self.init(
            ordinal: ordinal,
            state: found.reasons.contains(.coincides) ? .skipped : .expected,
            date: found.date,
            dueAt: found.at,
            startAt: max(found.at, earliest ?? found.at),
            amount: amount,
            reasons: found.reasons,
            zoneDigest: found.zoneDigest
        )
    }

    package func write(into out: inout JsonText) {
        out.member("amount", amount)
        out.member("at", dueAt)
        out.member("date", date.text)
        out.member("ordinal", ordinal)
        out.member("reasons", .array(reasons.map { .string($0.rawValue) }))
        out.member("startAt", startAt)
        out.member("state", state)
        out.member("zoneDigest", zoneDigest)
    }
}
