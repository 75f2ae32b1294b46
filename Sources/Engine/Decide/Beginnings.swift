import EventSourcing
import Kernel
import Payments

/// How payments began: a first event is read once and not with every input of its stream.
final class Beginnings: Sendable {
    struct Beginning: Sendable {
        /// The account that the payment was created with.
        let account: Uuid
        let instrument: InstrumentId?
        fileprivate let cause: Uuid
    }

    /// Payments that are held at most.
    private static let capacity = 4096

    private let shelf = Locked<[Uuid: Beginning]>([:])

    /// `nil` where the stream is empty or does not begin with a creation.
    func beginning(of history: [RecordedEvent]) -> Beginning? {
        guard let first = history.first else { return nil }
        if let known = shelf.withLock({ $0[first.stream.id] }), known.cause == first.cause { return known }
        guard case .created(let terms, let account)? = try? PaymentEvent(type: first.type, data: first.data) else {
            return nil
        }
        let beginning = Beginning(account: account.id, instrument: terms.instrument, cause: first.cause)
        shelf.withLock { shelf in
            if shelf.count >= Self.capacity { shelf.removeAll() }
            shelf[first.stream.id] = beginning
        }
        return beginning
    }
}
