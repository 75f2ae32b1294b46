import Kernel
import Payments

/// The true effect of a message that pays bills.
package enum HostileBillTruth: String, Hashable, Sendable, CaseIterable {
    case nothing, done
    /// The last bill was left out.
    case some
    /// The first bill was paid with another amount.
    case otherAmount
    /// The first bill was paid two times.
    case twice
    /// All was paid, and came back.
    case undone
}

/// Bills that are paid, with what the account allows.
package enum HostileBillScene: String, HostileSetting {
    /// One bill.
    case one
    /// Several bills in one message.
    case several
    /// Each bill in a message of its own, the first of them under test.
    case calls
    /// The first message is turned away for stale credentials, which proves at this account that nothing was paid; the one
    /// with new credentials is under test.
    case renewed
    /// The bills are priced first: the looks are the answers about their price.
    case priced
    /// The payer's bank wants a step in the middle of the walk: the looks are what the app says then.
    case step
    /// The app pays: the looks are what it says.
    case app

    package static let table = "portmone-bills"

    var bills: Int { self == .one ? 1 : 3 }
    var perCall: Int { self == .calls ? 1 : 3 }
    var isProving: Bool { self == .renewed }

    /// One bill is all of them; and the payer's step is about one, too.
    package var truths: [HostileBillTruth] {
        HostileBillTruth.allCases.filter { $0 != .some || (bills > 1 && self != .step && self != .calls) }
    }

    /// Nothing of the provider's can be asked about a bill: only prices before, and an app behind.
    package var looks: [HostileLook] {
        switch self {
        case .one, .several, .calls, .renewed: [.truth]
        case .priced, .step, .app: [.truth, .lag, .absent, .garbled, .unheard, .error, .refused]
        }
    }

    /// An app's word is under test where it pays: no message of ours is.
    package var answers: [HostileAnswer] {
        switch self {
        case .app: [.success]
        case .step: [HostileBillWords.step]
        case .priced: [.success, .lost]
        case .one, .several, .calls, .renewed:
            [.success] + HostileBillWords.refusals.map { .refusal($0) } + HostileBillWords.odd.map { .odd($0) }
                + HostileAnswer.undocumented
        }
    }

    package var turns: [HostileTurn] {
        switch self {
        case .one, .several, .calls, .renewed: HostileTurn.allCases
        case .priced, .step, .app: [.first]
        }
    }
}

package typealias HostileBillCase = HostileVariant<HostileBillScene>

extension HostileBillCase {
    /// Whether the provider, or the only one who speaks for it, says falsely in documented words that nothing was paid.
    ///
    /// Stale credentials prove that where the account is set so.
    var isLie: Bool {
        guard truth != .nothing, scene.isProving else { return false }
        switch answer {
        case .refusal(let name): return name == HostileBillWords.stale
        case .success, .odd, .status, .half, .lost: return false
        }
    }
}
