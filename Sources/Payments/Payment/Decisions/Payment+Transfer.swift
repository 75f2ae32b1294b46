import Kernel

/// Money that goes on to another card: decided as a payment is, and never taken back.
extension Payment {
    package var isTransfer: Bool { terms?.mode == .transfer }

    /// Refuses terms that no transfer can have, and transfers where there can be none.
    func checkTransfer(_ terms: PaymentTerms, _ context: PaymentContext) throws(Rejection) {
        guard terms.mode == .transfer else { return }
        let ways = context.capabilities.transfers
        guard !ways.isEmpty else {
            throw Rejection(.transferNotSupported, "This account moves no money on to other cards.", path: "account")
        }
        let isPossible: Bool
        switch terms.method {
        case .sdk: isPossible = ways.contains(.sdk)
        case .hosted: isPossible = ways.contains(.page)
        case .instrument: isPossible = true
        case .wallet: isPossible = false
        }
        guard isPossible else {
            let possible = ways.map(\.rawValue).sorted().joined(separator: ", ")
            throw Rejection(.transferMethod, "Transfers of this account go by \(possible).", path: "method")
        }
    }

    /// The money is with its recipient, or will be: nothing here can hold it up or bring it back.
    func refuseAfterTransfer(_ command: PaymentCommand) throws(Rejection) {
        guard isTransfer else { return }
        switch command {
        case .capture, .void, .refund, .completeDelivery:
            throw Rejection(.transferFinal, "A transfer is final: it is neither captured nor taken back.")
        case .create, .adopt, .confirm, .sync, .recordDispute, .addEvidence, .propose, .approve: return
        }
    }
}
