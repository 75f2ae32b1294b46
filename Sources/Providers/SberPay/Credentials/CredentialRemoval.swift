import Kernel
package import Payments
package import ProviderKit

/// A saved binding is switched off at the gateway; the bank keeps the card.
extension SberPayAdapter {
    package func planRemoval(_ removal: SavedCredential, _ settings: AccountSettings) throws(PlanFailure)
        -> RequestTemplate
    {
        let account = try SberPaySettings.planning(settings)
        return RequestTemplate(
            method: "POST",
            url: account.url(.unbindCard),
            content: .compact([
                ("userName", account.userName.map(Json.string)), ("bindingId", removal.token),
            ]),
            signing: Signing.request(account.dialect, account.authorization, hasKey: false).text
        )
    }

    /// A binding that the gateway does not know, or that is off already, is one that nobody can charge.
    package func readRemoval(_ answer: MessageAnswer, _ settings: AccountSettings) -> RemovalOutcome {
        switch answer {
        case .notSent(let reason), .noAnswer(let reason): return .unknown(reason: reason)
        case .answered(let status, let body):
            guard let account = try? SberPaySettings.of(settings) else { return .unknown(reason: "settings") }
            let read = Answer(status: status, body: body, .unbindCard, account.dialect)
            if read.code == Self.bindingIsOff { return .removed }
            switch read.kind {
            case .ok, .notFound: return .removed
            case .configuration, .callerBug: return .refused(code: read.code.map(String.init))
            case .conflict, .transient, .throttled, .details, .unknown: return .unknown(reason: read.reason)
            }
        }
    }

    /// The gateway's code for a binding that is not there or is not active.
    private static let bindingIsOff: Int64 = 2
}
