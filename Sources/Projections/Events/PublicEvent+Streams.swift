package import EventSourcing
package import Kernel
package import Payments
import Schedules

extension StreamKind {
    /// Whether public events tell what becomes of its streams.
    package var isTold: Bool {
        switch self {
        case .payment, .transfer, .instrument, .schedule, .billBatch, .bill: true
        case .chunk, .account, .routing, .webhookEndpoint, .merchant, .arrivals, .paymentLink: false
        }
    }
}

extension PublicEvent {
    /// What the decisions tell that end behind a version; one that began before it is told with its end.
    ///
    /// The last decision of an unfinished history goes on behind it and is not told yet. `accounts` are those that saved credentials and
    /// batches name.
    package static func all(
        of stream: StreamName,
        _ history: History,
        behind known: Int32 = 0,
        isUnfinished: Bool = false,
        folds: FoldCache,
        accounts: [Uuid: AccountFacts]
    ) throws(CodecFailure) -> [PublicEvent] {
        let decisions = Decisions(stream, history, known, isUnfinished, folds)
        var told: [PublicEvent] = []
        switch stream.kind {
        case .payment, .transfer:
            let createdAt = history.first?.recordedAt ?? .epoch
            try decisions.each { last, _, before, after in
                told += all(last, from: before, to: after, createdAt: createdAt)
            }
        case .instrument:
            try decisions.each { (last, _, before: Instrument, after: Instrument) in
                told += all(last, from: before, to: after, account: after.saved.flatMap { accounts[$0.account] })
            }
        case .schedule:
            try decisions.each { _, events, before, after in told += all(events, from: before, to: after) }
        case .billBatch:
            try decisions.each { (last, _, before: BillBatch, after: BillBatch) in
                told += all(last, from: before, to: after, account: after.head.flatMap { accounts[$0.account] })
            }
        case .bill:
            try decisions.each { (last, _, before: Bill, after: Bill) in told += all(last, from: before, to: after) }
        case .chunk, .account, .routing, .webhookEndpoint, .merchant, .arrivals, .paymentLink: break
        }
        return told
    }

    /// The account that a saved credential or a batch names in its first event, which it keeps.
    package static func account(of stream: StreamName, first: RecordedEvent) throws(CodecFailure) -> Uuid? {
        switch stream.kind {
        case .instrument: try Instrument.fold(stream, CollectionOfOne(first)).saved?.account
        case .billBatch: try BillBatch.fold(stream, CollectionOfOne(first)).head?.account
        case .payment, .transfer, .schedule, .bill, .chunk, .account, .routing, .webhookEndpoint, .merchant, .arrivals,
            .paymentLink:
            nil
        }
    }
}

/// The decisions of a stream: each is a run of events with one cause.
private struct Decisions {
    private let stream: StreamName
    private let history: History
    private let known: Int32
    private let isUnfinished: Bool
    private let folds: FoldCache

    init(_ stream: StreamName, _ history: History, _ known: Int32, _ isUnfinished: Bool, _ folds: FoldCache) {
        self.stream = stream
        self.history = history
        self.known = known
        self.isUnfinished = isUnfinished
        self.folds = folds
    }

    /// Tells each decision that ends behind the known version: its last event, all of them, and the states before and after it.
    func each<State: Aggregate>(
        _ body: (_ last: RecordedEvent, _ events: ArraySlice<RecordedEvent>, _ before: State, _ after: State) -> Void
    ) throws(CodecFailure) {
        let all = history.events
        guard var begin = all.firstIndex(where: { $0.version > known }) else { return }
        while begin > all.startIndex, all[begin - 1].cause == all[begin].cause { begin -= 1 }
        let base = all[begin].version
        func place(_ event: RecordedEvent) -> Int { begin + Int(event.version - base) }
        func begins(_ index: Int) -> Bool { index == begin || all[index - 1].cause != all[index].cause }
        func ends(_ index: Int) -> Bool {
            index + 1 < all.endIndex ? all[index + 1].cause != all[index].cause : !isUnfinished
        }
        var begun: State?
        var first = begin
        let _: State = try folds.fold(
            stream,
            history,
            behind: base - 1,
            where: { begins(place($0)) || ends(place($0)) }
        ) { event, before, after in
            let index = place(event)
            if begins(index) { (begun, first) = (before, index) }
            if ends(index), let begun { body(event, all[first...index], begun, after) }
        }
    }
}
