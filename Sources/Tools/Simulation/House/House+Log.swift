import EventSourcing
import Kernel
import Payments
import TestKit

/// The log, read past the node.
extension House {
    var log: [RecordedEvent] { store.recorded(from: 0) }

    func events(of stream: StreamName) -> [RecordedEvent] { log.filter { $0.stream == stream } }

    /// Traces what was written since it was asked last.
    func traceNews() {
        guard isTracing else { return }
        let events = log
        for event in events.dropFirst(state.withLock(\.traced)) {
            trace("  \(event.stream) \(event.version) \(event.type) " + String(decoding: event.data, as: UTF8.self))
        }
        state.withLock { $0.traced = events.count }
    }

    /// Every payment and transfer of the log, by their ids.
    func payments() throws -> [Uuid: Payment] {
        var payments: [Uuid: Payment] = [:]
        for event in log where event.stream.kind.isPayment {
            payments[event.stream.id, default: Payment(id: PaymentId(event.stream.id))]
                .evolve(try PaymentEvent(event))
        }
        return payments
    }

    /// Whether a person has to look at a payment.
    func isOperators(_ payment: Payment) -> Bool {
        payment.obligations(capabilities, at: time.now).contains { $0.owner == .operator }
    }

    /// Whatever is open is owned by a person when the world has come to rest.
    func judgeOpen(_ payments: [Uuid: Payment]) {
        for payment in payments.values.sorted(by: { $0.id.uuid < $1.id.uuid }) {
            let isOpen =
                payment.status.isOpen || payment.operations.contains { !$0.isClosed && !$0.kind.isInitial }
            if isOpen, !isOperators(payment) {
                violate("\(payment.id) is open, and no person knows: \(payment.status.rawValue)")
            }
        }
    }
}
