import Crypto
import EventSourcing
import Kernel
import Payments
package import ProviderKit

/// An account by which a decision plans, licenses and reads messages.
struct Sender {
    let account: ConfiguredAccount
    let adapter: any Adapter
    let settings: AccountSettings

    init?(_ account: ConfiguredAccount?, _ adapters: AdapterRegistry, _ context: DecisionContext) {
        guard let account, let adapter = adapters[account.facts.provider] else { return nil }
        self.account = account
        self.adapter = adapter
        settings = account.settings(publicUrl: context.publicUrl)
    }

    /// The permission to send one message of an operation, a chunk or a page.
    func license(
        _ effect: EffectId,
        _ purpose: DispatchPurpose,
        operation: OperationId? = nil,
        ordinal: Int32 = 1,
        ground: DispatchLicense.Ground = .first,
        digest: String,
        at now: Timestamp,
        notBefore: Timestamp,
        sendBefore: Timestamp
    ) -> DispatchLicense {
        DispatchLicense(
            effect: effect,
            purpose: purpose,
            operation: operation,
            ordinal: ordinal,
            ground: ground,
            templateDigest: digest,
            account: account.facts.id,
            accountVersion: account.facts.version,
            adapterVersion: adapter.declaration.version,
            licensedAt: now,
            notBefore: notBefore,
            sendBefore: sendBefore
        )
    }

    /// The first permission to send a message that may be repeated, and the row that it leaves by.
    func message(_ template: RequestTemplate, _ effect: EffectId, at now: Timestamp) -> (MessageLicense, EffectChange) {
        let license = MessageLicense(
            effect: effect,
            ordinal: 1,
            templateDigest: template.digest,
            account: account.facts.id,
            accountVersion: account.facts.version,
            adapterVersion: adapter.declaration.version,
            licensedAt: now,
            sendBefore: now.adding(MessageLicense.window)
        )
        return (license, row(template, effect, notBefore: now, sendBefore: license.sendBefore))
    }

    /// The row that a message leaves by.
    func row(
        _ template: RequestTemplate,
        _ effect: EffectId,
        ordinal: Int32 = 1,
        notBefore: Timestamp,
        sendBefore: Timestamp
    ) -> EffectChange {
        .create(
            NewEffect(
                id: effect.uuid,
                account: account.facts.id,
                ordinal: ordinal,
                template: template.canonical,
                notBefore: notBefore,
                sendBefore: sendBefore,
                deadline: adapter.declaration.requestDeadline
            )
        )
    }
}

extension DecisionContext {
    /// The account that the decision is about, as a sender.
    func sender(_ adapters: AdapterRegistry) -> Sender? { Sender(account, adapters, self) }
}

extension RequestTemplate {
    /// SHA-256 of its canonical bytes, in lower-case hexadecimal, as a licence names it.
    package var digest: String { Hex.encode(Digest.sha256(canonical)) }
}

extension EffectChange {
    /// The row of a message that is said again, behind its pause.
    static func again(_ license: MessageLicense, _ repetition: Repetition) -> EffectChange {
        .resend(
            license.effect.uuid,
            ordinal: license.ordinal,
            notBefore: license.licensedAt.adding(repetition.pause(after: license.ordinal - 1)),
            sendBefore: license.sendBefore
        )
    }
}
