package import Crypto
import Decisions
import Engine
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
    package let body: [UInt8]
    /// The client's command as it was given, before sealing: its keyed MAC tells a repeated command from another one.
    package let fingerprint: Json
    package let actor: Actor
    /// The account of a new payment.
    package let account: Uuid?
    /// The rules that chose the account, where any did.
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
        body: [UInt8],
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

extension Submission {
    /// The input that it becomes, and the keyed codes that tell it from another command under its key, the newest first.
    package func input(_ keys: KeyRing, at now: Timestamp) -> (input: InputRecord, macs: [[UInt8]]) {
        // What makes two commands the same: name, stream and the client's own words, never who sealed what.
        let identity = JsonText.canonical { out in
            out.member("body", fingerprint)
            out.member("name", name)
            out.member("stream", "\(stream)")
        }
        let macs = keys.codes(.idempotency, identity)
        let meta = InputMeta.command(
            actor: actor,
            account: account,
            traceparent: traceparent,
            correlation: correlation,
            route: route,
            versions: versions,
            mac: macs[0]
        )
        let input = InputRecord(
            id: CommandIntake.inputId(merchant, key: key),
            stream: stream,
            kind: .command,
            name: name,
            meta: meta,
            body: body,
            receivedAt: now
        )
        return (input, macs)
    }
}
