#if CRASH_POINTS
    /// A place on the way of money where a drill ends the process: around each call that commits, and behind each that reads.
    ///
    /// The names are what `PAYSTREAM_CRASH` takes. Debug programs alone have them (`CRASH_POINTS`).
    package enum CrashPoint: String, Hashable, Sendable, CaseIterable {
        case commitBefore = "commit.before"
        case commitAfter = "commit.after"
        case admitBefore = "admit.before"
        case admitAfter = "admit.after"
        case mailClaimed = "mail.claimed"
        case mailRead = "mail.read"
        /// Mailboxes are given back by a daemon that was told to end.
        case mailReleased = "mail.released"
        /// An input that can't be decided is laid aside.
        case mailQuarantined = "mail.shelved"
        case timersFiring = "timers.firing"
        case timersFired = "timers.fired"
        case effectsClaimed = "effects.claimed"
        case effectsPaced = "effects.paced"
        /// Claims are given back to a process that can serve them better.
        case effectsGivenBack = "effects.givenBack"
        case sendingBefore = "sending.before"
        case sendingMarked = "sending.marked"
        /// The request is handed to the HTTP client.
        case requestBefore = "request.before"
        /// The connection stands and the first byte is about to leave.
        case requestFirstByte = "request.firstByte"
        /// The answer is here and nobody has stored it.
        case requestAnswered = "request.answered"
        case answerBefore = "answer.before"
        case answerStored = "answer.stored"
        case claimsReclaimed = "claims.reclaimed"
        case sendersLost = "senders.lost"
        /// A command from a backend's transaction is decided upon and its row not yet settled.
        case inboxBefore = "inbox.before"
        case inboxSettled = "inbox.settled"
        case streamsLoaded = "streams.loaded"
        /// A key that a backend uses again is found.
        case commandLooked = "command.looked"
        case referenceResolved = "reference.resolved"
        /// A payer's key is about to be kept, and is; sealed values can't be read without it.
        case keyBefore = "key.before"
        case keyInserted = "key.inserted"
        /// The sealed bytes of an input are kept beside it.
        case originalKept = "original.kept"
    }
#endif
