package import EventSourcing
package import Kernel

extension StreamKind {
    /// Whether its streams are decided and folded as payments: a transfer is one whose money goes on.
    package var isPayment: Bool {
        switch self {
        case .payment, .transfer: true
        case .instrument, .schedule, .billBatch, .bill, .chunk, .account, .routing, .webhookEndpoint, .merchant,
            .arrivals, .paymentLink:
            false
        }
    }
}

extension PaymentTerms {
    /// The kind of stream that a payment of these terms lives in.
    package var streamKind: StreamKind {
        switch mode {
        case .sale, .authorize, .verify, .tokenize: .payment
        case .transfer: .transfer
        }
    }
}

extension PaymentCommand.Name {
    /// The stored name of the command: a transfer's commands are named after it, as in `transfer.create`.
    package func text(in kind: StreamKind) -> String {
        kind == .transfer ? "transfer." + verb : rawValue
    }

    /// Reads a stored name; one of the other kind of stream is none.
    package init?(_ text: String, in kind: StreamKind) {
        guard let name = Self.allCases.first(where: { $0.text(in: kind) == text }) else { return nil }
        self = name
    }

    private var verb: Substring { rawValue.split(separator: ".").last ?? "" }
}

extension PaymentCommand {
    package static func name(_ text: String, in kind: StreamKind) -> Name? { Name(text, in: kind) }
}

extension Payment {
    /// The id as answers show it: a transfer has a prefix of its own.
    package var shownId: Json { isTransfer ? TransferId(id.uuid).json : id.json }

    /// The name of such an object in answers.
    package var objectName: String { isTransfer ? "transfer" : "payment" }
}
