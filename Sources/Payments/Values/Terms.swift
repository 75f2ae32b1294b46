package import Kernel

/// The purpose for which the payer's money is asked.
package enum PaymentMode: String, Hashable, Sendable, CaseIterable {
    /// Taken at once.
    case sale
    /// Held now, captured or voided later.
    case authorize
    /// The instrument is checked; the amount is zero and no money enters the books.
    case verify
    /// The instrument is saved; there is no amount.
    case tokenize
    /// The payer's money goes on to another card, whose number stays in the app; nothing takes it back.
    case transfer

    /// The kind of the operation that a payment of this mode begins with.
    package var operation: OperationKind {
        switch self {
        case .sale: .sale
        case .authorize: .authorize
        case .verify: .verify
        case .tokenize: .tokenize
        case .transfer: .transfer
        }
    }
}

/// How the payer meets the provider.
package enum PaymentMethod: String, Hashable, Sendable, CaseIterable {
    /// The provider's page in a browser.
    case hosted
    /// The provider's SDK in an app.
    case sdk
    /// A saved instrument; the provider decides whether the payer must take part.
    case instrument
    /// A device wallet inside the SDK or page.
    case wallet
}

/// One merchant's credentials and settings at one provider.
package struct AccountFacts: Hashable, Sendable {
    package enum Mode: String, Hashable, Sendable, CaseIterable {
        case live
        case test
        /// Live credentials whose payments the provider cancels by itself.
        case liveAutoCancel = "live-autocancel"
    }

    /// Id of the account's stream.
    package let id: Uuid
    /// The merchant's name for it, as in `ecommpay-eur`.
    package let name: String
    package let provider: String
    package let mode: Mode
    /// Version of the account's stream that a decision saw.
    package let version: Int32

    package init(id: Uuid, name: String, provider: String, mode: Mode, version: Int32) {
        self.id = id
        self.name = name
        self.provider = provider
        self.mode = mode
        self.version = version
    }
}

/// The terms that a merchant asks for when it creates a payment; fixed for the payment's life.
package struct PaymentTerms: Hashable, Sendable {
    package let mode: PaymentMode
    package let method: PaymentMethod
    /// Zero for verify; `nil` for tokenize.
    package let amount: Money?
    /// The merchant's own number, shown in reports.
    package let reference: String?
    package let description: String?
    /// The payer at the merchant, as the merchant calls them.
    package let customer: String?
    /// Saved credential for `method == .instrument`.
    package let instrument: InstrumentId?
    /// After this moment no new try may begin.
    package let expiresAt: Timestamp
    /// Everything else the adapter needs, in canonical JSON: payer fields (personal ones sealed), items, URLs, presentation.
    package let details: Json
    /// The merchant's labels, text to text.
    package let metadata: Json
    /// The series of debits that it registers.
    package let recurring: RecurringTerms?
    /// The occurrence of a schedule that this payment is for; ordinal 0 activates the schedule.
    package let occurrence: OccurrenceName?
    /// The payer's country, as the rules of routing were asked.
    package let country: String?
    /// The provider's own debit that it stands for.
    package let adopted: AdoptedDebit?
    /// The payment link by which its payer began it.
    package let paymentLink: PaymentLinkId?
    /// The language that its payer chose on the page of that link.
    package let pageLanguage: PageLanguage?

    package init(
        mode: PaymentMode,
        method: PaymentMethod,
        amount: Money?,
        reference: String?,
        description: String?,
        customer: String?,
        instrument: InstrumentId?,
        expiresAt: Timestamp,
        details: Json,
        metadata: Json,
        recurring: RecurringTerms? = nil,
        occurrence: OccurrenceName? = nil,
        country: String? = nil,
        adopted: AdoptedDebit? = nil,
        paymentLink: PaymentLinkId? = nil,
        pageLanguage: PageLanguage? = nil
    ) {
        self.adopted = adopted
        self.paymentLink = paymentLink
        self.pageLanguage = pageLanguage
        self.mode = mode
        self.method = method
        self.amount = amount
        self.reference = reference
        self.description = description
        self.customer = customer
        self.instrument = instrument
        self.expiresAt = expiresAt
        self.details = details
        self.metadata = metadata
        self.recurring = recurring
        self.occurrence = occurrence
        self.country = country
    }

    /// The same with other details or another series to register.
    package func with(details: Json? = nil, recurring: RecurringTerms? = nil) -> PaymentTerms {
        PaymentTerms(
            mode: mode,
            method: method,
            amount: amount,
            reference: reference,
            description: description,
            customer: customer,
            instrument: instrument,
            expiresAt: expiresAt,
            details: details ?? self.details,
            metadata: metadata,
            recurring: recurring ?? self.recurring,
            occurrence: occurrence,
            country: country,
            adopted: adopted,
            paymentLink: paymentLink,
            pageLanguage: pageLanguage
        )
    }
}

/// One planned run of a schedule.
package struct OccurrenceName: Hashable, Sendable {
    /// Id of the schedule's stream.
    package let schedule: Uuid
    package let ordinal: Int
    /// The provider's id of the series, for occurrences that are debits of it.
    package let series: String?

    package init(schedule: Uuid, ordinal: Int, series: String? = nil) {
        self.series = series
        self.schedule = schedule
        self.ordinal = ordinal
    }
}
