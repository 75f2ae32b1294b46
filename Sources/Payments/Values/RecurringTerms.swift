package import EventSourcing
package import Kernel

/// A series of debits that a payment registers with the payer's card: what is asked for, in words that mean the same for
/// every provider.
package struct RecurringTerms: Hashable, Sendable {
    /// Who begins the debits.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The payer, each time, with a stored card.
        case oneClick
        /// A fixed calendar.
        case regular
        /// The merchant, at any time.
        case autopayment
    }

    package enum Period: String, Hashable, Sendable, CaseIterable {
        case day, week, month, quarter, year
    }

    /// A calendar that the provider keeps and debits by itself.
    package struct Calendar: Hashable, Sendable {
        package let period: Period
        /// Every so many periods.
        package let interval: Int
        package let start: CivilDate
        /// Local time of day, as in `09:30:00`; the zone is the account's.
        package let time: String?

        package init(period: Period, interval: Int, start: CivilDate, time: String?) {
            self.period = period
            self.interval = interval
            self.start = start
            self.time = time
        }
    }

    /// One debit of a list of dates.
    package struct Instalment: Hashable, Sendable {
        package let date: CivilDate
        package let amount: Money

        package init(date: CivilDate, amount: Money) {
            self.date = date
            self.amount = amount
        }
    }

    package enum Plan: Hashable, Sendable {
        case calendar(Calendar)
        /// Ascending, each date once.
        case dates([Instalment])
    }

    package let kind: Kind
    /// `nil` where nobody but the merchant or the payer knows when.
    package let plan: Plan?
    /// Each debit of a calendar; `nil` takes the payment's amount.
    package let amount: Money?
    /// The last day of the series.
    package let expiry: CivilDate?
    /// The name of the provider's debits; `nil` derives one from the payment's own.
    package let reference: String?

    package static let instalmentsAtMost = 120
    package static let intervals = 1...100
    package static let referenceCharacters = 30

    package init(
        kind: Kind,
        plan: Plan? = nil,
        amount: Money? = nil,
        expiry: CivilDate? = nil,
        reference: String? = nil
    ) {
        self.kind = kind
        self.plan = plan
        self.amount = amount
        self.expiry = expiry
        self.reference = reference
    }

    /// Refuses what no provider could carry out; `today` is the day on which it is registered.
    package func check(with terms: PaymentTerms, on today: CivilDate) throws(Rejection) {
        switch terms.mode {
        case .sale, .authorize, .verify: break
        case .tokenize, .transfer:
            throw Rejection(.recurringInvalid, "A series begins with a payment or a verification.", path: "recurring")
        }
        guard terms.customer != nil else {
            throw Rejection(.recurringInvalid, "A series belongs to a customer.", path: "customer")
        }
        if let expiry, expiry < today {
            throw Rejection(.recurringInvalid, "The series has ended before it begins.", path: "recurring.expiry")
        }
        if let amount { try Self.check(amount, terms, at: "recurring.amount") }
        if let reference {
            let isName = reference.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            }
            guard isName, (1...Self.referenceCharacters).contains(reference.utf8.count) else {
                throw Rejection(.recurringInvalid, "1 to 30 letters, digits and hyphens.", path: "recurring.reference")
            }
        }
        switch plan {
        case nil: break
        case .calendar(let calendar): try check(calendar, today)
        case .dates(let list): try check(list, terms, today)
        }
    }

    private func check(_ calendar: Calendar, _ today: CivilDate) throws(Rejection) {
        guard kind == .regular else {
            throw Rejection(.recurringInvalid, "Only a regular series has a calendar.", path: "recurring.calendar")
        }
        guard Self.intervals.contains(calendar.interval) else {
            throw Rejection(.recurringInvalid, "1 to 100 periods.", path: "recurring.calendar.interval")
        }
        guard calendar.start >= today else {
            throw Rejection(.recurringInvalid, "The first debit lies in the past.", path: "recurring.calendar.start")
        }
        if let expiry, expiry < calendar.start {
            throw Rejection(.recurringInvalid, "The series ends before its first debit.", path: "recurring.expiry")
        }
        if let time = calendar.time, time.utf8.count != 8 || Timestamp("2000-01-01T\(time)Z") == nil {
            throw Rejection(.recurringInvalid, "A time of day is written as 09:30:00.", path: "recurring.calendar.time")
        }
    }

    private func check(_ list: [Instalment], _ terms: PaymentTerms, _ today: CivilDate) throws(Rejection) {
        guard kind == .regular, (1...Self.instalmentsAtMost).contains(list.count) else {
            throw Rejection(
                .recurringInvalid,
                "A regular series has 1 to \(Self.instalmentsAtMost) dates.",
                path: "recurring.dates"
            )
        }
        var last: CivilDate?
        for (index, instalment) in list.enumerated() {
            let path = "recurring.dates.\(index)"
            guard instalment.date >= today, last.map({ $0 < instalment.date }) ?? true else {
                throw Rejection(.recurringInvalid, "Dates lie ahead, ascend and differ.", path: "\(path).date")
            }
            if let expiry, expiry < instalment.date {
                throw Rejection(.recurringInvalid, "The series has ended by then.", path: "\(path).date")
            }
            try Self.check(instalment.amount, terms, at: "\(path).amount")
            last = instalment.date
        }
    }

    /// A series' amount may differ from the first payment's, its currency may not.
    private static func check(_ amount: Money, _ terms: PaymentTerms, at path: String) throws(Rejection) {
        guard amount.minor > 0 else {
            throw Rejection(.amountNotPositive, "The amount must be more than zero.", path: path)
        }
        guard amount.currency == terms.amount?.currency ?? amount.currency else {
            throw Rejection(.currencyMismatch, "The series has the payment's currency.", path: path)
        }
    }
}

extension RecurringTerms: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("amount", amount)
        switch plan {
        case nil: break
        case .calendar(let found):
            out.member("calendar") { out in
                out.member("interval", found.interval)
                out.member("period", found.period)
                out.member("start", found.start.text)
                out.member("time", found.time)
            }
        case .dates(let list):
            out.member("dates", listing: list, isAlwaysShown: true) { instalment, out in
                out.member("amount", instalment.amount)
                out.member("date", instalment.date.text)
            }
        }
        out.member("expiry", expiry?.text)
        out.member("kind", kind)
        out.member("reference", reference)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        var plan: Plan?
        if fields.has("calendar") {
            let calendar = try fields.fields("calendar")
            plan = .calendar(
                Calendar(
                    period: try calendar.word("period"),
                    interval: try calendar.int("interval"),
                    start: try calendar.day("start"),
                    time: try calendar.optionalText("time")
                )
            )
        } else if fields.has("dates") {
            var list: [Instalment] = []
            for item in try fields.items("dates") {
                let item = Fields(item)
                list.append(Instalment(date: try item.day("date"), amount: try item.money("amount")))
            }
            plan = .dates(list)
        }
        self.init(
            kind: try fields.word("kind"),
            plan: plan,
            amount: try fields.optionalMoney("amount"),
            expiry: try fields.optional("expiry") { $0.text.flatMap { CivilDate($0) } },
            reference: try fields.optionalText("reference")
        )
    }
}

extension Fields {
    fileprivate func day(_ name: String) throws(CodecFailure) -> CivilDate {
        guard let day = CivilDate(try text(name)) else { throw CodecFailure(name) }
        return day
    }
}

/// A provider's word on a series that it keeps.
package struct SeriesFact: Hashable, Sendable, JsonWritable {
    /// The provider's id.
    package let id: String
    /// `nil` where the message does not say.
    package let isActive: Bool?
    package let kind: RecurringTerms.Kind?

    package init(id: String, isActive: Bool?, kind: RecurringTerms.Kind?) {
        self.id = id
        self.isActive = isActive
        self.kind = kind
    }

    package func write(into out: inout JsonText) {
        out.member("active", isActive)
        out.member("id", id)
        out.member("kind", kind)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            id: try fields.text("id"),
            isActive: try fields.optional("active", \.flag),
            kind: try fields.optional("kind") { $0.text.flatMap { RecurringTerms.Kind(rawValue: $0) } }
        )
    }

    /// Joins it to what is known of the series; a value that this message does not say stays.
    package func joined(_ known: SeriesFact?) -> SeriesFact {
        // A series that was cancelled does not come back: messages come in any order.
        let active = known?.isActive == false ? false : isActive ?? known?.isActive
        return SeriesFact(id: id, isActive: active, kind: kind ?? known?.kind)
    }
}
