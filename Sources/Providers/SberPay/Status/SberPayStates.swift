package import ProviderKit

/// The provider-side states of an order and the moves between them.
package enum SberPayStates {
    package static let moves = ProviderMoves(initial: .unregistered, moves: opening + decided + money)

    /// A fold over the facts of one payment.
    package static func view(_ baseline: ProviderView.Baseline? = nil) -> ProviderView {
        ProviderView(moves: moves, moneyWords: [:], baseline: baseline)
    }

    private typealias Move = ProviderMoves.Move

    private static let opening: [Move] = [
        Move(.unregistered, .waiting, "register.do, status 0"),
        Move(.unregistered, .processing, "recurrentPayment.do"),
        Move(.processing, .waiting, "status 5"),
        Move(.waiting, .processing, "payer done"),
        Move(.waiting, .indeterminate, "a status that nobody knows"),
        Move(.processing, .indeterminate, "a status that nobody knows"),
        Move(.indeterminate, .waiting, "status 0 or 5"),
    ]

    private static let decided: [Move] = [.waiting, .processing, .indeterminate].flatMap { open in
        [
            Move(open, .held, "status 1"), Move(open, .captured, "status 2"),
            Move(open, .checked, "status 3 of a check"),
            Move(open, .declined, "status 6"), Move(open, .lapsed, "status 6, code -2007"),
            Move(open, .released, "status 3, or 6 with code 4005"),
        ]
    }

    private static let money: [Move] = [
        Move(.held, .captured, "deposit.do, status 2"),
        Move(.held, .released, "reverse.do, status 3"),
        Move(.captured, .partlyReturned, "refund.do, status 4"),
        Move(.captured, .returned, "refund.do of all, or reverse.do on the same day"),
        Move(.partlyReturned, .returned, "refund.do of the rest"),
        Move(.lapsed, .captured, "late success"),
        Move(.lapsed, .held, "late success"),
    ]
}
