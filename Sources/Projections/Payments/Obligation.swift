import EventSourcing
package import Kernel
package import Payments

/// What must still happen for an unresolved thing: who owes it, what comes next, and until when.
package struct Obligation: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Two claims can't both be true; new licences wait.
        case contradiction
        /// Money came for a payment that was given up.
        case lateSuccess
        /// More was given back than was taken.
        case overReturned
        /// An answer was lost or says nothing.
        case indeterminate
        /// A cancelled payment may still be paid while its link lives.
        case cancelRequested
        /// An expired payment waits for the proof that nobody paid.
        case expiryUnproved
        /// A part of the hold was neither captured nor given back.
        case heldRemainder
        /// The payer's bank has asked for money back.
        case disputeOpen
    }

    /// Who has to do the next step.
    package enum Owner: String, Hashable, Sendable, CaseIterable {
        case paystream, merchant
        case operatorPerson = "operator"
    }

    package enum NextStep: String, Hashable, Sendable, CaseIterable {
        /// The provider is asked again.
        case query
        /// Two persons settle it.
        case resolve
        /// Fulfil the order, or give the money back.
        case fulfilOrRefund
        case captureOrVoid
        case answerDispute
    }

    package let kind: Kind
    package let owner: Owner
    package let nextStep: NextStep
    package let operation: OperationId?
    package let dispute: DisputeId?
    package let deadline: Timestamp?

    init(
        _ kind: Kind,
        _ owner: Owner,
        _ nextStep: NextStep,
        operation: OperationId? = nil,
        dispute: DisputeId? = nil,
        deadline: Timestamp? = nil
    ) {
        self.kind = kind
        self.owner = owner
        self.nextStep = nextStep
        self.operation = operation
        self.dispute = dispute
        self.deadline = deadline
    }

    package var json: Json {
        .compact([
            ("kind", .string(kind.rawValue)), ("owner", .string(owner.rawValue)),
            ("nextStep", .string(nextStep.rawValue)), ("operation", operation?.json), ("dispute", dispute?.json),
            ("deadline", deadline?.json),
        ])
    }
}

extension Payment {
    /// After so many questions without an answer a person looks at an indeterminate operation.
    package static let questionsBeforePerson = 6

    /// What must still happen, in the order of the kinds; empty for a payment that is settled.
    package var obligations: [Obligation] {
        openFlags + openOperations + openAttempt + openMoney
    }

    package var needsOperator: Bool { obligations.contains { $0.owner == .operatorPerson } }

    private var openFlags: [Obligation] {
        guard !acknowledged else { return [] }
        var open: [Obligation] = []
        if !contradictions.isEmpty { open.append(Obligation(.contradiction, .operatorPerson, .resolve)) }
        for operation in operations where lateSuccesses.contains(operation.id) {
            open.append(Obligation(.lateSuccess, .operatorPerson, .fulfilOrRefund, operation: operation.id))
        }
        if overReturned > 0 { open.append(Obligation(.overReturned, .operatorPerson, .resolve)) }
        return open
    }

    private var openOperations: [Obligation] {
        let isAsked = polls < Self.questionsBeforePerson
        return operations.filter { $0.state == .indeterminate }.map {
            Obligation(
                .indeterminate,
                isAsked ? .paystream : .operatorPerson,
                isAsked ? .query : .resolve,
                operation: $0.id
            )
        }
    }

    private var openAttempt: [Obligation] {
        guard status.isOpen, let attempt, attempt.isOpen else { return [] }
        if cancelRequestedBy != nil {
            return [Obligation(.cancelRequested, .paystream, .query, deadline: attempt.deadline)]
        }
        return expiryReached ? [Obligation(.expiryUnproved, .paystream, .query)] : []
    }

    private var openMoney: [Obligation] {
        var open: [Obligation] = []
        if status == .partiallyCaptured { open.append(Obligation(.heldRemainder, .merchant, .captureOrVoid)) }
        let disputed = disputes.values.filter { $0.stage == .opened }.sorted { $0.id.uuid < $1.id.uuid }
        return open + disputed.map { Obligation(.disputeOpen, .merchant, .answerDispute, dispute: $0.id) }
    }
}
