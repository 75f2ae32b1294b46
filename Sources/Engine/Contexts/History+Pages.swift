package import EventSourcing
import Payments

extension EventStore {
    /// Reads streams on from what is known of them to the end of a range of versions at least, or to their own, in pages.
    ///
    /// The first page begins with the last event that is known: where the log has it no longer, as after a restore that nobody told
    /// of, the stream is read from its first, and `isAnotherLog` says so. Of one without an end the events behind the range's
    /// beginning are kept, and the newest ones; the others go after each page.
    func read(
        on known: [History],
        _ wanted: [(name: StreamName, versions: ClosedRange<Int32>)]
    ) async throws(StoreFailure) -> (streams: [History], isAnotherLog: Bool) {
        var (read, isAnotherLog) = (known, false)
        var open = wanted.indices.filter { read[$0].version < wanted[$0].versions.upperBound }
        var unproved = Set(open.filter { !read[$0].isEmpty })
        while !open.isEmpty {
            let most = open.map { wanted[$0].name.kind.page }.min() ?? 0
            let behind = open.map { (wanted[$0].name, read[$0].version - (unproved.contains($0) ? 1 : 0)) }
            var unfinished: [Int] = []
            for (index, page) in zip(open, try await load(behind, atMost: most)) {
                var more = page[...]
                if unproved.remove(index) != nil {
                    guard let last = more.firstIndex(where: { $0 == read[index].last }) else {
                        isAnotherLog = true
                        read[index] = History()
                        unfinished.append(index)
                        continue
                    }
                    more = more[(last + 1)...]
                }
                if !more.isEmpty {
                    read[index].append(Array(more))
                    read[index].shorten(wanted[index].name.kind, keepingBehind: wanted[index].versions.lowerBound)
                }
                let isShort = read[index].version < wanted[index].versions.upperBound
                if page.count == most, isShort { unfinished.append(index) }
            }
            open = unfinished
        }
        return (read, isAnotherLog)
    }
}

extension StreamKind {
    /// Events that are held of a stream without an end, or up to twice as many: readers follow a little behind the newest.
    ///
    /// `nil` where all are held: the stream has an end, or its state grows with it.
    package var newestHeld: Int? {
        switch self {
        case .instrument, .arrivals: 256
        // Each of their events may be as large as a request.
        case .account, .routing, .webhookEndpoint: 16
        case .payment, .transfer, .schedule, .billBatch, .bill, .chunk, .merchant, .paymentLink: nil
        }
    }

    /// Events that one statement reads of a stream: as many of all streams of a batch are in memory beside those held.
    package var page: Int { 2 * (newestHeld ?? 256) }
}

extension History {
    /// What it takes in memory, in bytes, as far as its events tell.
    var weight: Int { bytes + events.count * Self.eventBytes }

    /// What an event takes beside its data.
    private static let eventBytes = 200

    /// Lets go of the beginning of a stream without an end, now and then: each event is folded once for it.
    mutating func shorten(_ kind: StreamKind, keepingBehind version: Int32 = .max) {
        guard let newest = kind.newestHeld, events.count > 2 * newest else { return }
        let kept = max(newest, Int(self.version) - Int(version))
        switch kind {
        case .instrument: fold(as: Instrument.self, keeping: kept)
        case .arrivals: fold(as: Arrivals.self, keeping: kept)
        case .account: fold(as: Account.self, keeping: kept)
        case .routing: fold(as: Routing.self, keeping: kept)
        case .webhookEndpoint: fold(as: WebhookEndpoint.self, keeping: kept)
        case .payment, .transfer, .schedule, .billBatch, .bill, .chunk, .merchant, .paymentLink: break
        }
    }
}
