package import Kernel

/// Two claims that can't both be true, by what they are about.
package struct Contradiction: Hashable, Sendable, Comparable {
    package let kind: ContradictionKind
    /// Names the thing in question, as in `operation 5028800010129001`.
    package let detail: String

    package init(kind: ContradictionKind, detail: String) {
        self.kind = kind
        self.detail = detail
    }

    package static func < (left: Contradiction, right: Contradiction) -> Bool {
        (left.kind.rawValue, left.detail) < (right.kind.rawValue, right.detail)
    }
}

/// What was found odd about a payment, and which of it two persons have dealt with; each set only grows.
package struct PaymentFlags: Hashable, Sendable {
    package private(set) var contradictions: Set<Contradiction> = []
    package private(set) var lateSuccesses: Set<OperationId> = []
    /// The highest excess that was ever announced.
    package private(set) var announcedExcess: Int64 = 0
    private var settledContradictions: Set<Contradiction> = []
    private var settledLate: Set<OperationId> = []
    package private(set) var settledExcess: Int64 = 0

    /// So many contradictions one payment keeps as events; each further message is still kept raw.
    package static let contradictionsKept = 64

    package init() {}

    package var openContradictions: [Contradiction] { contradictions.subtracting(settledContradictions).sorted() }
    package var openLateSuccesses: Set<OperationId> { lateSuccesses.subtracting(settledLate) }

    mutating func add(_ contradiction: Contradiction) { contradictions.insert(contradiction) }
    mutating func addLate(_ operation: OperationId) { lateSuccesses.insert(operation) }
    mutating func addExcess(_ excess: Int64) { announcedExcess = max(announcedExcess, excess) }

    /// Takes everything that is open as dealt with.
    mutating func acknowledge() {
        settledContradictions = contradictions
        settledLate = lateSuccesses
        settledExcess = announcedExcess
    }
}

extension Payment {
    package var contradictions: Set<ContradictionKind> { Set(flags.contradictions.map(\.kind)) }
    package var lateSuccesses: Set<OperationId> { flags.lateSuccesses }

    /// New licences wait for an operator: two claims can't both be true.
    package var isFrozen: Bool { !flags.openContradictions.isEmpty }

    /// What the customer got back beyond what was captured, open disputes included.
    package var overReturned: Int64 {
        let sums = amounts
        return max(0, sums.returnedToCustomer.addingClamped(sums.disputed).subtractingClamped(sums.captured))
    }
}
