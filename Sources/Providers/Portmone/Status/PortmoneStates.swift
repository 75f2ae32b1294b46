package import ProviderKit

/// The provider-side states of a payment at Portmone and the moves between them.
package enum PortmoneStates {
    /// Legal moves; a message that implies another one contradicts what was known.
    package static let moves = ProviderMoves(initial: .unregistered, moves: opening + decided + money)

    /// A fold over the facts of one payment.
    package static func view(_ baseline: ProviderView.Baseline? = nil) -> ProviderView {
        ProviderView(moves: moves, moneyWords: [:], baseline: baseline)
    }

    private typealias Move = ProviderMoves.Move

    /// While the payer is at the page or in the app.
    private static let opening: [Move] = [
        Move(.unregistered, .waiting, "CREATED"),
        Move(.waiting, .unregistered, "no row"),
        Move(.unregistered, .processing, "request taken"),
        Move(.unregistered, .indeterminate, "unknown or empty status"),
        Move(.waiting, .indeterminate, "unknown or empty status"),
        Move(.processing, .indeterminate, "unknown or empty status"),
        Move(.processing, .waiting, "CREATED"),
        Move(.indeterminate, .waiting, "CREATED"),
        Move(.declined, .waiting, "another try under the number"),
        Move(.declined, .indeterminate, "another try under the number"),
    ]

    /// From an open state to an end.
    private static let decided: [Move] = [.unregistered, .waiting, .processing, .indeterminate].flatMap { open in
        [
            Move(open, .held, "PREAUTH"), Move(open, .captured, "PAYED"),
            Move(open, .declined, "REJECTED without a hold"),
            Move(open, .checked, "PREAUTH or PAYED of a saved card"),
            Move(open, .released, "CANCELED"),
        ]
    }

    /// Once money moved, only amounts move the state.
    private static let money: [Move] = [
        Move(.held, .captured, "PAYED, whole or in part"),
        Move(.held, .released, "REJECTED after a hold"),
        Move(.captured, .partlyReturned, "RETURN row"),
        Move(.captured, .returned, "RETURN rows of all, or automatic cancellation"),
        Move(.partlyReturned, .returned, "RETURN rows of all"),
        Move(.declined, .held, "late success"),
        Move(.declined, .captured, "late success"),
        Move(.lapsed, .held, "late success"),
        Move(.lapsed, .captured, "late success"),
    ]
}
