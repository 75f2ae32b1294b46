package import Kernel

extension Instrument {
    /// Refuses a new payment that may not use this credential.
    ///
    /// A credential that was saved without a customer has no owner: whoever may create payments may use it.
    package func checkUse(by terms: PaymentTerms, account: Uuid, at now: Timestamp) throws(Rejection) {
        try checkUse(by: terms.customer, account: account, at: now)
        try checkMandate(at: now)
    }

    /// The same for payments to come: what the payer allowed is held against each of them.
    package func checkUse(by customer: String?, account: Uuid, at now: Timestamp) throws(Rejection) {
        guard let saved, saved.account == account else { throw .instrumentUnknownHere }
        if let owner = saved.customer, owner != customer {
            throw Rejection(.instrumentNotOwned, "The instrument is another customer's.", path: "instrument")
        }
        switch status {
        case .removed: throw Rejection(.instrumentRemoved, "The instrument was removed.", path: "instrument")
        case .invalid:
            throw Rejection(.instrumentInvalid, "The provider takes the instrument no longer.", path: "instrument")
        case .expired: throw .instrumentOver
        case .usable: if let end = saved.fact.end, now >= end { throw .instrumentOver }
        }
    }

    /// When the payer's mandate lets money be taken again, where money was taken by it before.
    package var chargeableFrom: Timestamp? {
        guard let mandate, let chargedAt else { return nil }
        return mandate.begin(ofDay: mandate.day(of: chargedAt) + mandate.days)
    }

    /// The name of the next charge by its payer's mandate: the same for all that would go out beside each other, so that
    /// the index of references lets one of them through; `nil` where no mandate is needed.
    package var nextUse: String? { mandate == nil ? nil : "\(id):\(endedUses)" }

    /// Holds a charge against what the payer allowed.
    private func checkMandate(at now: Timestamp) throws(Rejection) {
        guard let mandate else { return }
        if let end = mandate.endsAt, now >= end {
            throw Rejection(.mandateEnded, "The payer's mandate for later charges has ended.", path: "instrument")
        }
        guard openUses.isEmpty else { throw .instrumentInUse }
        if let chargedAt {
            let next = mandate.day(of: chargedAt) + mandate.days
            guard mandate.day(of: now) < next else { return }
            let text = CivilDate(daysSinceEpoch: next).text
            throw Rejection(.mandateTooSoon, "The payer allowed the next charge from \(text) on.", path: "instrument")
        }
    }
}

extension Rejection {
    /// One word for what does not exist and for what another merchant or account holds.
    package static var instrumentUnknownHere: Rejection {
        Rejection(.instrumentUnknown, "There is no such instrument at this account.", path: "instrument")
    }

    /// Two charges are a number of days apart, and the other one may still be made.
    package static var instrumentInUse: Rejection {
        Rejection(.mandateTooSoon, "Another charge by the payer's mandate has no outcome yet.", path: "instrument")
    }

    fileprivate static var instrumentOver: Rejection {
        Rejection(.instrumentExpired, "The instrument's last month is over.", path: "instrument")
    }
}
