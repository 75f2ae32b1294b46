import EventSourcing
import Kernel
import Payments

/// Payments as they were folded last, so that a decision reads what is new of its stream and not all of it again.
///
/// It gives what folding the whole history gives: a fold counts only where the history holds the very event that it ended
/// with, to the byte and the moment. Its position and its cause alone can recur when the log has lost its end and a
/// client's command is decided a second time.
final class PaymentFolds: Sendable {
    private struct Fold: Sendable {
        let payment: Payment
        /// The last event that went in.
        let last: RecordedEvent
    }

    /// Folds that are held at most.
    private static let capacity = 4096

    private let folds = Locked(GenerationCache<StreamName, Fold>(capacity: PaymentFolds.capacity))

    /// Folds a stream that is given from its first event on.
    func fold(_ stream: StreamName, _ history: [RecordedEvent]) throws(Undecidable) -> Payment {
        var payment = Payment(id: PaymentId(stream.id))
        if let known = folds.withLock({ $0.find(stream) }),
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
            folds.withLock { $0.keep(Fold(payment: payment, last: last), of: stream) }
        }
        return payment
    }
}
