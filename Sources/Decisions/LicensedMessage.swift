import Crypto
package import EventSourcing
import Kernel
import Payments
package import ProviderKit

/// A message that may be repeated, with its first licence and the row that it leaves by.
struct LicensedMessage {
    let license: MessageLicense
    let effect: PlannedEffect

    init(
        _ template: RequestTemplate,
        _ effect: EffectId,
        _ account: ConfiguredAccount,
        _ adapter: any Adapter,
        at now: Timestamp
    ) {
        let bytes = template.json.canonical
        license = MessageLicense(
            effect: effect,
            ordinal: 1,
            templateDigest: Hex.encode(Digest.sha256(bytes)),
            account: account.facts.id,
            accountVersion: account.facts.version,
            adapterVersion: adapter.declaration.version,
            licensedAt: now,
            sendBefore: now.adding(MessageLicense.window)
        )
        self.effect = .create(
            effect,
            account: account.facts.id,
            template: bytes,
            notBefore: now,
            sendBefore: license.sendBefore,
            deadline: adapter.declaration.requestDeadline
        )
    }
}

extension PlannedEffect {
    /// The row of a message that is said again, behind its pause.
    static func again(_ license: MessageLicense, _ repetition: Repetition) -> PlannedEffect {
        .resend(
            license.effect,
            ordinal: license.ordinal,
            notBefore: license.licensedAt.adding(repetition.pause(after: license.ordinal - 1)),
            sendBefore: license.sendBefore
        )
    }
}

extension InputRecord {
    /// What became of such a message, as the input of its answer holds it.
    package func answer(_ meta: InputMeta) throws(Undecidable) -> MessageAnswer {
        let reason = meta.json["reason"]?.text ?? ""
        switch AnswerName(rawValue: name) {
        case .answered:
            // It says nothing to an adapter, which may take an answer without a code for a success.
            if KeptWhole.holds(body) { return .noAnswer(reason: KeptWhole.reason) }
            return .answered(status: Int(meta.json["status"]?.integer ?? 0), body: body)
        case .notSent: return .notSent(reason: reason)
        case .noAnswer: return .noAnswer(reason: reason)
        case nil: throw Undecidable("answer \(name)")
        }
    }
}
