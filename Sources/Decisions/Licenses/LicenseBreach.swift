package import EventSourcing
package import Kernel

/// A send, or a licence to send, that the rules do not allow.
package struct LicenseBreach: Hashable, Sendable, JsonWritable {
    package enum Rule: String, Hashable, Sendable, CaseIterable {
        /// Bytes may have left, or an answer is booked, and nothing licensed it.
        case unlicensed
        /// An answer is booked and no mark says that bytes might leave.
        case unmarked
        /// One licence was used by more than one claim.
        case sentTwice = "sent_twice"
        /// The mark lies outside the licence's window.
        case outOfWindow = "out_of_window"
        /// Licences of one effect or operation are not numbered 1, 2, 3 …, or the message changed between them.
        case misnumbered
        /// Another licence, and its ground does not hold.
        case groundless
        /// The operation is closed, and a licence of it is open without a row that will end it.
        case openAfterClose = "open_after_close"
        /// The operation is closed, and its message may still be sent.
        case sendableAfterClose = "sendable_after_close"
        /// A licence is open and has no effect row: nobody will send it or learn that it was not sent.
        case rowMissing = "row_missing"
        /// An outcome was kept long ago and never decided: its input is in quarantine.
        case answerStuck = "answer_stuck"
        /// An effect row whose licence the log does not hold.
        case rowUnlicensed = "row_unlicensed"
        /// The stream can't be read, or the account by which something was licensed once more.
        case unreadable
    }

    package let rule: Rule
    package let stream: StreamName
    /// Place of the licence in the log; `nil` where there is none.
    package let position: Int64?
    package let effect: Uuid?
    package let ordinal: Int32?
    package let detail: String

    package init(
        _ rule: Rule,
        _ stream: StreamName,
        position: Int64? = nil,
        effect: Uuid? = nil,
        ordinal: Int32? = nil,
        _ detail: String
    ) {
        self.rule = rule
        self.stream = stream
        self.position = position
        self.effect = effect
        self.ordinal = ordinal
        self.detail = detail
    }

    package func write(into out: inout JsonText) {
        out.member("detail", detail)
        out.member("effect", effect)
        out.member("merchant", stream.merchant.value)
        out.member("ordinal", ordinal)
        out.member("position", position)
        out.member("rule", rule)
        out.member("stream", stream.id)
        out.member("streamKind", "\(stream.kind)")
    }
}

/// The findings of a check of licences.
package struct LicenseReport: Hashable, Sendable {
    package var streams = 0
    package var licenses = 0
    /// Marks: each a message that may have left.
    package var sends = 0
    package var rows = 0
    package var breaches: [LicenseBreach] = []
    /// Breaches that were found, those that are not listed included.
    package var found = 0

    /// Breaches that are listed one by one.
    package static let listed = 1000

    package init() {}

    package var isClean: Bool { found == 0 }

    package mutating func add(_ more: [LicenseBreach]) {
        found += more.count
        breaches += more.prefix(Self.listed - breaches.count)
    }
}
