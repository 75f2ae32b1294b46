import Crypto
package import EventSourcing
package import Kernel

/// The identity of a chunk, fixed when it is made.
package struct ChunkHead: Hashable, Sendable, JsonWritable {
    package let batch: BillBatchId
    package let account: Uuid
    package let mode: BillMode
    package let currency: Currency
    package let instrument: InstrumentId?
    package let credentials: InstrumentId
    package let customer: String?
    package let isByWallet: Bool
    package let lines: [BillLine]
    package let notBefore: Timestamp
    /// The newest recovery epoch when it was made.
    package let epoch: Int32?

    package init(
        batch: BillBatchId,
        account: Uuid,
        mode: BillMode,
        currency: Currency,
        instrument: InstrumentId?,
        credentials: InstrumentId,
        customer: String?,
        isByWallet: Bool,
        lines: [BillLine],
        notBefore: Timestamp,
        epoch: Int32? = nil
    ) {
        self.batch = batch
        self.account = account
        self.mode = mode
        self.currency = currency
        self.instrument = instrument
        self.credentials = credentials
        self.customer = customer
        self.isByWallet = isByWallet
        self.lines = lines
        self.notBefore = notBefore
        self.epoch = epoch
    }

    package func write(into out: inout JsonText) {
        out.member("account", account)
        out.member("batch", batch)
        out.member("byWallet", isByWallet)
        out.member("credentials", credentials)
        out.member("currency", currency.code)
        out.member("customer", customer)
        out.member("epoch", epoch)
        out.member("instrument", instrument)
        out.member("lines", lines)
        out.member("mode", mode)
        out.member("notBefore", notBefore)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        guard let currency = Currency(try fields.text("currency")) else { throw CodecFailure("currency") }
        self.init(
            batch: try fields.id("batch"),
            account: try fields.uuid("account"),
            mode: try fields.word("mode"),
            currency: currency,
            instrument: try fields.optionalId("instrument"),
            credentials: try fields.id("credentials"),
            customer: try fields.optionalText("customer"),
            isByWallet: try fields.flag("byWallet"),
            lines: try BillLine.list(try fields.value("lines").items ?? []),
            notBefore: try fields.time("notBefore"),
            epoch: try fields.optional("epoch") { $0.integer.flatMap { Int32(exactly: $0) } }
        )
    }
}

/// A provider's answer, or an app's report, about the bills of one message.
package struct BillReading: Hashable, Sendable {
    package enum Whole: Hashable, Sendable {
        /// One report a bill, to be held against what was asked for.
        case reports
        /// Proof that nothing of the message was done, and why.
        case notExecuted(BillTrouble, code: String?)
        /// A refusal of the whole, from which nothing follows about any bill.
        case refused(BillTrouble, code: String?)
        /// No answer, or none that can be read.
        case unanswered(reason: String)
    }

    /// A step that the payer must take before the rest is gone through.
    package struct Action: Hashable, Sendable {
        package let bill: String
        /// Values that the payer's device needs, sealed where the answer was.
        package let handover: Json

        package init(bill: String, handover: Json) {
            self.bill = bill
            self.handover = handover
        }
    }

    package let whole: Whole
    /// A standing for each bill that the reports are about and that was asked for.
    package let standings: [BillStanding]
    /// Bills that the provider did not come to: it stopped at the action.
    package let unreached: Set<String>
    package let action: Action?
    /// Ids that nobody asked for.
    package let foreign: [String]

    package init(
        _ whole: Whole,
        standings: [BillStanding] = [],
        unreached: Set<String> = [],
        action: Action? = nil,
        foreign: [String] = []
    ) {
        self.whole = whole
        self.standings = standings
        self.unreached = unreached
        self.action = action
        self.foreign = foreign
    }
}

/// A fact about the bills of one message.
package enum ChunkEvent: StoredEvent, Hashable {
    case begun(ChunkHead)
    /// A bill's own stream lets it be paid here, or tells why not.
    case billAnswered(String, refusal: String?)
    /// With the version of the credentials that the message carries.
    case licensed(DispatchLicense, credentials: Int32?)
    case observed(EffectId, ordinal: Int32, DispatchOutcome)
    case reported([BillStanding], foreign: [String])
    /// The payer must act; the bills behind wait.
    case actionRequired(BillReading.Action, unreached: [String])
    /// Bills that are proved to be untouched go back to the batch.
    case released([String], reason: String)
    case settled(BillTrouble?, at: Timestamp)

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case begun = "chunk.begun.v1"
        case billAnswered = "chunk.bill_answered.v1"
        case licensed = "chunk.licensed.v1"
        case observed = "chunk.observed.v1"
        case reported = "chunk.reported.v1"
        case actionRequired = "chunk.action_required.v1"
        case released = "chunk.released.v1"
        case settled = "chunk.settled.v1"
    }

    package var name: Name {
        switch self {
        case .begun: .begun
        case .billAnswered: .billAnswered
        case .licensed: .licensed
        case .observed: .observed
        case .reported: .reported
        case .actionRequired: .actionRequired
        case .released: .released
        case .settled: .settled
        }
    }
}

/// The bills that one message carries, from their admission to their outcomes.
///
/// At most one message is under way, and another one follows only where the earlier one is proved not to have been sent.
///
/// Its phases, each with the event that leads to the next one:
/// 1. `begun`: each bill's own stream answers by `billAnswered`. With the last answer it is `settled` where no bill may be
///    paid here, else the message is licensed.
/// 2. `licensed`: `observed` ends the wait. A message that never left is `licensed` again after a pause; one that did nothing
///    gives the bills back by `released`; any other answer gives each bill its standing by `reported`.
/// 3. `actionRequired`: the payer or an app has to act; `reported` takes the bill out of it.
/// 4. `settled`, once every admitted bill has a standing or went back. Late words still change standings by `reported`, and
///    nothing is licensed any more.
package struct Chunk: Aggregate, Hashable {
    package let id: Uuid
    package private(set) var version: Int32 = 0
    package private(set) var head: ChunkHead?
    /// Answers of the bills' own streams; a bill that may not be paid here has its reason.
    package private(set) var answers: [String: String?] = [:]
    package private(set) var dispatches: [Dispatch] = []
    package private(set) var credentialsVersion: Int32?
    package private(set) var standings: [String: BillStanding] = [:]
    package private(set) var action: BillReading.Action?
    package private(set) var unreached: [String] = []
    package private(set) var foreign: [String] = []
    package private(set) var isSettled = false
    package private(set) var trouble: BillTrouble?

    package init(id: Uuid) { self.id = id }

    /// Bills that may be paid here, in their order.
    package var admitted: [BillLine] {
        head?.lines.filter { line in answers[line.id].map { $0 == nil } ?? false } ?? []
    }

    package var isAnswered: Bool { head.map { $0.lines.allSatisfy { answers[$0.id] != nil } } ?? false }

    /// Where every bill stands, in their order; bills without a word are left out.
    package var ordered: [BillStanding] { head?.lines.compactMap { standings[$0.id] } ?? [] }

    package var tally: BillTally? { head.map { BillTally(ordered, $0.currency) } }

    package var effect: EffectId { EffectId(.version5(namespace: id, name: "dispatch")) }

    /// Our name of the message.
    package var reference: String { id.compact }

    /// The report that the batch gets.
    package var report: ChunkReport? {
        guard let head, let tally else { return nil }
        let remaining = isSettled ? Set(unreached) : []
        return ChunkReport(
            chunk: id,
            tally: tally,
            isSettled: isSettled,
            waitsFor: action?.bill,
            remaining: head.lines.filter { remaining.contains($0.id) && standings[$0.id] == nil },
            trouble: trouble
        )
    }

    /// Applies one event; never fails and never decides.
    package mutating func evolve(_ event: ChunkEvent) {
        version += 1
        switch event {
        case .begun(let head): self.head = head
        case .billAnswered(let bill, let refusal):
            answers[bill] = .some(refusal)
            if let refusal {
                var standing = BillStanding(id: bill, outcome: .refused, source: .ourselves)
                standing.errorCode = refusal
                standings[bill] = standing
            }
        case .licensed(let license, let credentials):
            assert(!isSettled && !dispatches.contains(where: \.isInFlight), "one message carries the bills at a time")
            dispatches.append(Dispatch(license: license))
            credentialsVersion = credentials
        case .observed(let effect, let ordinal, let outcome):
            for index in dispatches.indices
            where dispatches[index].license.effect == effect && dispatches[index].license.ordinal == ordinal {
                dispatches[index].outcome = outcome
            }
        case .reported(let standings, let foreign):
            for standing in standings { self.standings[standing.id] = standing }
            self.foreign += foreign
            if let action, self.standings[action.bill]?.outcome != .requiresAction { self.action = nil }
        case .actionRequired(let action, let unreached):
            self.action = action
            self.unreached = unreached
        case .released(let bills, _): unreached = bills
        case .settled(let trouble, _):
            isSettled = true
            self.trouble = trouble
        }
    }
}

extension ChunkEvent {
    package func write(into out: inout JsonText) {
        switch self {
        case .begun(let head): head.write(into: &out)
        case .billAnswered(let bill, let refusal):
            out.member("bill", bill)
            out.member("refusal", refusal)
        case .licensed(let license, let credentials):
            out.member("credentials", credentials)
            out.member("license", license)
        case .observed(let effect, let ordinal, let outcome):
            out.member("effect", effect)
            out.member("ordinal", ordinal)
            out.member("outcome", outcome)
        case .reported(let standings, let foreign):
            out.member("bills", standings)
            out.member("foreign", foreign.isEmpty ? nil : foreign)
        case .actionRequired(let action, let unreached):
            out.member("bill", action.bill)
            out.member("handover", action.handover)
            out.member("unreached", unreached)
        case .released(let bills, let reason):
            out.member("bills", bills)
            out.member("reason", reason)
        case .settled(let trouble, let at):
            out.member("at", at)
            out.member("trouble", trouble)
        }
    }

    /// Reads the payload of a stored event.
    package init(_ name: Name, _ fields: Fields) throws(CodecFailure) {
        switch name {
        case .begun: self = .begun(try ChunkHead(fields))
        case .billAnswered:
            self = .billAnswered(try fields.text("bill"), refusal: try fields.optionalText("refusal"))
        case .licensed:
            self = .licensed(
                try DispatchLicense(fields.fields("license")),
                credentials: try fields.optional("credentials") { $0.integer.flatMap { Int32(exactly: $0) } }
            )
        case .observed:
            self = .observed(
                try fields.id("effect"),
                ordinal: try fields.int32("ordinal"),
                try DispatchOutcome(fields.fields("outcome"))
            )
        case .reported:
            var standings: [BillStanding] = []
            for item in try fields.value("bills").items ?? [] { standings.append(try BillStanding(Fields(item))) }
            let foreign = try fields.optional("foreign", \.items)?.compactMap(\.text) ?? []
            self = .reported(standings, foreign: foreign)
        case .actionRequired:
            self = .actionRequired(
                BillReading.Action(bill: try fields.text("bill"), handover: try fields.value("handover")),
                unreached: try fields.value("unreached").items?.compactMap(\.text) ?? []
            )
        case .released:
            self = .released(
                try fields.value("bills").items?.compactMap(\.text) ?? [],
                reason: try fields.text("reason")
            )
        case .settled:
            self = .settled(
                try fields.has("trouble") ? fields.word("trouble") : nil,
                at: try fields.time("at")
            )
        }
    }
}
