package import ProviderKit

/// The provider-side states of an order at Dolyame and the moves between them.
package enum DolyameStates {
    /// Legal moves; a message that implies another one contradicts what was known.
    package static let moves = ProviderMoves(initial: .unregistered, moves: opening + decided + money)

    /// A fold over the facts of one payment.
    package static func view(_ baseline: ProviderView.Baseline? = nil) -> ProviderView {
        ProviderView(moves: moves, moneyWords: StatusTable.moneyWords, baseline: baseline)
    }

    private typealias Move = ProviderMoves.Move

    /// While the payer is in the form.
    private static let opening: [Move] = [
        Move(.unregistered, .waiting, "new"),
        Move(.waiting, .processing, "approved"),
    ]

    /// From an open order to an end.
    private static let decided: [Move] = [.waiting, .processing].flatMap { open in
        [
            Move(open, .held, "wait_for_commit or waiting_for_commit"), Move(open, .declined, "rejected"),
            Move(open, .lapsed, "canceled by nobody here"), Move(open, .released, "canceled on request"),
        ]
    }

    /// Once money is held, amounts move the state.
    private static let money: [Move] = [
        Move(.held, .captured, "committed or completed"),
        Move(.held, .released, "canceled"),
        Move(.captured, .partlyReturned, "refund_info, a part"),
        Move(.captured, .returned, "refund_info, all"),
        Move(.partlyReturned, .returned, "refund_info, the rest"),
        Move(.declined, .held, "late success"),
        Move(.lapsed, .held, "late success"),
    ]
}
