import Crypto
package import EventSourcing
import Kernel
import Payments

/// Loads that touch no disk: JSON and folds, on one core.
package enum MemoryBench {
    private static let documents = 20_000

    /// Parses and writes canonically one 600-byte event after another.
    package static func json() throws -> Sample {
        var kept = 0
        let start = ContinuousClock.now
        for _ in 0..<documents { kept += try Json(SampleLog.event).canonical.count }
        let elapsed = start.duration(to: .now)
        precondition(kept > 0, "the work is not thrown away")
        return Sample(count: documents, elapsed: elapsed)
    }

    /// Hashes the same bytes: what a pass over them costs that does nothing else.
    package static func sha256() -> Sample {
        var kept = 0
        let start = ContinuousClock.now
        for _ in 0..<documents { kept += Digest.sha256(SampleLog.event).count }
        let elapsed = start.duration(to: .now)
        precondition(kept > 0, "the work is not thrown away")
        return Sample(count: documents, elapsed: elapsed)
    }

    /// Decodes a payment's stored events and folds them, again and again; counts events.
    package static func foldStored(_ history: [RecordedEvent], times: Int) throws -> Sample {
        guard let id = history.first?.stream.id else { return Sample(count: 0, elapsed: .zero) }
        var kept: Int32 = 0
        let start = ContinuousClock.now
        for _ in 0..<times {
            var payment = Payment(id: PaymentId(id))
            for event in history { payment.evolve(try PaymentEvent(event)) }
            kept &+= payment.version
        }
        let elapsed = start.duration(to: .now)
        precondition(kept > 0, "the work is not thrown away")
        return Sample(count: times * history.count, elapsed: elapsed)
    }

    /// Folds events that are in memory as values; counts events.
    package static func foldValues(_ history: [RecordedEvent], times: Int) throws -> Sample {
        guard let id = history.first?.stream.id else { return Sample(count: 0, elapsed: .zero) }
        var events: [PaymentEvent] = []
        for event in history { events.append(try PaymentEvent(event)) }
        var kept: Int32 = 0
        let start = ContinuousClock.now
        for _ in 0..<times {
            var payment = Payment(id: PaymentId(id))
            for event in events { payment.evolve(event) }
            kept &+= payment.version
        }
        let elapsed = start.duration(to: .now)
        precondition(kept > 0, "the work is not thrown away")
        return Sample(count: times * events.count, elapsed: elapsed)
    }

    /// Reads the same events into trees: what folding is measured against.
    package static func parseStored(_ history: [RecordedEvent], times: Int) throws -> Sample {
        var kept = 0
        let start = ContinuousClock.now
        for _ in 0..<times {
            for event in history { kept += try Json(event.data).members?.count ?? 0 }
        }
        let elapsed = start.duration(to: .now)
        precondition(kept > 0, "the work is not thrown away")
        return Sample(count: times * history.count, elapsed: elapsed)
    }
}
