package import Kernel

/// An attempt that another one followed, with what belonged to it alone.
package struct PastAttempt: Hashable, Sendable {
    package let attempt: Attempt
    package let account: AccountFacts
    package let order: ProviderOrder?
    package let handovers: [DispatchLicense]
    package let methodAtProvider: String?
    package let cardScheme: String?
}

extension Payment {
    /// Number of the current attempt.
    package var attemptNumber: Int { attempt?.number ?? pastAttempts.count + 1 }

    /// The attempt at an account; no payment is tried at the same account twice.
    package func attemptNumber(at account: Uuid) -> Int {
        pastAttempts.first { $0.account.id == account }?.attempt.number ?? attemptNumber
    }

    package func isPast(_ number: Int) -> Bool { number < attemptNumber }

    package func attempt(_ number: Int) -> Attempt? { past(number)?.attempt ?? attempt }

    package func account(of number: Int) -> AccountFacts? { past(number)?.account ?? account }

    package func order(of number: Int) -> ProviderOrder? { past(number).map(\.order) ?? order }

    package func handovers(of number: Int) -> [DispatchLicense] { past(number)?.handovers ?? handovers }

    /// Whether the payer of an attempt is at the provider's form, or may be: one was given to the device, an order was opened,
    /// or a message of ours asks for a form, and its answer may be lost where the payer has come to it.
    package func mayBeAtForm(_ number: Int) -> Bool {
        if !handovers(of: number).isEmpty || order(of: number) != nil { return true }
        switch terms?.method {
        case .hosted?, .sdk?: return true
        case .instrument?, .wallet?, nil: return false
        }
    }

    /// How an attempt was paid by the provider's own word, where it is known.
    package func methodAtProvider(of number: Int) -> String? {
        past(number).map(\.methodAtProvider) ?? methodAtProvider
    }

    /// The scheme of the card that an attempt was paid with, where it is known.
    package func cardScheme(of number: Int) -> String? { past(number).map(\.cardScheme) ?? cardScheme }

    /// What the providers of all attempts keep, in the payment's currency where they told any in it.
    package var fee: Money? { whole(fees) }
    /// What they took of the payer beside the amount.
    package var commission: Money? { whole(commissions) }

    private func whole(_ parts: [Int: Money]) -> Money? {
        let own = parts.values.filter { $0.currency == currency }
        guard let first = own.first else { return parts.max { $0.key < $1.key }?.value }
        return Money(own.dropFirst().reduce(first.minor) { $0.addingClamped($1.minor) }, first.currency)
    }

    /// The operation that an attempt began with.
    package func initial(of number: Int) -> Operation? {
        // What a provider made by itself began there.
        operations.first {
            $0.attempt == number && $0.kind.isInitial && ($0.origin == .commanded || terms?.adopted != nil)
        }
    }

    /// The operations of an attempt; nearly always all there are, which are then lent as they are.
    package func operations(of number: Int) -> [Operation] {
        operations.allSatisfy { $0.attempt == number } ? operations : operations.filter { $0.attempt == number }
    }

    /// Numbers of the attempts so far.
    package var attemptNumbers: ClosedRange<Int> { 1...max(1, attemptNumber) }

    /// Every account that the payment was tried at, in that order.
    package var triedAccounts: [AccountFacts] { pastAttempts.map(\.account) + [account].compactMap(\.self) }

    private func past(_ number: Int) -> PastAttempt? { pastAttempts.first { $0.attempt.number == number } }
}
