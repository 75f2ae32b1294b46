// MARK: - Saved cards

extension PublicEventType {
    private static func instrument(_ word: String, _ summary: String) -> PublicEventType {
        PublicEventType("instrument.\(word)", [.instrument], summary)
    }

    static let instrumentSaved = instrument("saved", "A means of payment was saved, or saved anew.")
    static let instrumentExpired = instrument("expired", "Its last month is over.")
    static let instrumentInvalid = instrument("invalid", "The provider takes it no longer.")
    static let instrumentRemoved = instrument("removed", "It was removed: nothing is charged by it any more.")
    static let instrumentUpdated = instrument("updated", "What it shows changed, apart from how often it was used.")

    static let instruments = [
        instrumentSaved, instrumentExpired, instrumentInvalid, instrumentRemoved, instrumentUpdated,
    ]
}

// MARK: - Schedules and their occurrences

extension PublicEventType {
    private static func schedule(_ word: String, _ summary: String) -> PublicEventType {
        PublicEventType("schedule.\(word)", [.schedule], summary)
    }

    private static func occurrence(_ word: String, _ summary: String) -> PublicEventType {
        PublicEventType("occurrence.\(word)", [.schedule], summary)
    }

    static let scheduleCreated = schedule("created", "A schedule exists.")
    static let scheduleActivated = schedule(
        "activated",
        "Its customer has agreed: occurrences are charged from now on."
    )
    static let schedulePaused = schedule("paused", "Nothing is charged until it is resumed.")
    static let scheduleResumed = schedule("resumed", "It goes on.")
    static let scheduleChanged = schedule("changed", "Its terms were changed.")
    static let scheduleCompleted = schedule("completed", "Every occurrence that there was to be is over.")
    static let scheduleCancelled = schedule("cancelled", "It was ended by a command or by its dunning policy.")
    static let scheduleExpired = schedule("expired", "It was not activated in time, or its mandate is over.")
    static let scheduleInstrumentExpiring = schedule(
        "instrumentExpiring",
        "The last month of its card ends before an occurrence is due."
    )

    static let occurrenceDue = occurrence("due", "Its first try was begun.")
    static let occurrenceActionRequired = occurrence("actionRequired", "The customer must take part in a try.")
    static let occurrencePaid = occurrence("paid", "It was paid.")
    static let occurrencePaidTwice = occurrence("paidTwice", "It was paid a second time: give money back.")
    static let occurrenceFailed = occurrence("failed", "A try failed; another may follow.")
    static let occurrenceGivenUp = occurrence("givenUp", "No try follows any more: its money is not collected.")
    static let occurrenceSkipped = occurrence("skipped", "It is not charged, or these are not, first to last.")

    static let scheduleUpdated = schedule("updated", "What it shows changed in a way that no other type tells.")

    static let schedules = [
        scheduleCreated, scheduleActivated, schedulePaused, scheduleResumed, scheduleChanged, scheduleCompleted,
        scheduleCancelled, scheduleExpired, scheduleInstrumentExpiring, occurrenceDue, occurrenceActionRequired,
        occurrencePaid, occurrencePaidTwice, occurrenceFailed, occurrenceGivenUp, occurrenceSkipped, scheduleUpdated,
    ]
}

// MARK: - Bills in bulk

extension PublicEventType {
    private static func batch(_ word: String, _ summary: String) -> PublicEventType {
        PublicEventType("batch.\(word)", [.billBatch], summary)
    }

    private static func bill(_ word: String, _ summary: String) -> PublicEventType {
        PublicEventType("bill.\(word)", [.bill], summary)
    }

    static let batchCreated = batch("created", "A batch of bills exists.")
    static let batchSubmitted = batch("submitted", "Its bills are complete; they are priced or paid now.")
    static let batchActionRequired = batch(
        "actionRequired",
        "The payer has something to do before more bills are paid."
    )
    static let batchPaused = batch("paused", "No bill is asked for until somebody says so; `trouble` says why.")
    static let batchResumed = batch("resumed", "It goes on.")
    static let batchCompleted = batch("completed", "Every bill was paid.")
    static let batchPartiallyCompleted = batch("partiallyCompleted", "Some bills were paid, the others were not.")
    static let batchFailed = batch("failed", "No bill was paid.")
    static let batchClaimed = batch("claimed", "It is over, and of some bills only an app says that they were paid.")
    static let batchUnresolved = batch(
        "unresolved",
        "It is over, and of some bills nobody knows whether they were paid."
    )
    static let batchUpdated = batch("updated", "What it shows changed in a way that no other type tells.")

    static let billPending = bill("pending", "A bill is going to be asked for.")
    static let billActionRequired = bill("actionRequired", "Its payer has something to do.")
    static let billPaid = bill("paid", "It was paid.")
    static let billHeld = bill("held", "Its money is held.")
    static let billRefunded = bill("refunded", "Its money was given back.")
    static let billCancelled = bill("cancelled", "It was cancelled.")
    static let billClaimed = bill("claimed", "Only an app says that it was paid: that stands for no money.")
    static let billFailed = bill("failed", "It was not paid.")
    static let billRefused = bill("refused", "It was never asked for: it is paid, open or listed twice.")
    static let billUnknown = bill(
        "unknown",
        "Nobody knows whether it was paid: the provider's answer or two persons decide."
    )
    static let billUpdated = bill("updated", "What it shows changed in a way that no other type tells.")

    static let bills = [
        batchCreated, batchSubmitted, batchActionRequired, batchPaused, batchResumed, batchCompleted,
        batchPartiallyCompleted, batchFailed, batchClaimed, batchUnresolved, batchUpdated, billPending,
        billActionRequired, billPaid, billHeld, billRefunded, billCancelled, billClaimed, billFailed, billRefused,
        billUnknown, billUpdated,
    ]
}
