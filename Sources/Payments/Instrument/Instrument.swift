import Crypto
package import EventSourcing
package import Kernel

/// A saved payment credential: the provider's token and masked data, never a card number.
package struct Instrument: Aggregate, Hashable {
    package let id: InstrumentId
    package private(set) var version: Int32 = 0
    package private(set) var saved: SavedInstrument?
    package private(set) var savedAt: Timestamp?
    /// The version at which it was saved last.
    package private(set) var savedVersion: Int32 = 0
    package private(set) var removed: Removed?
    package private(set) var ended: InstrumentEnd?
    package private(set) var endedAt: Timestamp?
    package private(set) var lastUsedAt: Timestamp?
    package private(set) var uses: Int64 = 0
    /// The mandate that its payer gave last.
    package private(set) var mandate: InstrumentFact.Mandate?
    /// How its network names the payment at which its payer agreed last.
    package private(set) var networkReference: String?
    /// When money was taken by it last.
    package private(set) var chargedAt: Timestamp?
    /// Payments by its payer's mandate that have no outcome yet, by their streams: no other charge goes out beside one.
    package private(set) var openUses: Set<Uuid> = []
    /// How many of them have ended.
    package private(set) var endedUses: Int64 = 0
    /// Payments and transfers that were created with it and have no outcome yet, with their kinds: they hear
    /// of its removal.
    package private(set) var waitingUses: [Uuid: InstrumentUser] = [:]
    /// The messages that ask the provider to forget it, since it was removed last.
    package private(set) var requests: [RemovalRequest] = []
    /// The end that they led to.
    package private(set) var removal: RemovalEnd?
    /// The question to the provider whose answer is awaited.
    package private(set) var openCheck: MessageLicense?
    /// The provider's last word on whether it keeps it, and when that came.
    package private(set) var listing: Listing?

    package struct Listing: Hashable, Sendable {
        package let answer: CredentialListing
        package let at: Timestamp
    }

    /// Who took it away, and when.
    package struct Removed: Hashable, Sendable {
        package let by: String
        package let at: Timestamp
    }

    package init(id: InstrumentId) { self.id = id }

    /// Applies one event; never fails and never decides.
    package mutating func evolve(_ event: InstrumentEvent) {
        version += 1
        switch event {
        case .saved(let saved, let at):
            self.saved = saved
            mandate = saved.fact.mandate ?? mandate
            networkReference = saved.fact.networkReference ?? networkReference
            savedAt = savedAt ?? at
            savedVersion = version
            removed = nil
            ended = nil
            endedAt = nil
            requests = []
            removal = nil
            openCheck = nil
            listing = nil
        case .used(let stream, let kind, let holds, let at):
            uses += 1
            lastUsedAt = max(lastUsedAt ?? at, at)
            if holds { openUses.insert(stream) }
            waitingUses[stream] = kind
        case .charged(let stream, let at):
            chargedAt = max(chargedAt ?? at, at)
            end(stream)
        case .useEnded(let stream, _): end(stream)
        case .ended(let end, let at):
            ended = end
            endedAt = at
        case .removed(let by, _, let at): removed = Removed(by: by, at: at)
        case .removalLicensed(let license): requests.append(RemovalRequest(license: license))
        case .removalObserved(let effect, let ordinal, let outcome, _):
            guard
                let index = requests.lastIndex(where: { $0.license.effect == effect && $0.license.ordinal == ordinal })
            else { return }
            requests[index].outcome = outcome
        case .removalEnded(let end, _): removal = end
        case .checkLicensed(let license): openCheck = license
        case .checkObserved(let effect, let answer, let at):
            if openCheck?.effect == effect { openCheck = nil }
            listing = Listing(answer: answer, at: at)
        }
    }

    private mutating func end(_ use: Uuid) {
        waitingUses[use] = nil
        if openUses.remove(use) != nil { endedUses += 1 }
    }

    package var status: InstrumentStatus {
        if removed != nil { return .removed }
        switch ended {
        case .lastMonth?: return .expired
        case .invalid?: return .invalid
        case nil: return .usable
        }
    }

    /// Whether a payment may use it.
    package var isUsable: Bool { saved != nil && status == .usable }

    package var removedAt: Timestamp? { removed?.at }

    /// At most so many payments hear of a removal at once; the others find it out at their next look at the provider.
    package static let usesToldAtOnce = 500

    /// The payments and transfers that wait with a removed credential and have not been told, since it was `before`.
    package func usesToTell(since before: Instrument) -> [(stream: Uuid, user: InstrumentUser)] {
        guard removed != nil else { return [] }
        let told = before.removed == nil ? [:] : before.waitingUses
        let left = waitingUses.filter { told[$0.key] == nil }.sorted { $0.key < $1.key }
        return left.prefix(Self.usesToldAtOnce).map { ($0.key, $0.value) }
    }

    /// The provider's token, sealed; `nil` once nothing may be paid with it.
    package var usableToken: Json? { isUsable ? saved?.fact.token : nil }

    /// Effects of removal requests whose outcome is open: their rows stay.
    package var liveEffects: Set<EffectId> {
        // Between a lost answer and what follows from asking, the row waits for its next licence.
        let removals = removal == nil ? requests.map(\.license.effect) : []
        return Set(removals + [openCheck?.effect].compactMap(\.self))
    }

    /// When its last month ends, while nobody has taken note of that.
    package var nextEnd: Timestamp? { isUsable ? saved?.fact.end : nil }
}

/// Whether a saved credential can pay.
package enum InstrumentStatus: String, Hashable, Sendable, CaseIterable {
    case usable
    /// Its last month is over.
    case expired
    /// The provider takes it no longer.
    case invalid
    /// By us, or by the payer in the provider's form.
    case removed
}

/// Why a credential ended without being removed.
package enum InstrumentEnd: Hashable, Sendable {
    case lastMonth
    /// The provider said so, or declined it for good; its code where there is one.
    case invalid(code: String?)
}

extension InstrumentFact {
    /// When its last month is over everywhere on Earth; `nil` where no expiry is known.
    package var end: Timestamp? {
        guard let year = expiryYear.flatMap({ Int64(exactly: $0) }),
            let month = expiryMonth.flatMap({ Int64(exactly: $0) }),
            let next = CivilDate(year: month == 12 ? year + 1 : year, month: month == 12 ? 1 : month + 1, day: 1)
        else { return nil }
        return Timestamp(seconds: next.daysSinceEpoch * 86_400 + Self.lastZoneSeconds)
    }

    /// The last time zone is twelve hours behind UTC.
    private static let lastZoneSeconds: Int64 = 12 * 3600
}

/// A credential with the account and the payer that it belongs to.
package struct SavedInstrument: Hashable, Sendable {
    package let fact: InstrumentFact
    /// The account whose provider issued the token.
    package let account: Uuid
    /// The payer at the merchant, as the merchant calls them.
    package let customer: String?
    /// The payment that brought it.
    package let payment: PaymentId?

    package init(fact: InstrumentFact, account: Uuid, customer: String?, payment: PaymentId?) {
        self.fact = fact
        self.account = account
        self.customer = customer
        self.payment = payment
    }

    /// The same card saved by two payers is two instruments.
    package static func id(_ fingerprint: String, customer: String?, account: Uuid) -> InstrumentId {
        let payer = customer.map { Hex.encode(Array($0.utf8)) } ?? ""
        return InstrumentId(.version5(namespace: account, name: "instrument:\(payer):\(fingerprint)"))
    }

    func isSameCredential(as other: SavedInstrument) -> Bool {
        account == other.account && fact.fingerprint == other.fact.fingerprint && customer == other.customer
    }

    /// Sealing the same token again gives other bytes; the fingerprint tells that it is the same.
    func isUnchanged(by other: SavedInstrument) -> Bool {
        isSameCredential(as: other) && fact.masked == other.fact.masked && fact.scheme == other.fact.scheme
            && fact.expiryYear == other.fact.expiryYear && fact.expiryMonth == other.fact.expiryMonth
            && (other.fact.mandate == nil || fact.mandate == other.fact.mandate)
            && (other.fact.networkReference == nil || fact.networkReference == other.fact.networkReference)
            // Their fingerprint is the login's: behind a new password stand other credentials.
            && fact.scheme != InstrumentFact.credentialsScheme
    }
}
