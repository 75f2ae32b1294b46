import Kernel

/// Where a sighting belongs.
enum Attribution: Hashable {
    /// To an operation that is known.
    case to(OperationId)
    /// To ours, in place of a younger provider operation that looks for another place.
    case replacing(OperationId, Sighting)
    /// Nobody here asked for it.
    case adopted
}

extension Payment {
    /// Finds the operation that a sighting is about.
    ///
    /// 1. A beginning is the payment's own, whatever its kind: its form may be tried several times.
    /// 2. A reference that the provider echoes names the operation, also where the sighting was attributed before.
    /// 3. Otherwise an operation that was seen with this provider id before.
    /// 4. Otherwise, where the provider takes no reference: a commanded one of the kind and amount that may have left
    ///    before the provider made it. Of several provider operations the oldest gets it, in whatever order they came.
    func attribute(_ sighted: ProviderOperation) -> Attribution {
        if sighted.kind.isInitial, let initial { return .to(initial.id) }
        let known = operations.first { $0.sightings[sighted.providerId] != nil }
        if let reference = sighted.ourReference {
            if let named = commanded(sighted.kind, named: reference) { return .to(named.id) }
            guard let known else { return .adopted }
            let isElsewhere = known.origin == .commanded && known.kind == sighted.kind && known.reference != reference
            return isElsewhere ? .adopted : .to(known.id)
        }
        return known.map { .to($0.id) } ?? claim(sighted, except: [])
    }

    /// Step 4 of `attribute`, leaving operations out that were tried.
    func claim(_ sighted: ProviderOperation, except: Set<OperationId>) -> Attribution {
        for operation in operations where !except.contains(operation.id) && operation.mayBe(sighted) {
            guard let holder = operation.orderedSightings.first else { return .to(operation.id) }
            if holder.latest.ourReference == nil, sighted.isOlder(than: holder.latest) {
                return .replacing(operation.id, holder)
            }
        }
        return .adopted
    }

    private func commanded(_ kind: OperationKind, named reference: String) -> Operation? {
        operations.first { $0.reference == reference && $0.origin == .commanded && $0.kind == kind }
    }

    /// What an adopted operation is about, where the provider says so: the refund that a reversal names.
    func adoptedTarget(_ sighted: ProviderOperation) -> OperationId? {
        switch sighted.kind {
        case .refundReversal: sighted.ourReference.flatMap { commanded(.refund, named: $0)?.id }
        case .sale, .authorize, .verify, .tokenize, .capture, .void, .refund: nil
        }
    }

    /// Provider operations that nobody asked for and that may be the trace of `operation`: a proof of absence fails.
    func isUnexplained(_ operation: Operation) -> Bool {
        guard let first = operation.dispatches.first?.license.licensedAt else { return false }
        return operations.contains { other in
            guard other.origin == .provider, other.kind == operation.kind else { return false }
            return other.sightings.values.contains { sighting in
                guard sighting.latest.ourReference == nil else { return false }
                return sighting.latest.createdAt.map { $0.adding(Payment.clockSkew) >= first } ?? true
            }
        }
    }
}

extension Operation {
    /// Whether a sighting without a reference can be what came of our message.
    fileprivate func mayBe(_ sighted: ProviderOperation) -> Bool {
        guard origin == .commanded, kind == sighted.kind, mayHaveLeft else { return false }
        guard sighted.amount == nil || sighted.amount == requested else { return false }
        guard let created = sighted.createdAt, let first = dispatches.first?.license.licensedAt else { return true }
        return created.adding(Payment.clockSkew) >= first
    }
}

extension ProviderOperation {
    /// The order in which a provider's operations claim ours: by creation, then by id.
    fileprivate func isOlder(than other: ProviderOperation) -> Bool {
        (createdAt ?? .distantFuture, providerId) < (other.createdAt ?? .distantFuture, other.providerId)
    }
}
