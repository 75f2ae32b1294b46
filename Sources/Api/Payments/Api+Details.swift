import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit

/// Members whose schema is the provider's: what is sealed, what is kept in memory alone, and what nobody would hear of.
extension Api {
    /// Lists the places that are personal for the provider that takes the payment, or for one that it may go on to.
    func personalPaths(_ adapter: any Adapter, _ route: RouteDecision?) -> [JsonPath] {
        readers(adapter, route).reduce(into: []) { paths, declaration in
            paths += declaration.personalDetailPaths.filter { !paths.contains($0) }
        }
    }

    /// Who may read the details: the provider that takes the payment, and those that it may go on to.
    func readers(_ adapter: any Adapter, _ route: RouteDecision?) -> [Declaration] {
        let others = followers(route).compactMap { $0.facts.flatMap { adapters[$0.provider]?.declaration } }
        return [adapter.declaration] + others.filter { $0.id != adapter.declaration.id }
    }

    /// The accounts that may get the details: the one that takes the payment, and those that it may go on to.
    func takers(_ facts: AccountFacts, _ route: RouteDecision?) -> [AccountFacts] {
        [facts] + followers(route).filter(\.mayFollow).compactMap(\.facts).filter { $0.id != facts.id }
    }

    private func followers(_ route: RouteDecision?) -> [RouteCandidate] {
        guard let route, route.fallback.attempts > 1 else { return [] }
        return route.candidates
    }

    /// Takes out what may be written nowhere; what can't be kept stays, for the adapter to refuse.
    func keepOnce(_ details: Json, _ paths: [JsonPath], of payment: Uuid, _ call: Call) -> Json {
        // What comes through the database was written down already: it stays as it is, for the adapter to refuse.
        guard keepsOnce, call.actor != Self.sqlActor else { return details }
        return kept(details, paths, of: payment, call.merchant)
    }

    /// Refuses details that the provider of this account would never hear of.
    func refuseDropped(_ details: Json, _ use: DetailsUse, _ facts: AccountFacts, _ call: Call) async throws(Problem) {
        guard details.members?.isEmpty == false, let adapter = adapters[facts.provider] else { return }
        let settings = try await reader.settings(of: facts, call.merchant)
        do throws(PlanFailure) { try adapter.refuseDropped(details, for: use, settings) } catch { throw Problem(error) }
    }

    /// The document with a hole in place of each value that may be written nowhere.
    func kept(_ document: Json, _ paths: [JsonPath], of payment: Uuid, _ merchant: MerchantNumber) -> Json {
        paths.reduce(document) { document, path in
            document.replacing(path) { value, _ in
                guard !OnceHole.isHole(value) else { return value }
                return engine.once.keep(value, of: payment, merchant: merchant, at: now) ?? value
            }
        }
    }
}

extension PaymentCommand {
    /// The details of a command to a payment that exists, and what they are for.
    var ownDetails: (Json, DetailsUse)? {
        switch self {
        case .capture(_, _, let details?): (details, .operation(.capture))
        case .refund(_, _, _, let details?): (details, .operation(.refund))
        case .completeDelivery(let details?): (details, .auxiliary(.completeDelivery))
        case .create, .adopt, .confirm, .capture, .void, .refund, .completeDelivery, .sync, .recordDispute,
            .addEvidence,
            .propose, .approve:
            nil
        }
    }
}
