package import EventSourcing
package import Kernel
package import Payments

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
    /// What the account was chosen by, where rules chose it.
    package let route: RouteReference?
    package let traceparent: String?
    package let correlation: String?
    /// The versions that the client holds and means (`If-Match`); `nil` = any.
    package let versions: [Int32]?

    package init(
        merchant: MerchantNumber,
        key: String,
        stream: StreamName,
        name: String,
        body: Json,
        fingerprint: Json,
        actor: Actor,
        account: Uuid?,
        route: RouteReference? = nil,
        traceparent: String?,
        correlation: String?,
        versions: [Int32]? = nil
    ) {
        self.merchant = merchant
        self.key = key
        self.stream = stream
        self.name = name
        self.body = body
        self.fingerprint = fingerprint
        self.actor = actor
        self.account = account
        self.route = route
        self.traceparent = traceparent
        self.correlation = correlation
        self.versions = versions
    }
}

extension Submission {
    /// The same command, told from others by other words.
    package func with(fingerprint: Json) -> Submission {
        Submission(
            merchant: merchant,
            key: key,
            stream: stream,
            name: name,
            body: body,
            fingerprint: fingerprint,
            actor: actor,
            account: account,
            traceparent: traceparent,
            correlation: correlation,
            versions: versions
        )
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
