import Kernel

/// Debits that a provider makes by itself: payments that began there.
extension PaymentDraft {
    /// Begins such a payment, or books what the provider says of it now.
    ///
    /// News that came between the debit and this stream has reached another stream: a look tells it. A debit that was
    /// told without its operation books nothing yet: a look tells that, too.
    mutating func adopt(_ terms: PaymentTerms, _ debit: SeriesDebit) {
        let isNew = !payment.isCreated
        if isNew {
            add(.created(terms, account: context.account))
            add(.attemptOpened(number: 1, reference: debit.payment, deadline: terms.expiresAt))
        }
        if let operation = debit.operation { book(debit, of: operation, isNew: isNew) }
        if isNew { queryAboutNews() }
    }

    private mutating func book(_ debit: SeriesDebit, of operation: String, isNew: Bool) {
        if isNew {
            add(
                .operationAdopted(
                    OperationRequest(
                        id: payment.adoptedId(operation, attempt: 1),
                        kind: .sale,
                        amount: debit.amount,
                        target: nil,
                        reference: debit.payment,
                        actor: "provider",
                        reason: nil,
                        at: context.now
                    )
                )
            )
        }
        book(
            ProviderOperation(
                providerId: operation,
                kind: .sale,
                outcome: debit.providerOutcome,
                amount: debit.amount.map { .stated($0) } ?? .absent,
                createdAt: debit.at,
                changedAt: debit.at
            )
        )
    }
}

extension SeriesDebit {
    fileprivate var providerOutcome: ProviderOutcome {
        switch outcome {
        case .succeeded: .succeeded
        case .declined(let decline): .declined(decline)
        }
    }
}
