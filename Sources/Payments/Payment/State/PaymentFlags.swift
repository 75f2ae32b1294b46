package import Kernel

/// Two claims that can't both be true, by what they are about.
package struct Contradiction: Hashable, Sendable, Comparable {
    /// Where it shows.
    package enum Basis: String, Hashable, Sendable, CaseIterable {
        /// One message contradicts what we know: it names another project, amount or payment.
        case message
        /// Pieces of evidence contradict each other or what was asked for; later evidence may reconcile them.
        case books
    }

    package let kind: ContradictionKind
    /// Names the thing in question, as in `operation 5028800010129001`.
    package let detail: String
    package let basis: Basis

    package init(kind: ContradictionKind, detail: String, basis: Basis) {
        self.kind = kind
        self.detail = detail
        self.basis = basis
    }

    package static func < (left: Contradiction, right: Contradiction) -> Bool {
        (left.kind.rawValue, left.detail, left.basis.rawValue) < (
            right.kind.rawValue, right.detail, right.basis.rawValue
        )
    }
}

/// Anomalies of a payment: those that were announced, and those that two persons have dealt with; each part only grows.
package struct PaymentFlags: Hashable, Sendable {
    package private(set) var announced: Set<Contradiction> = []
    package private(set) var announcedLate: Set<OperationId> = []
    /// The highest excess that was ever announced.
    package private(set) var announcedExcess: Int64 = 0
    package private(set) var concerns: Set<ReportedConcern> = []
    package private(set) var settledConcerns: Set<ReportedConcern> = []
    package private(set) var settledContradictions: Set<Contradiction> = []
    package private(set) var settledLate: Set<OperationId> = []
    package private(set) var settledExcess: Int64 = 0
    /// Debits that nothing here explains, by the provider's names.
    package private(set) var settledDebits: Set<String> = []

    /// So many contradictions one payment keeps as events; each further message is still kept raw.
    package static let contradictionsKept = 64

    package init() {}

    mutating func add(_ contradiction: Contradiction) { announced.insert(contradiction) }
    mutating func add(_ concern: ReportedConcern) {
        if concerns.count < Self.contradictionsKept { concerns.insert(concern) }
    }
    mutating func addLate(_ operation: OperationId) { announcedLate.insert(operation) }
    mutating func addExcess(_ excess: Int64) { announcedExcess = max(announcedExcess, excess) }

    /// Takes everything that is open as dealt with.
    mutating func settle(
        _ contradictions: some Sequence<Contradiction>,
        _ late: Set<OperationId>,
        _ excess: Int64,
        _ debits: Set<String>
    ) {
        settledDebits.formUnion(debits)
        settledContradictions.formUnion(contradictions)
        settledLate.formUnion(late)
        settledConcerns.formUnion(concerns)
        settledExcess = max(settledExcess, excess)
    }
}

extension Payment {
    /// Every contradiction that stands: what messages said, and what the books show now.
    package var standingContradictions: Set<Contradiction> {
        let release = unaskedRelease
        return flags.announced.filter { $0.basis == .message && ($0.kind != .unasked || $0 == release) }
            .union(findings())
    }

    package var openContradictions: [Contradiction] {
        standingContradictions.subtracting(flags.settledContradictions).sorted()
    }

    /// Money that the provider debited by itself, that nothing here explains and nobody has dealt with: this payment's own,
    /// or that of a series which it registered for no schedule, as long as the debit is no payment of its own.
    package var openDebits: Set<String> {
        let found: Set<String>
        switch (terms?.adopted, terms?.occurrence) {
        case (let debit?, nil): found = amounts.captured > 0 ? [debit.name] : []
        case (nil, let occurrence) where occurrence?.ordinal != 0:
            found = Set(seriesDebits.filter { $0.value == .succeeded }.keys).subtracting(adoptedDebits)
        case (_, _): found = []
        }
        return found.subtracting(flags.settledDebits)
    }

    /// Concerns that an app reported and nobody has dealt with.
    package var openConcerns: [ReportedConcern] { flags.concerns.subtracting(flags.settledConcerns).sorted() }

    package var contradictions: Set<ContradictionKind> { Set(standingContradictions.map(\.kind)) }

    /// New licences wait for an operator: two claims can't both be true.
    package var isFrozen: Bool { !openContradictions.isEmpty }

    /// Beginnings that succeeded although the payment had been given up.
    package var lateSuccesses: Set<OperationId> {
        let isGivenUp = attempt?.wasGivenUp == true || cancelRequestedBy != nil
        guard isGivenUp || !pastAttempts.isEmpty else { return [] }
        let late = operations.filter { operation in
            operation.kind.isInitial && operation.state == .succeeded && (isGivenUp || isPast(operation.attempt))
        }
        return Set(late.map(\.id))
    }

    package var openLateSuccesses: Set<OperationId> { lateSuccesses.subtracting(flags.settledLate) }

    /// The money that the customer got back beyond what was taken, open disputes included.
    package var overReturned: Int64 {
        let sums = amounts
        return max(0, sums.returnedToCustomer.addingClamped(sums.disputed).subtractingClamped(sums.collected))
    }
}
