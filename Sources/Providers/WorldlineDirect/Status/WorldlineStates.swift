package import ProviderKit

/// The provider-side states of a payment at Worldline and the moves between them.
package enum WorldlineStates {
    /// Legal moves; a message that implies another one contradicts what was known.
    package static let moves = ProviderMoves(initial: .unregistered, moves: opening + decided + money)

    /// A fold over the facts of one payment.
    package static func view(_ baseline: ProviderView.Baseline? = nil) -> ProviderView {
        ProviderView(moves: moves, moneyWords: StatusTable.moneyWords, baseline: baseline)
    }

    private typealias Move = ProviderMoves.Move

    /// While payer, provider and issuer are at it.
    private static let opening: [Move] = [
        Move(.unregistered, .waiting, "REDIRECTED"),
        Move(.unregistered, .processing, "PENDING_PAYMENT or AUTHORIZATION_REQUESTED"),
        Move(.waiting, .processing, "payer done"),
        Move(.processing, .waiting, "payer asked"),
        Move(.waiting, .indeterminate, "code 52"),
        Move(.processing, .indeterminate, "code 52"),
        Move(.indeterminate, .processing, "issuer asked again"),
        Move(.declined, .waiting, "another try on the page"),
        Move(.declined, .processing, "another try on the page"),
    ]

    /// From an open state to an end.
    private static let decided: [Move] = [.unregistered, .waiting, .processing, .indeterminate].flatMap { open in
        [
            Move(open, .held, "PENDING_CAPTURE"), Move(open, .captured, "CAPTURED"),
            Move(open, .declined, "REJECTED, or CANCELLED by the payer"),
            Move(open, .lapsed, "page ended unpaid"), Move(open, .released, "CANCELLED"),
        ]
    }

    /// Once money moved, only amounts move the state.
    private static let money: [Move] = [
        Move(.held, .captured, "CAPTURED"),
        Move(.held, .released, "CANCELLED, code 6"),
        Move(.captured, .partlyReturned, "REFUNDED in part"),
        Move(.captured, .returned, "REFUNDED"),
        Move(.partlyReturned, .returned, "REFUNDED, the rest"),
        Move(.declined, .held, "late success"),
        Move(.declined, .captured, "late success"),
        Move(.lapsed, .held, "late success"),
        Move(.lapsed, .captured, "late success"),
    ]
}
