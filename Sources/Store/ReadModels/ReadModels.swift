package import EventSourcing

/// Every read model of a store.
package struct ReadModels: Sendable {
    package let payments: PaymentView
    package let bills: BillView
    package let instruments: InstrumentView
    package let schedules: ScheduleView
    package let movements: MovementView
    package let events: PublicEventView

    /// `folds` is best shared with whoever decides on the same streams: what was decided a moment ago is folded already.
    package init(
        _ store: PostgresStore,
        streamCache: any HistoryReader,
        folds: FoldCache = FoldCache(capacity: FoldCache.capacity / 4)
    ) {
        payments = PaymentView(store, streamCache: streamCache, folds: folds)
        bills = BillView(store, streamCache: streamCache, folds: folds)
        instruments = InstrumentView(store, streamCache: streamCache, folds: folds)
        schedules = ScheduleView(store, streamCache: streamCache)
        movements = MovementView(store, streamCache: streamCache, folds: folds)
        events = PublicEventView(store, streamCache: streamCache, folds: folds)
    }

    package var all: [any FollowedView] { [payments, bills, instruments, schedules, movements, events] }
}
