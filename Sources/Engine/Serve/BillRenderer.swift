import Crypto
import Decisions
package import EventSourcing
import Http
package import Kernel
package import Payments
package import ProviderKit

/// Renders what a payer's device needs for bills, and asks providers what moves no money; nothing of it is stored.
package struct BillRenderer: Sendable {
    private let store: any EventStore
    private let book: AccountBook
    private let contexts: Contexts
    private let adapters: AdapterRegistry
    private let vault: any Vault
    private let transport: any Transport
    private let publicUrl: String
    private let clock: @Sendable () -> Timestamp

    init(_ parts: EngineParts, _ contexts: Contexts) {
        store = parts.store
        book = contexts.book
        self.contexts = contexts
        adapters = parts.adapters
        vault = parts.vault
        transport = parts.transport
        publicUrl = parts.publicUrl
        clock = parts.clock
    }

    /// Renders the values that a bank's step needs, or the object that the app pays with.
    ///
    /// They are planned again as they were licensed, and held against the licence.
    package func render(_ chunk: Chunk, _ merchant: MerchantNumber) async throws(HandoverFailure) -> Json {
        do {
            if let action = chunk.action { return try await opened(action.handover, merchant) }
            guard let head = chunk.head, let license = chunk.dispatches.last?.license, license.purpose == .handover,
                !chunk.isSettled
            else { throw HandoverFailure.notOpen }
            let history = try await store.load([(StreamName(merchant, .chunk, chunk.id), 0)])[0]
            let cause = history.last { recorded in
                guard case .licensed(license, _)? = try? ChunkEvent(recorded) else {
                    return false
                }
                return true
            }
            guard let context = try await contexts.licensing(cause, store),
                let account = context.account(license.account),
                let adapter = adapters[account.facts.provider], let bills = adapter.bills
            else { throw HandoverFailure.unavailable("account") }
            let card = try await contexts.unlessRemoved(context.instrument, merchant)
            let credentials = try await contexts.whileUsable(context.credentials, merchant)
            let template = try bills.plan(
                PlannedBills(
                    purpose: .handover,
                    lines: chunk.admitted,
                    cardToken: card?.usableToken,
                    cardMask: card?.saved?.fact.masked,
                    credentials: credentials?.usableToken,
                    login: credentials?.saved?.fact.login,
                    isByWallet: head.isByWallet
                ),
                account.settings(publicUrl: context.publicUrl)
            )
            guard template.digest == license.templateDigest else {
                throw HandoverFailure.changed
            }
            return try await opened(template.content, merchant)
        } catch let failure as HandoverFailure {
            throw failure
        } catch let failure as PlanFailure {
            throw .impossible(failure.code)
        } catch {
            throw .unavailable("\(type(of: error))")
        }
    }

    private func opened(_ content: Json, _ merchant: MerchantNumber) async throws -> Json {
        let values = try await vault.open(content, merchant: merchant)
        let materials = Materials(secrets: AccountSecrets([:]), open: { values[$0] }, now: clock())
        do throws(FinishFailure) { return try content.opened(with: materials) } catch {
            if case .erased = error { throw HandoverFailure.erased }
            throw HandoverFailure.unavailable("content")
        }
    }

    /// Opens one sealed value; `nil` where its subject was erased.
    package func open(_ sealed: Json, _ merchant: MerchantNumber) async throws(VaultFailure) -> Secret? {
        try await vault.open(sealed, merchant: merchant)[sealed]?.text.map { Secret($0) }
    }

    /// Asks once; a question that got no answer is the asker's to repeat.
    package func ask(_ question: BillQuestion, account id: Uuid, _ merchant: MerchantNumber)
        async throws(HandoverFailure) -> BillQuestionAnswer
    {
        let found: ConfiguredAccount?
        do throws(StoreFailure) { found = try await book.newest(id, merchant) } catch {
            throw .unavailable(error.code.rawValue)
        }
        guard let account = found, let bills = adapters[account.facts.provider]?.bills else {
            throw .unavailable("account")
        }
        let request = bills.ask(question, account.settings(publicUrl: publicUrl))
        switch await transport.send(request, aboutToSend: { true }) {
        case .answered(let response): return bills.answer(to: question, response)
        case .notSent(let reason): throw .unavailable("the provider can't be reached: \(reason.rawValue)")
        case .sentNoAnswer: throw .unavailable("the provider did not answer")
        }
    }
}
