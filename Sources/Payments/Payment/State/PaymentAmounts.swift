package import Kernel

/// The sums of a payment in minor units of its currency, each a function of evidence and never below zero.
package struct PaymentAmounts: Hashable, Sendable {
    /// Held in total by successful authorizations.
    package var authorized: Int64 = 0
    /// Taken in total, refunds not subtracted.
    package var captured: Int64 = 0
    /// The part of `captured` that was taken from a hold.
    package var capturedFromHold: Int64 = 0
    /// Given back of the hold by voids.
    package var released: Int64 = 0
    /// Of the hold, gone by its lifetime.
    package var holdExpired: Int64 = 0
    /// Given back after capture, refund reversals subtracted.
    package var refunded: Int64 = 0
    /// Moved on to another card for good; never part of `captured`.
    package var transferred: Int64 = 0
    /// In open disputes.
    package var disputed: Int64 = 0
    /// Lost in disputes.
    package var chargedBack: Int64 = 0

    package init() {}

    /// The money that can still be captured or voided.
    package var held: Int64 { max(0, heldByEvidence.subtractingClamped(holdExpired)) }

    /// The money that is held as far as the provider has said.
    package var heldByEvidence: Int64 {
        max(0, authorized.subtractingClamped(capturedFromHold).subtractingClamped(released))
    }

    /// Whether no sum is below zero and what is held is a part of the hold, apart from what was captured and released.
    ///
    /// Evidence may say that more was captured and released than was ever held: nothing is held then.
    fileprivate var isConsistent: Bool {
        let sums = [
            authorized, captured, capturedFromHold, released, holdExpired, refunded, transferred, disputed, chargedBack,
        ]
        guard sums.allSatisfy({ $0 >= 0 }), capturedFromHold <= captured, holdExpired <= heldByEvidence else {
            return false
        }
        return held == 0 || capturedFromHold + released + holdExpired + held == authorized
    }

    /// The money that the payer paid in all, and that disputes can be about.
    package var collected: Int64 { captured.addingClamped(transferred) }

    /// The money that left the merchant again, by refund or lost dispute.
    package var returnedToCustomer: Int64 { refunded.addingClamped(chargedBack) }
}

extension Payment {
    /// Everything that moved, whichever attempt moved it.
    package var amounts: PaymentAmounts { sums(operations, Array(disputes.values)) }

    /// The sums of the current attempt: they give the payment's status, and how much of its hold can be captured or
    /// given back.
    package var standing: PaymentAmounts { pastAttempts.isEmpty ? amounts : sums(of: attemptNumber) }

    /// What an attempt has a part in, for its own account: everything, as long as nothing happened in another one.
    package func share(of number: Int) -> PaymentAmounts {
        guard operations.allSatisfy({ $0.attempt == number }) else { return sums(of: number) }
        return operations.isEmpty ? PaymentAmounts() : amounts
    }

    /// The sums of one attempt.
    func sums(of number: Int) -> PaymentAmounts {
        let operations = operations(of: number)
        guard !disputes.isEmpty else { return sums(operations, []) }
        let ids = Set(operations.map(\.id))
        return sums(operations, disputes.values.filter { ids.contains($0.capture) })
    }

    private func sums(_ operations: [Operation], _ disputes: [Dispute]) -> PaymentAmounts {
        var sums = PaymentAmounts()
        guard let currency else { return sums }
        var reversed: Int64 = 0
        for operation in operations {
            operation.eachBooked(in: currency) { kind, amount, _ in
                switch kind {
                case .authorize: sums.authorized = sums.authorized.addingClamped(amount)
                case .sale: sums.captured = sums.captured.addingClamped(amount)
                case .capture:
                    sums.captured = sums.captured.addingClamped(amount)
                    sums.capturedFromHold = sums.capturedFromHold.addingClamped(amount)
                case .transfer: sums.transferred = sums.transferred.addingClamped(amount)
                case .void: sums.released = sums.released.addingClamped(amount)
                case .refund: sums.refunded = sums.refunded.addingClamped(amount)
                case .refundReversal: reversed = reversed.addingClamped(amount)
                case .verify, .tokenize: break
                }
            }
        }
        sums.refunded = max(0, sums.refunded.subtractingClamped(reversed))
        sums.holdExpired = min(expiredHold, sums.heldByEvidence)
        for dispute in disputes where dispute.amount.currency == currency {
            switch dispute.stage {
            case .opened: sums.disputed = sums.disputed.addingClamped(max(0, dispute.amount.minor))
            case .lost: sums.chargedBack = sums.chargedBack.addingClamped(max(0, dispute.amount.minor))
            case .won: break
            }
        }
        assert(sums.isConsistent, "held money was authorized, and neither captured nor given back")
        return sums
    }

    /// The money that open operations of a kind may still move; `except` leaves one out of the count.
    package func pending(
        _ kind: OperationKind,
        of target: OperationId? = nil,
        attempt number: Int? = nil,
        except: OperationId? = nil
    ) -> Int64 {
        guard let currency else { return 0 }
        var sum: Int64 = 0
        for operation in operations where operation.kind == kind && !operation.isClosed && operation.id != except {
            guard target == nil || operation.target == target else { continue }
            guard number == nil || operation.attempt == number else { continue }
            sum = sum.addingClamped(operation.claimed(in: currency))
        }
        return sum
    }

    /// The money that can still be given back of one capture or sale: never more than is left of it, nor of the
    /// payment.
    ///
    /// A refund that names no capture counts against the payment. A reversal that names no refund makes room in each
    /// capture, within the payment's total.
    package func refundable(_ capture: Operation, except: OperationId? = nil) -> Int64 {
        guard let currency else { return 0 }
        let collected = capture.collected(in: currency)
        var gone: Int64 = 0
        var back: Int64 = 0
        for operation in operations {
            if operation.target == capture.id {
                gone = gone.addingClamped(operation.booked([.refund], in: currency))
            }
            let reversed = operation.booked([.refundReversal], in: currency)
            let undone = operation.target.flatMap { self.operation($0) }
            if undone?.target == nil || undone?.target == capture.id { back = back.addingClamped(reversed) }
        }
        gone = max(0, gone.subtractingClamped(back)).addingClamped(pending(.refund, of: capture.id, except: except))
        for dispute in disputes.values where dispute.capture == capture.id && dispute.stage != .won {
            gone = gone.addingClamped(max(0, dispute.amount.minor))
        }
        return max(0, min(collected.subtractingClamped(gone), refundableInTotal(except: except)))
    }

    /// The money that the payment as a whole can still give back.
    package func refundableInTotal(except: OperationId? = nil) -> Int64 {
        let sums = amounts
        let gone = sums.returnedToCustomer.addingClamped(sums.disputed).addingClamped(pending(.refund, except: except))
        return max(0, sums.captured.subtractingClamped(gone))
    }

    /// Captures and sales that took money, in the order of the stream.
    package var captures: [Operation] {
        guard let currency else { return [] }
        return operations.filter { $0.collected(in: currency) > 0 }
    }

    /// Operations that took the payer's money, transfers included: a dispute can be about each.
    package var charges: [Operation] {
        guard let currency else { return [] }
        return operations.filter { $0.booked([.sale, .capture, .transfer], in: currency) > 0 }
    }
}

extension Operation {
    /// The money that it took from the payer.
    package func collected(in currency: Currency) -> Int64 { booked([.sale, .capture], in: currency) }
}
