package import EventSourcing
package import Http
package import Kernel
package import Payments
package import ProviderKit

/// A command on its way in: form, authority and card data have been checked, personal fields are sealed.
package struct Submission: Sendable {
    package let merchant: MerchantNumber
    /// The client's idempotency key; the input's id derives from it.
    package let key: String
    package let stream: StreamName
    /// As in `payment.capture`.
    package let name: String
    /// The stored body, canonical.
    package let body: Json
    /// The client's command as it was given, before sealing: its keyed MAC tells a repeated command from another one.
    package let fingerprint: Json
    package let actor: Actor
    /// The account of a new payment.
    package let account: Uuid?
    package let traceparent: String?
    package let correlation: String?

    package init(
        merchant: MerchantNumber,
        key: String,
        stream: StreamName,
        name: String,
        body: Json,
        fingerprint: Json,
        actor: Actor,
        account: Uuid?,
        traceparent: String?,
        correlation: String?
    ) {
        self.merchant = merchant
        self.key = key
        self.stream = stream
        self.name = name
        self.body = body
        self.fingerprint = fingerprint
        self.actor = actor
        self.account = account
        self.traceparent = traceparent
        self.correlation = correlation
    }
}

/// What became of a submission.
package enum SubmissionOutcome: Hashable, Sendable {
    /// Decided now or before (`isReplay`): the stream and the version that the command committed.
    case accepted(stream: StreamName, version: Int32, isReplay: Bool)
    /// A recorded refusal; repeating the key repeats it.
    case rejected(code: String, detail: String, path: String?, isReplay: Bool)
    /// Stored, not decided yet (the stream is busy): the resource will show it.
    case pending(stream: StreamName)
    /// The key was used for another command.
    case keyConflict
    /// Nothing is known to be stored; the client repeats with the same key.
    case unavailable(String)
}

/// Takes commands in.
package protocol CommandDesk: Sendable {
    func submit(_ submission: Submission) async -> SubmissionOutcome
}

/// A stream's fold at a version, with its events.
package struct PaymentSnapshot: Sendable {
    package let payment: Payment
    package let events: [RecordedEvent]

    package init(payment: Payment, events: [RecordedEvent]) {
        self.payment = payment
        self.events = events
    }
}

/// A read that could not be made now.
package struct ReadFailure: Error, Hashable, Sendable {
    package let detail: String

    package init(_ detail: String) { self.detail = detail }
}

/// Reads what the pages of the API show.
package protocol Reader: Sendable {
    /// Folds a payment's stream, up to `version` where one is given; `nil` where there is no such payment.
    func payment(
        _ id: PaymentId,
        merchant: MerchantNumber,
        upTo version: Int32?
    ) async throws(ReadFailure) -> PaymentSnapshot?

    /// Waits until a stream is past a version or the time is over.
    func wait(for stream: StreamName, past version: Int32, atMost time: Duration) async

    /// Lists payments by the read model, newest first.
    func payments(_ query: PaymentQuery, merchant: MerchantNumber) async throws(ReadFailure) -> PaymentPage

    /// The read model's row of one payment, once it has reached `version`.
    func row(_ id: PaymentId, merchant: MerchantNumber) async throws(ReadFailure) -> Json?

    func instrument(_ id: InstrumentId, merchant: MerchantNumber) async throws(ReadFailure) -> Instrument?

    /// The merchant's accounts, in the order of their names.
    func accounts(merchant: MerchantNumber) async throws(ReadFailure) -> [Account]
    func routing(merchant: MerchantNumber) async throws(ReadFailure) -> Routing

    /// What became of a command from the SQL entrance, by its inbox id.
    func inboxOutcome(_ id: Uuid, merchant: MerchantNumber) async throws(ReadFailure) -> Json?
}

/// What a list of payments is narrowed to.
package struct PaymentQuery: Hashable, Sendable {
    package var status: PaymentStatus?
    package var reference: String?
    package var customer: String?
    package var account: Uuid?
    package var createdFrom: Timestamp?
    package var createdBefore: Timestamp?
    /// Only payments with an obligation that an operator must meet.
    package var needsOperator = false
    package var cursor: String?
    package var limit = 20

    package init() {}
}

/// A page of rows of the read model, and where the next one begins.
package struct PaymentPage: Hashable, Sendable {
    package let rows: [Json]
    package let next: String?

    package init(rows: [Json], next: String?) {
        self.rows = rows
        self.next = next
    }
}

/// What the payer's device needs, rendered at request time.
package protocol HandoverDesk: Sendable {
    /// The address or SDK object of an open payment.
    func render(_ id: PaymentId, merchant: MerchantNumber) async -> Result<RenderedHandover, HandoverRefusal>

    /// Signs the string that the SDK made, rebuilt from what we issued.
    func sign(
        _ deviceString: String,
        _ id: PaymentId,
        merchant: MerchantNumber
    ) async -> Result<String, HandoverRefusal>

    /// Keeps who was given app parameters or a signature, when and for which payment.
    func recordAccess(_ what: String, _ id: PaymentId, merchant: MerchantNumber, key: String) async throws(ReadFailure)
}

/// Why nothing is rendered or signed.
package struct HandoverRefusal: Error, Hashable, Sendable {
    package enum Code: String, Hashable, Sendable, CaseIterable {
        case paymentUnknown = "payment_unknown"
        /// Nothing is open for the payer: paid, ended, expired or cancelled.
        case notOpen = "no_action_open"
        /// The account's configuration no longer gives what was licensed.
        case changed = "handover_changed"
        case erased = "personal_data_erased"
        /// The device's string names something that was not issued.
        case signatureRefused = "signature_refused"
        case unavailable = "unavailable"
    }

    package let code: Code
    package let detail: String
    package let members: [String]

    package init(_ code: Code, _ detail: String, members: [String] = []) {
        self.code = code
        self.detail = detail
        self.members = members
    }
}

/// Takes a provider's notification and makes the answer that the provider expects.
package protocol NotificationDesk: Sendable {
    func receive(
        _ request: HttpRequest,
        provider: String,
        merchant: MerchantNumber,
        account: Uuid
    ) async -> HttpResponse

    /// Notes that the payer's browser came back for a payment reference; decides nothing.
    func browserReturned(_ id: PaymentId, merchant: MerchantNumber) async
}

/// Seals personal fields of a command.
package protocol PersonalDesk: Sendable {
    /// Seals the values at the paths under the payer's key.
    func seal(
        _ document: Json,
        paths: [JsonPath],
        customer: String?,
        payment: PaymentId,
        merchant: MerchantNumber
    ) async throws(ReadFailure) -> Json

    /// Seals secrets for an account's configuration: name to value.
    func seal(secrets: [String: Secret], account: Uuid, merchant: MerchantNumber) async throws(ReadFailure) -> Json
}

/// What an API key may do.
package enum Scope: String, Hashable, Sendable, CaseIterable {
    case commands, read, audit, admin
}

/// A caller that a key proved.
package struct Caller: Hashable, Sendable {
    package let keyId: Uuid
    package let name: String
    package let merchant: MerchantNumber
    package let merchantName: String
    package let scopes: Set<Scope>

    package init(keyId: Uuid, name: String, merchant: MerchantNumber, merchantName: String, scopes: Set<Scope>) {
        self.keyId = keyId
        self.name = name
        self.merchant = merchant
        self.merchantName = merchantName
        self.scopes = scopes
    }
}

/// Proves API keys.
package protocol KeyDesk: Sendable {
    /// `nil` for an unknown, expired or revoked key.
    func caller(_ token: Secret) async throws(ReadFailure) -> Caller?
}
