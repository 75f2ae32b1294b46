package import EventSourcing
package import Kernel

/// One bill of a batch: its place, the provider's id of it, and the exact amount to pay.
package struct BillLine: Hashable, Sendable, JsonWritable {
    /// Counted from 1 through all pages of the batch.
    package let ordinal: Int
    package let id: String
    package let amount: Money

    package init(ordinal: Int, id: String, amount: Money) {
        self.ordinal = ordinal
        self.id = id
        self.amount = amount
    }

    package func write(into out: inout JsonText) {
        out.member("amount", amount)
        out.member("id", id)
        out.member("ordinal", ordinal)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(ordinal: try fields.int("ordinal"), id: try fields.text("id"), amount: try fields.money("amount"))
    }
}

/// A list's word about a bill: its outcome, or how far it is on its way to one.
package struct BillWord: RawRepresentable, Hashable, Sendable, CaseIterable {
    package let rawValue: String

    /// No chunk carries it.
    package static let waiting = BillWord(known: "waiting")
    /// A chunk carries it, and nobody has said anything about it.
    package static let pending = BillWord(known: "pending")
    package static let allCases = [waiting, pending] + BillOutcome.allCases.map { BillWord($0) }

    package init(_ outcome: BillOutcome) { rawValue = outcome.rawValue }

    package init?(rawValue: String) {
        guard let word = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = word
    }

    private init(known word: String) { rawValue = word }
}

/// The outcome of one bill.
package enum BillOutcome: String, Hashable, Sendable, CaseIterable {
    case paid, held, refunded, cancelled
    /// Paid, held or refunded, or unpaid behind a payer's step, by the word of the payer's app alone: it stands for no money
    /// and closes nothing until the provider or two persons confirm it.
    case claimed
    case requiresAction = "requires_action"
    case failed, unknown
    /// Never asked for: it is paid, open or listed twice.
    case refused

    /// Of several reports about one bill the strongest counts.
    package var rank: Int {
        switch self {
        case .paid: 7
        case .held: 6
        case .refunded: 5
        case .cancelled: 4
        case .claimed: 3
        case .requiresAction: 2
        case .failed: 1
        case .unknown, .refused: 0
        }
    }

    /// Whether the word alone says that the bill is unpaid, so that it may be asked for again.
    package var mayBeRepeated: Bool {
        switch self {
        case .failed, .cancelled: true
        case .paid, .held, .refunded, .claimed, .requiresAction, .unknown, .refused: false
        }
    }

    /// Whether it tells of money, and is a mere claim where an app says it.
    var isAboutMoney: Bool {
        switch self {
        case .paid, .held, .refunded: true
        case .cancelled, .claimed, .requiresAction, .failed, .unknown, .refused: false
        }
    }

    /// Whether nothing more is awaited.
    package var isKnown: Bool {
        switch self {
        case .paid, .refunded, .cancelled, .failed, .refused: true
        case .held, .claimed, .requiresAction, .unknown: false
        }
    }
}

/// Where one bill stands, and who says so.
package struct BillStanding: Hashable, Sendable, JsonWritable {
    package enum Source: String, Hashable, Sendable, CaseIterable {
        /// The provider's answer to our own request.
        case answer
        /// The payer's app.
        case claim
        case `operator`
        /// Nothing left the process.
        case ourselves
    }

    package let id: String
    package var outcome: BillOutcome
    package var source: Source
    /// The outcome by the app's word, where `outcome` is `claimed`.
    package private(set) var claimed: BillOutcome?
    package var paid: Money?
    package var commission: Money?
    /// Whether another amount was paid than was asked for.
    package var amountDiffers = false
    package var authCode: String?
    package var receiptUrl: String?
    package var payDate: String?
    package var errorCode: String?
    package var errorText: String?
    /// Who was paid, and under which contract, as the provider calls them.
    package var payeeName: String?
    package var contractNumber: String?

    package init(id: String, outcome: BillOutcome, source: Source) {
        self.id = id
        self.outcome = outcome
        self.source = source
    }

    package static func unsent(_ id: String, reason: String) -> BillStanding {
        var standing = BillStanding(id: id, outcome: .failed, source: .ourselves)
        standing.errorCode = reason
        return standing
    }

    /// The same as an app's word: what it says of money is a claim.
    package var asClaim: BillStanding { source == .claim && outcome.isAboutMoney ? claiming : self }

    /// The same as the word of an app that pays nothing by itself: that a bill is unpaid is a claim, too, for it was we who asked
    /// for the payment.
    var asClaimOfStep: BillStanding { source == .claim && outcome.mayBeRepeated ? claiming : asClaim }

    private var claiming: BillStanding {
        var claim = self
        claim.claimed = outcome
        claim.outcome = .claimed
        return claim
    }

    /// The same where a provider tells how much moved: money that nobody can count is a person's to settle, and none is booked.
    var asCounted: BillStanding {
        guard source == .answer, outcome == .paid || outcome == .refunded, paid == nil else { return self }
        var open = self
        open.outcome = .unknown
        open.amountDiffers = false
        open.errorCode = "amount_unreadable"
        return open
    }

    /// Of two claims the one of the stronger word is the stronger.
    private var strength: (Int, Int) { (outcome.rank, claimed?.rank ?? 0) }

    /// Whether the provider or two persons settled it.
    private var isProved: Bool { outcome.isKnown && (source == .answer || source == .operator) }

    /// The stronger of two: paid stays paid, a person's verdict stands until something stronger comes, and no claim stands
    /// against proof.
    package func merged(with later: BillStanding) -> BillStanding {
        if later.source == .operator { return outcome == .paid && source == .answer ? self : later }
        if isProved, later.source == .claim { return self }
        if source == .claim, later.isProved { return later }
        // Whatever follows the payer's step says more than that one was needed.
        if outcome == .requiresAction, later.outcome != .unknown { return later }
        return later.strength > strength ? later : self
    }

    package func write(into out: inout JsonText) {
        out.member("amountDiffers", amountDiffers ? true : nil)
        out.member("authCode", authCode)
        out.member("claimed", claimed)
        out.member("commission", commission)
        out.member("contractNumber", contractNumber)
        out.member("errorCode", errorCode)
        out.member("errorText", errorText)
        out.member("id", id)
        out.member("outcome", outcome)
        out.member("paid", paid)
        out.member("payDate", payDate)
        out.member("payeeName", payeeName)
        out.member("receiptUrl", receiptUrl)
        out.member("source", source)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(id: try fields.text("id"), outcome: try fields.word("outcome"), source: try fields.word("source"))
        amountDiffers = try fields.optional("amountDiffers", \.flag) ?? false
        authCode = try fields.optionalText("authCode")
        commission = try fields.optionalMoney("commission")
        errorCode = try fields.optionalText("errorCode")
        errorText = try fields.optionalText("errorText")
        claimed = fields.has("claimed") ? try fields.word("claimed") : nil
        paid = try fields.optionalMoney("paid")
        payDate = try fields.optionalText("payDate")
        receiptUrl = try fields.optionalText("receiptUrl")
        payeeName = try fields.optionalText("payeeName")
        contractNumber = try fields.optionalText("contractNumber")
        // Written before claims were told apart.
        self = asClaim
    }
}

/// How many bills ended how, and what that cost, in exact amounts.
package struct BillTally: Hashable, Sendable {
    package private(set) var counts: [BillOutcome: Int] = [:]
    package private(set) var charged: Money
    package private(set) var commission: Money
    /// The sum that apps say was paid; nobody has confirmed it, and no other sum holds it.
    package private(set) var claimed: Money
    /// Bills that were paid with another amount than asked for.
    package private(set) var differing = 0

    package init(_ currency: Currency) {
        charged = .zero(currency)
        commission = .zero(currency)
        claimed = .zero(currency)
    }

    package init(_ standings: some Sequence<BillStanding>, _ currency: Currency) {
        self.init(currency)
        for standing in standings {
            counts[standing.outcome, default: 0] += 1
            if standing.claimed == .paid, let paid = standing.paid, let sum = try? claimed.adding(paid) {
                claimed = sum
            }
            guard standing.outcome == .paid else { continue }
            if standing.amountDiffers { differing += 1 }
            // A sum that leaves what an amount can hold stays at its last exact value.
            if let paid = standing.paid, let sum = try? charged.adding(paid) { charged = sum }
            if let part = standing.commission, let sum = try? commission.adding(part) { commission = sum }
        }
    }

    package mutating func add(_ other: BillTally) {
        for (outcome, count) in other.counts { counts[outcome, default: 0] += count }
        differing += other.differing
        if let sum = try? charged.adding(other.charged) { charged = sum }
        if let sum = try? commission.adding(other.commission) { commission = sum }
        if let sum = try? claimed.adding(other.claimed) { claimed = sum }
    }

    package var total: Int { counts.values.reduce(0, +) }

    /// How the whole stands once every bill was asked for.
    package var whole: BillWhole {
        let open = counts.filter { !$0.key.isKnown && $0.value > 0 }.map(\.key)
        if total == 0 || open.contains(where: { $0 != .claimed }) { return .unresolved }
        if !open.isEmpty { return .claimed }
        let paid = counts[.paid] ?? 0
        if paid == total { return .completed }
        return paid > 0 ? .partiallyCompleted : .failed
    }

    package var json: Json {
        let words = BillOutcome.allCases.compactMap { outcome in
            counts[outcome].flatMap { $0 > 0 ? (outcome.rawValue, Json.integer(Int64($0))) : nil }
        }
        // Logs of before claims were told apart hold none.
        return .compact([
            ("charged", charged.json), ("claimed", claimed.minor > 0 ? claimed.json : nil),
            ("commission", commission.json), ("counts", .object(JsonObject(words))),
            ("differing", .integer(Int64(differing))),
        ])
    }

    /// The same as answers show it: with every sum.
    var document: Json {
        var members = json.members ?? JsonObject([])
        members["claimed"] = claimed.json
        return .object(members)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        charged = try fields.money("charged")
        commission = try fields.money("commission")
        claimed = try fields.optionalMoney("claimed") ?? .zero(charged.currency)
        differing = try fields.int("differing")
        for member in try fields.value("counts").members?.members ?? [] {
            guard let outcome = BillOutcome(rawValue: member.name), let count = member.value.integer else {
                throw CodecFailure("counts")
            }
            counts[outcome] = Int(count)
        }
    }
}

/// How a batch stands as a whole.
package enum BillWhole: String, Hashable, Sendable, CaseIterable {
    /// Every bill is paid.
    case completed
    case partiallyCompleted = "partially_completed"
    /// No bill is paid, and every outcome is known.
    case failed
    /// Nothing is open but what apps say, and nobody has confirmed it.
    case claimed
    /// At least one bill without a known outcome: reconciled, never sent again by itself.
    case unresolved
}
