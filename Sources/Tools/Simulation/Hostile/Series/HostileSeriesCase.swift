import Kernel
import Payments

/// A message about a series, or the provider's own debit of it.
package enum HostileSeriesScene: String, HostileSetting {
    /// The provider debits by itself, and is asked to stop.
    case cancel
    /// The provider debits by itself, and is asked for another amount.
    case update
    /// We debit: a charge by the name of the series.
    case debit
    /// The provider debits by itself, and its callback is under test.
    case callback = "told"

    package static let table = "ecommpay-series"

    package var truths: [HostileTruth] {
        switch self {
        case .cancel: [.nothing, .done, .undone]
        case .update: [.nothing, .done, .otherAmount, .undone]
        case .debit: HostileTruth.allCases
        case .callback: [.done, .otherAmount, .twice, .undone]
        }
    }

    package var answers: [HostileAnswer] {
        switch self {
        case .cancel, .update, .debit:
            [.success] + HostileSeriesWords.refusals(self).map { .refusal($0) } + HostileAnswer.undocumented
        case .callback: [.success] + HostileSeriesWords.odd.map { .odd($0) } + [.lost]
        }
    }

    package var turns: [HostileTurn] { self == .callback ? [.first] : HostileTurn.allCases }

    /// Nothing is asked about a series itself: what goes on shows by the provider's next debit, told or not.
    package var looks: [HostileLook] {
        switch self {
        case .cancel, .update: [.truth]
        case .debit, .callback: HostileLook.allCases.filter { $0 != .forgotten && $0 != .bare }
        }
    }
}

package typealias HostileSeriesCase = HostileVariant<HostileSeriesScene>

extension HostileSeriesCase {
    /// Whether the provider says falsely in documented words to the first sending of a debit what came of it.
    ///
    /// Nothing is a lie about a series itself: it shows by the next debit.
    var isLie: Bool {
        guard scene == .debit, turn == .first else { return false }
        switch answer {
        case .success: return truth == .nothing
        case .refusal: return truth != .nothing
        case .status(let status, let body):
            return truth != .nothing && body == .json && [400, 401, 403, 404, 409, 422].contains(status)
        case .odd, .half, .lost: return false
        }
    }

    /// Whether the provider says in documented words that a series is cancelled or changed, and it is not.
    var isFalselyDone: Bool {
        switch answer {
        case .success: turn == .first && truth != .done
        case .refusal(let name): scene == .cancel && truth != .done && HostileSeriesWords.meansDone.contains(name)
        case .odd, .status, .half, .lost: false
        }
    }
}
