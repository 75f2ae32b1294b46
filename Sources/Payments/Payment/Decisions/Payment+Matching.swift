import Kernel

/// Where a provider operation belongs.
enum Place: Hashable {
    case operation(OperationId)
    /// Nobody here asked for it.
    case adopted
}

extension Payment {
    /// The place of every provider operation, with one more sighting taken in: a function of what was seen, not of the
    /// order in which it came.
    ///
    /// 1. A beginning is the payment's own, whatever its kind: its form may be tried several times.
    /// 2. A reference that the provider echoes names the operation.
    /// 3. Where it echoes none: each commanded operation that may have left takes the oldest one of its kind and amount
    ///    that the provider made since.
    /// 4. What is left, nobody here asked for.
    func places(with sighted: ProviderOperation) -> [String: Place] {
        var places: [String: Place] = [:]
        var unnamed: [Unnamed] = []
        var named: Set<OperationId> = []
        for seen in sightings(with: sighted) {
            let latest = seen.sighting.latest
            if latest.kind.isInitial, let initial {
                places[latest.providerId] = .operation(initial.id)
            } else if let reference = latest.ourReference {
                let operation = commanded(latest.kind, named: reference)
                places[latest.providerId] = operation.map { .operation($0.id) } ?? .adopted
                if let operation { named.insert(operation.id) }
            } else {
                unnamed.append(Unnamed(seen: latest, firstSeenAt: seen.firstSeenAt))
                places[latest.providerId] = .adopted
            }
        }
        unnamed.sort { $0.age < $1.age }
        for operation in operations where operation.mayHaveSightings && !named.contains(operation.id) {
            guard let index = unnamed.firstIndex(where: { operation.mayBe($0) }) else { continue }
            places[unnamed.remove(at: index).seen.providerId] = .operation(operation.id)
        }
        return places
    }

    /// Where a provider operation is now.
    func place(of providerId: String) -> Place? {
        guard let holder = operations.first(where: { $0.sightings[providerId] != nil }) else { return nil }
        switch holder.origin {
        case .commanded: return .operation(holder.id)
        case .provider: return .adopted
        }
    }

    func sighting(of providerId: String) -> Sighting? {
        operations.lazy.compactMap { $0.sightings[providerId] }.first
    }

    /// What an adopted operation is about, where the provider says so: the refund that a reversal names.
    func adoptedTarget(_ sighted: ProviderOperation) -> OperationId? {
        switch sighted.kind {
        case .refundReversal: sighted.ourReference.flatMap { commanded(.refund, named: $0)?.id }
        case .sale, .authorize, .verify, .tokenize, .capture, .void, .refund: nil
        }
    }

    /// Whether provider operations that nobody asked for may be the trace of `operation`: a proof of absence fails.
    func isUnexplained(_ operation: Operation) -> Bool {
        operations.contains { other in
            guard other.origin == .provider, other.kind == operation.kind else { return false }
            return other.sightings.values.contains { sighting in
                let seen = Unnamed(seen: sighting.latest, firstSeenAt: other.requestedAt)
                return sighting.latest.ourReference == nil && operation.mayPrecede(seen)
            }
        }
    }

    private func commanded(_ kind: OperationKind, named reference: String) -> Operation? {
        operations.first { $0.reference == reference && $0.origin == .commanded && $0.kind == kind }
    }

    /// All sightings, one more taken in; those of adopted operations with the time at which they were seen first.
    private func sightings(
        with sighted: ProviderOperation
    ) -> [(sighting: Sighting, firstSeenAt: Timestamp?)] {
        var all: [(sighting: Sighting, firstSeenAt: Timestamp?)] = []
        var isKnown = false
        for operation in operations {
            for var sighting in operation.orderedSightings {
                if sighting.providerId == sighted.providerId {
                    sighting.merge(sighted)
                    isKnown = true
                }
                all.append((sighting, operation.origin == .provider ? operation.requestedAt : nil))
            }
        }
        if !isKnown { all.append((Sighting(sighted), nil)) }
        return all
    }
}

/// A provider operation that carries no name of ours.
private struct Unnamed {
    let seen: ProviderOperation
    /// It existed then, whatever the provider says of its creation.
    let firstSeenAt: Timestamp?

    /// The order in which provider operations claim ours: by creation, then by id.
    var age: (Timestamp, String) { (seen.createdAt ?? .distantFuture, seen.providerId) }
}

extension Operation {
    /// Whether the provider may show something that came of a message of ours.
    fileprivate var mayHaveSightings: Bool { origin == .commanded && !kind.isInitial && mayHaveLeft }

    fileprivate func mayBe(_ other: Unnamed) -> Bool {
        guard kind == other.seen.kind, other.seen.amount == nil || other.seen.amount == requested else { return false }
        return mayPrecede(other)
    }

    /// Whether our message may have left before the provider made the other operation.
    fileprivate func mayPrecede(_ other: Unnamed) -> Bool {
        guard let licensedAt = dispatches.first?.license.licensedAt else { return false }
        if let firstSeenAt = other.firstSeenAt, firstSeenAt < licensedAt { return false }
        return other.seen.createdAt.map { $0.adding(Payment.clockSkew) >= licensedAt } ?? true
    }
}
