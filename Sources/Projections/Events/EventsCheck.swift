package import EventSourcing
import Kernel
import Payments
import Schedules

/// Holds the public events of a log against its streams: the last one of each shows the stream as it is, and all are of the catalogue.
package enum EventsCheck {
    /// Members that change without an event.
    private static let passing = ["version", "updatedAt", "uses", "lastUsedAt"]

    /// What differs in a whole log, in words.
    package static func differences(in log: [RecordedEvent]) throws(StoreFailure) -> [String] {
        var found: [String] = []
        for (stream, events) in Dictionary(grouping: log, by: \.stream).sorted(by: { $0.key < $1.key })
        where stream.kind.isTold {
            do throws(CodecFailure) {
                found += try differences(of: stream, History(events))
            } catch {
                throw StoreFailure(.corrupt, detail: "\(stream) \(error.path)")
            }
        }
        return found
    }

    private static func differences(of stream: StreamName, _ history: History) throws(CodecFailure) -> [String] {
        let told = try PublicEvent.all(of: stream, history, folds: FoldCache(), accounts: [:])
        // Told piece by piece, as a follower reads them, they are the same.
        var pieces: [PublicEvent] = []
        let middle = history.version / 2
        if let beginning = history.prefix(upTo: middle), !beginning.isEmpty {
            let isCut = beginning.last?.cause == history.events.first { $0.version == middle + 1 }?.cause
            pieces += try PublicEvent.all(
                of: stream,
                beginning,
                isUnfinished: isCut,
                folds: FoldCache(),
                accounts: [:]
            )
        }
        pieces += try PublicEvent.all(of: stream, history, behind: middle, folds: FoldCache(), accounts: [:])
        var found: [String] = []
        if told.map(bytes) != pieces.map(bytes) { found.append("\(stream) is told otherwise in two pieces") }
        for event in told where PublicEventType.named(event.type.name) == nil {
            found.append("\(stream) tells \(event.type.name), which is in no catalogue")
        }
        let bodies = told.map { try? Json(bytes($0)) }
        if bodies.contains(where: { $0 == nil }) { found.append("\(stream) tells what is no JSON") }
        guard let now = try document(stream, history) else { return found }
        let last = bodies.last??["data"]
        if last.map(shown) != shown(now) {
            found.append(
                "\(stream) is \(shown(now).canonicalText), and was told as \(last?.canonicalText ?? "nothing")"
            )
        }
        return found
    }

    private static func bytes(_ event: PublicEvent) -> [UInt8] {
        let body = event.body
        return body.head + Array("1".utf8) + body.tail
    }

    private static func shown(_ json: Json) -> Json {
        guard var members = json.members else { return json }
        for name in passing { members[name] = nil }
        return .object(members)
    }

    /// The resource as it is read, without its account; `nil` where there is none yet.
    private static func document(_ stream: StreamName, _ history: History) throws(CodecFailure) -> Json? {
        let folds = FoldCache()
        switch stream.kind {
        case .payment, .transfer:
            let payment: Payment = try folds.fold(stream, history)
            guard payment.isCreated, let first = history.first, let last = history.last else { return nil }
            return try? Json(payment.publicDocument(createdAt: first.recordedAt, updatedAt: last.recordedAt))
        case .instrument:
            let instrument: Instrument = try folds.fold(stream, history)
            return instrument.saved.map { _ in instrument.document(nil) }
        case .schedule:
            let schedule: Schedule = try folds.fold(stream, history)
            return schedule.terms.map { _ in schedule.shown }
        case .billBatch:
            let batch: BillBatch = try folds.fold(stream, history)
            return batch.head.map { _ in batch.document(account: nil) }
        case .bill:
            let bill: Bill = try folds.fold(stream, history)
            return bill.reservation.map { _ in bill.document }
        case .chunk, .account, .routing, .webhookEndpoint, .merchant, .arrivals, .paymentLink: return nil
        }
    }
}
