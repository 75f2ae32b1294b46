import Decisions
package import EventSourcing
import Http
package import Kernel
import Payments
package import ProviderKit
import Telemetry

/// Asks providers about accounts while somebody waits: planned by the adapter, signed with the account's secrets, sent once.
///
/// Nothing of it is stored. An answer that does not come is no answer; whoever waits asks again.
package struct Inquirer: Sendable {
    /// The time in which a provider has to answer a person or an app.
    private static let deadline = Duration.seconds(10)

    private let book: AccountBook
    private let adapters: AdapterRegistry
    private let vault: any Vault
    private let transport: any Transport
    private let publicUrl: String
    private let clock: @Sendable () -> Timestamp
    private let meters: EngineMeters
    private let products = ProductCache()

    init(_ parts: EngineParts, book: AccountBook) {
        self.book = book
        adapters = parts.adapters
        vault = parts.vault
        transport = parts.transport
        publicUrl = parts.publicUrl
        clock = parts.clock
        meters = parts.meters
    }

    /// Whether the account's credentials work; a refusal is an answer.
    package func connection(_ account: Uuid, _ merchant: MerchantNumber) async throws(InquiryFailure) -> InquiryReply {
        let respondent = try await respondent(account, merchant)
        return try await ask(.connection, at: respondent).reply
    }

    /// A session of one payer; tells which of the tokens, by their places, the provider does not know any more.
    package func session(
        tokens: [Json],
        _ account: Uuid,
        _ merchant: MerchantNumber
    ) async throws(InquiryFailure) -> (session: AppSession, invalid: [Int]) {
        let respondent = try await respondent(account, merchant)
        let asked = try await ask(.session(tokens: tokens), at: respondent)
        switch asked.reply {
        case .session(let session):
            let gone = Set(session.invalidTokens)
            let invalid = tokens.indices.filter { place in
                (tokens[place].text ?? asked.opened[tokens[place]]?.text).map(gone.contains) ?? false
            }
            return (session, invalid)
        case .refused(let status, let code): throw Self.refusal(status, code)
        case .connected, .products, .cardPrefix, .unknown: throw Self.unreadable
        }
    }

    /// The provider's word on a card's first digits; they pass through memory alone.
    package func cardPrefix(
        _ digits: Secret,
        _ setting: PaymentSetting,
        _ account: Uuid,
        _ merchant: MerchantNumber
    ) async throws(InquiryFailure) -> CardPrefixReply {
        let respondent = try await respondent(account, merchant)
        let text = digits.withBytes { String(decoding: $0, as: UTF8.self) }
        do throws(PlanFailure) {
            guard try respondent.adapter.isEnough(digits: text) else {
                return CardPrefixReply(status: .notEnoughDigits)
            }
        } catch {
            throw InquiryFailure(.invalid, error.detail, plan: error)
        }
        let hole = OnceHole.hole(Inquiry.digits)
        switch try await ask(.cardPrefix(setting), at: respondent, once: [hole: .string(text)]).reply {
        case .cardPrefix(let reply): return reply
        case .refused(let status, let code): throw Self.refusal(status, code)
        case .connected, .products, .session, .unknown: throw Self.unreadable
        }
    }

    /// Products, or one of them; `nil` where the provider knows no such product.
    ///
    /// Saved cards among them are this payer's alone, and nobody's where no payer is named.
    package func products(
        _ setting: PaymentSetting,
        product: Int64?,
        payer: PayerTokens?,
        _ account: Uuid,
        _ merchant: MerchantNumber
    ) async throws(InquiryFailure) -> CachedProducts? {
        let respondent = try await respondent(account, merchant)
        let tokens = payer?.tokens ?? []
        let opened: [Json: Json]
        do throws(VaultFailure) { opened = try await vault.open(.array(tokens), merchant: merchant) } catch {
            throw InquiryFailure(.unavailable, error.detail)
        }
        guard let found = try await cached(setting, product: product, customer: payer?.customer, respondent) else {
            return nil
        }
        let own = Set(tokens.compactMap { $0.text ?? opened[$0]?.text })
        return CachedProducts(
            list: respondent.adapter.narrowed(found.list, to: own),
            fetchedAt: found.fetchedAt,
            isStale: found.isStale
        )
    }

    /// A list from the cache where it is fresh, else as the provider gives it.
    ///
    /// An older list stands in for an answer that does not come, as long as it may be kept, and is marked.
    private func cached(
        _ setting: PaymentSetting,
        product: Int64?,
        customer: String?,
        _ respondent: Respondent
    ) async throws(InquiryFailure) -> CachedProducts? {
        let key = ProductCacheKey(
            account: respondent.account.facts.id,
            accountVersion: respondent.account.facts.version,
            setting: setting,
            product: product,
            customer: customer
        )
        let times = respondent.adapter.cacheTimes(respondent.account.settings(publicUrl: publicUrl))
        let now = clock()
        let known = products.find(key, at: now, times)
        if let known, now.since(known.fetchedAt) < times.fresh {
            meters.productsListed("fresh")
            return known
        }
        let reply: InquiryReply
        do throws(InquiryFailure) {
            reply = try await ask(product.map { .product($0, setting) } ?? .products(setting), at: respondent).reply
        } catch {
            guard error.code == .unreachable || error.code == .unreadable, let known else {
                meters.productsListed("failed")
                throw error
            }
            meters.productsListed("stale")
            return known.stale
        }
        meters.productsListed("asked")
        switch reply {
        case .products(let list):
            let fetched = CachedProducts(list: list, fetchedAt: clock(), isStale: false)
            if let place = key.keeping(list) { products.keep(fetched, place, times) }
            return fetched
        case .unknown: return nil
        case .refused(let status, let code): throw Self.refusal(status, code)
        case .connected, .session, .cardPrefix: throw Self.unreadable
        }
    }

    // MARK: One question

    private struct Respondent {
        let merchant: MerchantNumber
        let account: ConfiguredAccount
        let adapter: any InquiryAdapter
    }

    private static let unreadable = InquiryFailure(.unreadable, "The provider answered something else.")

    private static func refusal(_ status: Int, _ code: String?) -> InquiryFailure {
        InquiryFailure(.refused, "The provider refused it: HTTP \(status)\(code.map { ", code \($0)" } ?? "").")
    }

    private func respondent(_ id: Uuid, _ merchant: MerchantNumber) async throws(InquiryFailure) -> Respondent {
        let found: ConfiguredAccount?
        do throws(StoreFailure) { found = try await book.newest(id, merchant) } catch {
            throw InquiryFailure(.unavailable, error.detail)
        }
        guard let found else { throw InquiryFailure(.accountUnknown, "There is no such account.") }
        guard let adapter = adapters[found.facts.provider]?.inquiries else {
            throw InquiryFailure(.notOffered, "\(found.facts.provider) answers no such question.")
        }
        return Respondent(merchant: merchant, account: found, adapter: adapter)
    }

    private func ask(
        _ inquiry: Inquiry,
        at respondent: Respondent,
        once: [Json: Json] = [:]
    ) async throws(InquiryFailure) -> (reply: InquiryReply, opened: [Json: Json]) {
        let template: RequestTemplate
        do throws(PlanFailure) {
            template = try respondent.adapter.plan(inquiry, respondent.account.settings(publicUrl: publicUrl))
        } catch {
            throw InquiryFailure(.invalid, error.detail, plan: error)
        }
        let opened: [Json: Json]
        let secrets: AccountSecrets
        do throws(VaultFailure) {
            opened = try await vault.open(template.content, merchant: respondent.merchant)
            secrets = try await vault.secrets(
                respondent.account.sealedSecrets,
                account: respondent.account.facts.id,
                merchant: respondent.merchant
            )
        } catch {
            throw InquiryFailure(.unavailable, error.detail)
        }
        var request: OutgoingRequest
        do throws(FinishFailure) {
            let materials = Materials(secrets: secrets, open: { once[$0] ?? opened[$0] }, now: clock())
            request = try respondent.adapter.finish(template, materials)
        } catch {
            switch error {
            case .erased: throw InquiryFailure(.erased, "A saved credential's owner was erased.")
            case .missingSecret(let name): throw InquiryFailure(.unavailable, "secret \(name)")
            case .malformedTemplate(let what): throw InquiryFailure(.unavailable, what)
            }
        }
        request.deadline = Self.deadline
        let begun = ContinuousClock.now
        let outcome = await transport.send(request) { true }
        meters.exchanged(respondent.account.facts.provider, outcome, took: begun.duration(to: .now))
        switch outcome {
        case .notSent(let reason): throw InquiryFailure(.unreachable, "Not sent: \(reason.rawValue).")
        case .sentNoAnswer(let lost): throw InquiryFailure(.unreachable, "No answer: \(lost.reason.rawValue).")
        case .answered(let response):
            if response.status >= 500 || response.status == 429 {
                throw InquiryFailure(.unreachable, "The provider answered HTTP \(response.status).")
            }
            guard let reply = respondent.adapter.read(response, to: inquiry) else { throw Self.unreadable }
            return (reply, opened)
        }
    }
}
