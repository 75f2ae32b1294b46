import EventSourcing
import Kernel
import Payments

/// Payments as they were folded last, so that a decision reads what is new of its stream and not all of it again.
///
/// It gives what folding the whole history gives: a fold counts only where the history holds the very event that it ended
/// with, to the byte and the moment. Its position and its cause alone can recur when the log has lost its end and a
/// client's command is decided a second time.
final class PaymentFolds: Sendable {
    fileprivate struct Fold: Sendable {
        let payment: Payment
        /// The last event that went in.
        let last: RecordedEvent
    }

    fileprivate struct Shelf: Sendable {
        var young: [StreamName: Fold] = [:]
        var old: [StreamName: Fold] = [:]
    }

    /// Folds that are held at most, in two generations.
    private static let capacity = 4096

    private let shelf = Locked(Shelf())

    /// Folds a stream that is given from its first event on.
    func fold(_ stream: StreamName, _ history: [RecordedEvent]) throws(Undecidable) -> Payment {
        var payment = Payment(id: PaymentId(stream.id))
        if let known = shelf.withLock({ $0.young[stream] ?? $0.old[stream] }),
            case let count = Int(known.payment.version), count > 0, count <= history.count,
            history[count - 1] == known.last
        {
            payment = known.payment
        }
        let isNew = Int(payment.version) < history.count
        for event in history.dropFirst(Int(payment.version)) {
            do throws(CodecFailure) {
                payment.evolve(try PaymentEvent(type: event.type, data: event.data))
            } catch {
                throw Undecidable("event \(event.version): \(error.path)")
            }
        }
        if isNew, let last = history.last {
            shelf.withLock { $0.keep(Fold(payment: payment, last: last), of: stream, atMost: Self.capacity) }
        }
        return payment
    }
}

extension PaymentFolds.Shelf {
    fileprivate mutating func keep(_ fold: PaymentFolds.Fold, of stream: StreamName, atMost capacity: Int) {
        young[stream] = fold
        old[stream] = nil
        guard young.count > capacity / 2 else { return }
        old = young
        young = [:]
    }
}
