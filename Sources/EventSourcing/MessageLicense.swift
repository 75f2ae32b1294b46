package import Kernel

/// The permission to send one message that does no harm when it is said twice.
///
/// Such are the removal of a credential, the look whether it was done, and messages about a series: a lost answer leads to
/// another try. What a payment asks for needs a ground for each repetition: that is a `DispatchLicense`.
package struct MessageLicense: Hashable, Sendable {
    package let effect: EffectId
    /// Its place among the messages of this effect: 1, 2, 3 and so on.
    package let ordinal: Int32
    /// SHA-256 of the template's canonical bytes, in lower-case hexadecimal.
    package let templateDigest: String
    package let account: Uuid
    package let accountVersion: Int32
    package let adapterVersion: Int
    package let licensedAt: Timestamp
    package let sendBefore: Timestamp

    package init(
        effect: EffectId,
        ordinal: Int32,
        templateDigest: String,
        account: Uuid,
        accountVersion: Int32,
        adapterVersion: Int,
        licensedAt: Timestamp,
        sendBefore: Timestamp
    ) {
        self.effect = effect
        self.ordinal = ordinal
        self.templateDigest = templateDigest
        self.account = account
        self.accountVersion = accountVersion
        self.adapterVersion = adapterVersion
        self.licensedAt = licensedAt
        self.sendBefore = sendBefore
    }

    /// A licence that was not used within so long is not used any more.
    package static let window = Duration.seconds(600)

    /// The licence of the message after this one, behind the pause of this repetition.
    package func next(at now: Timestamp, _ repetition: Repetition) -> MessageLicense {
        MessageLicense(
            effect: effect,
            ordinal: ordinal + 1,
            templateDigest: templateDigest,
            account: account,
            accountVersion: accountVersion,
            adapterVersion: adapterVersion,
            licensedAt: now,
            sendBefore: now.adding(repetition.pause(after: ordinal)).adding(Self.window)
        )
    }
}

/// How often a message is said while nobody knows what came of it, and how far apart.
package struct Repetition: Sendable {
    package let tries: Int32
    /// In seconds; each further pause is twice as long.
    package let firstPause: Int64

    package init(tries: Int32, firstPause: Int64) {
        self.tries = tries
        self.firstPause = firstPause
    }

    /// The pause behind the message of this ordinal.
    package func pause(after ordinal: Int32) -> Duration { .seconds(firstPause << Int64(min(ordinal, 10) - 1)) }
}

extension MessageLicense: JsonWritable {
    package func write(into out: inout JsonText) { write(into: &out, ask: nil, series: nil) }

    /// Writes it with what a message about a series asks for, and the provider's name of the series.
    package func write(into out: inout JsonText, ask: String?, series: String?) {
        out.member("account", account)
        out.member("accountVersion", accountVersion)
        out.member("adapterVersion", adapterVersion)
        out.member("ask", ask)
        out.member("effect", effect)
        out.member("licensedAt", licensedAt)
        out.member("ordinal", ordinal)
        out.member("sendBefore", sendBefore)
        out.member("series", series)
        out.member("templateDigest", templateDigest)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            effect: try fields.id("effect"),
            ordinal: try fields.int32("ordinal"),
            templateDigest: try fields.text("templateDigest"),
            account: try fields.uuid("account"),
            accountVersion: try fields.int32("accountVersion"),
            adapterVersion: try fields.int("adapterVersion"),
            licensedAt: try fields.time("licensedAt"),
            sendBefore: try fields.time("sendBefore")
        )
    }
}
