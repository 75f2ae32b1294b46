package import ProviderKit

/// The provider-side states of a payment at ecommpay and the moves between them.
package enum EcommpayStates {
    /// Legal moves; a message that implies another one contradicts what was known.
    package static let moves = ProviderMoves(initial: .unregistered, moves: opening + decided + money)

    /// A fold over the facts of one payment.
    package static func view(_ baseline: ProviderView.Baseline? = nil) -> ProviderView {
        ProviderView(moves: moves, moneyWords: StatusTable.moneyWords, baseline: baseline)
    }

    private typealias Move = ProviderMoves.Move

    /// While the payer and the platform are at it.
    private static let opening: [Move] = [
        Move(.unregistered, .waiting, "form confirmed, payer asked"),
        Move(.unregistered, .processing, "form confirmed or request taken"),
        Move(.waiting, .processing, "payer done"),
        Move(.processing, .waiting, "payer asked"),
        Move(.waiting, .unregistered, "form data refused"),
        Move(.processing, .unregistered, "form data refused"),
        Move(.waiting, .indeterminate, "platform does not know"),
        Move(.processing, .indeterminate, "platform does not know"),
        Move(.indeterminate, .processing, "platform goes on"),
        Move(.declined, .waiting, "another try in the form"),
        Move(.declined, .processing, "another try in the form"),
    ]

    /// From an open state to an end.
    private static let decided: [Move] = [.waiting, .processing, .indeterminate].flatMap { open in
        [
            Move(open, .held, "auth success"), Move(open, .captured, "sale success"),
            Move(open, .checked, "account verification success"), Move(open, .declined, "decline or error"),
            Move(open, .lapsed, "expired"), Move(open, .released, "invoice cancelled"),
        ]
    }

    /// Once money moved, only amounts move the state.
    private static let money: [Move] = [
        Move(.held, .captured, "capture success"),
        Move(.held, .released, "cancel success, nothing left"),
        Move(.captured, .partlyReturned, "refund or reversal success"),
        Move(.captured, .returned, "refund or reversal of all"),
        Move(.partlyReturned, .returned, "refund or reversal of the rest"),
        Move(.partlyReturned, .captured, "refund reverse success"),
        Move(.returned, .partlyReturned, "refund reverse success"),
        Move(.declined, .held, "late success"),
        Move(.declined, .captured, "late success"),
        Move(.declined, .checked, "late success"),
        Move(.lapsed, .held, "late success"),
        Move(.lapsed, .captured, "late success"),
    ]
}
