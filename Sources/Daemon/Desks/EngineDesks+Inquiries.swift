package import Api
import Engine
package import EventSourcing
package import Kernel
package import ProviderKit

/// Questions to providers, asked by the engine.
extension EngineDesks: InquiryDesk {
    package func testConnection(_ account: Uuid, merchant: MerchantNumber) async
        -> Result<ConnectionVerdict, InquiryFailure>
    {
        do throws(InquiryFailure) {
            switch try await engine.inquirer.connection(account, merchant) {
            case .connected: return .success(.works)
            case .refused(let status, let code): return .success(.refused(status: status, code: code))
            case .session, .products, .cardPrefix, .unknown:
                return .failure(InquiryFailure(.unreadable, "The provider answered something else."))
            }
        } catch {
            return .failure(error)
        }
    }

    package func openSession(tokens: [Json], _ account: Uuid, merchant: MerchantNumber) async
        -> Result<OpenedSession, InquiryFailure>
    {
        // The lifetime counts from the question: the answer took its time.
        let asked = clock()
        do throws(InquiryFailure) {
            let (session, invalid) = try await engine.inquirer.session(tokens: tokens, account, merchant)
            return .success(
                OpenedSession(object: session.object, expiresAt: asked.adding(session.lifetime), invalid: invalid)
            )
        } catch {
            return .failure(error)
        }
    }

    package func products(
        _ setting: PaymentSetting,
        product: Int64?,
        payer: PayerTokens?,
        _ account: Uuid,
        merchant: MerchantNumber
    ) async -> Result<ListedProducts?, InquiryFailure> {
        do throws(InquiryFailure) {
            let found = try await engine.inquirer.products(
                setting,
                product: product,
                payer: payer,
                account,
                merchant
            )
            return .success(
                found.map { ListedProducts(items: $0.list.items, fetchedAt: $0.fetchedAt, isStale: $0.isStale) }
            )
        } catch {
            return .failure(error)
        }
    }

    package func cardPrefix(
        _ digits: Secret,
        _ setting: PaymentSetting,
        _ account: Uuid,
        merchant: MerchantNumber
    ) async -> Result<CardPrefixReply, InquiryFailure> {
        do throws(InquiryFailure) {
            return .success(try await engine.inquirer.cardPrefix(digits, setting, account, merchant))
        } catch {
            return .failure(error)
        }
    }

    package func recordSession(_ account: Uuid, merchant: MerchantNumber, key: String) async throws(ReadFailure) {
        try await access.record("client_session", StreamName(merchant, .account, account), key: key)
    }
}
