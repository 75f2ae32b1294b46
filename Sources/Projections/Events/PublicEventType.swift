/// One kind of thing that the event feed and webhooks tell.
///
/// Names are for ever: what a type means and the members of its data only ever grow.
package struct PublicEventType: Hashable, Sendable {
    /// What an event is about; its data is that resource as it was then.
    package enum Resource: String, Hashable, Sendable, CaseIterable {
        case payment, transfer, instrument, schedule, billBatch = "bill_batch", bill

        /// The schema of such a resource in the OpenAPI document.
        package var schema: String {
            switch self {
            case .payment: "Payment"
            case .transfer: "Transfer"
            case .instrument: "Instrument"
            case .schedule: "Schedule"
            case .billBatch: "BillBatch"
            case .bill: "Bill"
            }
        }
    }

    /// As in `payment.captured`.
    package let name: String
    /// When it is told, in one sentence.
    package let summary: String
    /// The resources that it may be about.
    package let resources: [Resource]

    init(_ name: String, _ resources: [Resource], _ summary: String) {
        self.name = name
        self.summary = summary
        self.resources = resources
    }

    /// The family of a type, as `payment` of `payment.captured`.
    package var family: Substring { name.prefix { $0 != "." } }

    /// Every type, in the order in which those of one decision are told.
    package static let all: [PublicEventType] =
        payments + transfers + operations + disputes + items + instruments + schedules + bills

    /// The type of a name.
    package static func named(_ name: String) -> PublicEventType? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}

// MARK: - Payments and transfers

extension PublicEventType {
    private static func payment(_ word: String, _ summary: String) -> PublicEventType {
        PublicEventType("payment.\(word)", [.payment], summary)
    }

    private static func transfer(_ word: String, _ summary: String) -> PublicEventType {
        PublicEventType("transfer.\(word)", [.transfer], summary)
    }

    static let paymentCreated = payment("created", "Somebody asked for it, or the provider made it by itself.")
    static let paymentActionRequired = payment("actionRequired", "The payer has something to do, or something else.")
    static let paymentProcessing = payment("processing", "The provider works on it.")
    static let paymentAuthorised = payment("authorised", "Money is held for the merchant, or more of it.")
    static let paymentCaptured = payment("captured", "Money was taken from the payer, or more of it.")
    static let paymentCaptureFailed = payment("captureFailed", "A capture was refused or had no effect.")
    static let paymentReleased = payment("released", "A hold, or a part of one, was given back or is gone.")
    static let paymentReleaseFailed = payment("releaseFailed", "Giving a hold back was refused or had no effect.")
    static let paymentVerified = payment("verified", "The means of payment was checked.")
    static let paymentTokenised = payment("tokenised", "The means of payment was saved without paying.")
    static let paymentFailed = payment("failed", "It ended without money by a refusal, or its message had no effect.")
    static let paymentCancelled = payment("cancelled", "It was cancelled before it was paid.")
    static let paymentExpired = payment("expired", "The payer's time ended.")
    static let paymentUnknown = payment("unknown", "Nobody knows how it stands: evidence or two persons decide it.")
    static let paymentLateSuccess = payment(
        "lateSuccess",
        "It was paid after it had been told as failed, cancelled or expired: fulfil it or give the money back."
    )
    static let paymentUpdated = payment("updated", "What it shows changed in a way that no other type tells.")

    static let payments = [
        paymentCreated, paymentActionRequired, paymentProcessing, paymentAuthorised, paymentCaptured,
        paymentCaptureFailed, paymentReleased, paymentReleaseFailed, paymentVerified, paymentTokenised, paymentFailed,
        paymentCancelled, paymentExpired, paymentUnknown, paymentLateSuccess, paymentUpdated,
    ]

    static let transferCreated = transfer("created", "A transfer exists.")
    static let transferActionRequired = transfer("actionRequired", "The payer has something to do, or something else.")
    static let transferProcessing = transfer("processing", "The provider works on it.")
    static let transferSucceeded = transfer("succeeded", "The money went on to its recipient.")
    static let transferFailed = transfer("failed", "It ended without money by a refusal, or its message had no effect.")
    static let transferCancelled = transfer("cancelled", "It was cancelled before money moved.")
    static let transferExpired = transfer("expired", "The payer's time ended.")
    static let transferUnknown = transfer("unknown", "Nobody knows how it stands: evidence or two persons decide it.")
    static let transferLateSuccess = transfer(
        "lateSuccess",
        "The money went on after the transfer had been told as failed, cancelled or expired."
    )
    static let transferUpdated = transfer("updated", "What it shows changed in a way that no other type tells.")

    static let transfers = [
        transferCreated, transferActionRequired, transferProcessing, transferSucceeded, transferFailed,
        transferCancelled, transferExpired, transferUnknown, transferLateSuccess, transferUpdated,
    ]
}

// MARK: - What is part of a payment

extension PublicEventType {
    private static func part(_ name: String, _ summary: String) -> PublicEventType {
        PublicEventType(name, [.payment, .transfer], summary)
    }

    static let refundPending = part("refund.pending", "A refund was asked for, or is seen under way at the provider.")
    static let refundUnknown = part("refund.unknown", "Nobody knows whether a refund was made.")
    static let refundSucceeded = part("refund.succeeded", "Money was given back.")
    static let refundFailed = part("refund.failed", "A refund was refused or had no effect.")
    static let refundReversed = part("refund.reversed", "The provider took a refund back.")

    static let operations = [refundPending, refundUnknown, refundSucceeded, refundFailed, refundReversed]

    static let disputeOpened = part("dispute.opened", "The payer's bank took money back while the case is open.")
    static let disputeWon = part("dispute.won", "A dispute ended for the merchant.")
    static let disputeLost = part("dispute.lost", "A dispute ended against the merchant.")

    static let disputes = [disputeOpened, disputeWon, disputeLost]

    static let itemOpened = part("item.opened", "Something needs an operator.")
    static let itemClosed = part("item.closed", "It needs an operator no longer.")

    static let items = [itemOpened, itemClosed]
}
