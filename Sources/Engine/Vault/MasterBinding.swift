package import Crypto
package import EventSourcing
package import Kernel

/// The purpose and the owner of what stands under a master key outside the log, and can be sealed again.
package enum MasterBinding: Sendable {
    case subjectKey(of: Uuid)
    case original(input: Uuid)
    case template(effect: Uuid)

    package var key: KeyPurpose {
        switch self {
        case .subjectKey, .original: .wrap
        case .template: .template
        }
    }

    package func context(_ merchant: MerchantNumber) -> SealContext {
        let (owner, purpose) =
            switch self {
            case .subjectKey(let subject): (subject, "subject key")
            case .original(let input): (input, "original")
            case .template(let effect): (effect, "template")
            }
        return SealContext(merchant: merchant.value, subject: owner, purpose: purpose)
    }
}
