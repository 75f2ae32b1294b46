import Crypto
import Decisions
package import EventSourcing
import Http
import Kernel
import Payments
package import ProviderKit

/// Why nothing is rendered or signed.
package enum HandoverFailure: Error, Hashable, Sendable {
    case paymentUnknown
    /// Nothing is open for the payer.
    case notOpen
    /// The rendered page would be another one than was licensed.
    case changed
    case erased
    /// Nothing can be made of what is known, now or later, as where an address was lost.
    case impossible(String)
    case refused(SignatureRefusal)
    case unavailable(String)
}

/// Renders what the payer's device needs from references at request time: planned again as it was licensed, held against
/// the licence's digest, signed, and never stored.
package struct HandoverRenderer: Sendable {
    private let store: any EventStore
    private let streamCache: StreamCache
    private let book: AccountBook
    private let contexts: Contexts
    private let adapters: AdapterRegistry
    private let vault: any Vault
    private let clock: @Sendable () -> Timestamp

    init(_ parts: EngineParts, _ contexts: Contexts, _ streamCache: StreamCache) {
        store = parts.store
        self.streamCache = streamCache
        book = contexts.book
        self.contexts = contexts
        adapters = parts.adapters
        vault = parts.vault
        clock = parts.clock
    }

    /// The address or SDK object of a payment that waits for its payer; `history` is its stream where that was read just now.
    package func render(_ stream: StreamName, _ history: [RecordedEvent]? = nil) async throws(HandoverFailure)
        -> RenderedHandover
    {
        let open = try await self.open(stream, history)
        let rendered: RenderedHandover
        do throws(FinishFailure) { rendered = try open.adapter.render(open.template, open.materials) } catch {
            throw Self.failure(error)
        }
        // Whatever an adapter makes of a provider's answer, the payer is sent nowhere else.
        if case .redirect(let url) = rendered, !WebAddress.takesPayer(url, isLive: open.isLive, isApp: open.isApp) {
            throw .impossible("address")
        }
        return rendered
    }

    /// The signature for a string that the SDK made.
    package func sign(_ text: String, _ stream: StreamName, _ history: [RecordedEvent]? = nil)
        async throws(HandoverFailure) -> String
    {
        let open = try await self.open(stream, history)
        do throws(SignatureRefusal) { return try open.adapter.sign(text, open.template, open.materials) } catch {
            throw .refused(error)
        }
    }

    private struct Open {
        let adapter: any DeviceAdapter
        let template: RequestTemplate
        let materials: Materials
        let isLive: Bool
        /// Whether an app's own scheme leads the payer on, as for a wallet.
        let isApp: Bool
    }

    private func open(_ stream: StreamName, _ read: [RecordedEvent]?) async throws(HandoverFailure) -> Open {
        let merchant = stream.merchant
        do {
            let history: [RecordedEvent]
            if let read { history = read } else { history = try await streamCache.current([stream])[0].events }
            let payment: Payment = try contexts.folds.fold(stream, history)
            guard let terms = payment.terms else { throw HandoverFailure.paymentUnknown }
            guard payment.payerAction.map({ $0 != .approval }) == true,
                let license = payment.handovers.last ?? payment.openedBy, clock() < payment.plannedHandover.deadline
            else { throw HandoverFailure.notOpen }
            let cause = history.last { (try? PaymentEvent($0)) == .dispatchLicensed(license) }
            guard let context = try await contexts.licensing(cause, store),
                let account = context.account(license.account),
                let newest = try await book.newest(license.account, merchant),
                let adapter = adapters[account.facts.provider]?.device
            else { throw HandoverFailure.unavailable("account") }
            let template = try adapter.plan(
                payment.plannedHandover,
                PlanContext(
                    terms: terms,
                    settings: account.settings(publicUrl: context.publicUrl),
                    instrument: try await contexts.unlessRemoved(context.instrument, merchant)
                )
            )
            // What an order of the provider gives is the provider's; only what we made was licensed by its digest.
            guard payment.order != nil || template.digest == license.templateDigest
            else { throw HandoverFailure.changed }
            let opened = try await vault.open(template.content, merchant: merchant)
            let secrets = try await vault.secrets(newest.sealedSecrets, account: license.account, merchant: merchant)
            return Open(
                adapter: adapter,
                template: template,
                materials: Materials(secrets: secrets, open: { opened[$0] }, now: clock()),
                isLive: account.facts.mode == .live,
                isApp: terms.method == .wallet
            )
        } catch let failure as HandoverFailure {
            throw failure
        } catch let failure as PlanFailure {
            throw .impossible(failure.code)
        } catch {
            throw .unavailable("\(type(of: error))")
        }
    }

    private static func failure(_ failure: FinishFailure) -> HandoverFailure {
        switch failure {
        case .erased: .erased
        case .missingSecret(let name): .unavailable("secret \(name)")
        case .malformedTemplate(let what): .impossible(what)
        }
    }
}

extension Payment {
    /// The licence of the message that opened the provider's order.
    fileprivate var openedBy: DispatchLicense? { order == nil ? nil : initial?.dispatches.last?.license }
}
