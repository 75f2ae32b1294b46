import EventSourcing
import Kernel
import Payments

/// How payments began: a first event is read once and not with every input of its stream.
final class Beginnings: Sendable {
    struct Beginning: Sendable {
        /// The account that the payment was created with.
        let account: Uuid
        let instrument: InstrumentId?
        /// The event itself: under the same cause a restored log may have another one.
        fileprivate let event: RecordedEvent
    }

    /// Bytes that first events may take, and what one takes beside its data.
    private static let capacity = 8 << 20
    private static let entryBytes = 500

    private let known = Locked(
        GenerationCache<Uuid, Beginning>(capacity: Beginnings.capacity) {
            Beginnings.entryBytes + $0.event.data.count
        }
    )

    /// `nil` where the stream is empty or does not begin with a creation.
    func beginning(of history: History) -> Beginning? {
        guard let first = history.first else { return nil }
        if let known = known.withLock({ $0.find(first.stream.id) }), known.event == first { return known }
        guard case .created(let terms, let account)? = try? PaymentEvent(first) else {
            return nil
        }
        let beginning = Beginning(account: account.id, instrument: terms.instrument, event: first)
        known.withLock { $0.keep(beginning, of: first.stream.id) }
        return beginning
    }
}
