import Kernel
package import Payments
package import ProviderKit

/// Which bindings the gateway still lists for a client.
extension SberPayAdapter {
    package func planCheck(_ credential: SavedCredential, _ settings: AccountSettings) throws(PlanFailure)
        -> RequestTemplate?
    {
        guard let client = credential.customer else { return nil }
        let account = try SberPaySettings.planning(settings)
        return RequestTemplate(
            method: "POST",
            url: account.url(.getBindings),
            content: .compact([
                ("userName", account.userName.map(Json.string)), ("clientId", .string(client)),
            ]),
            signing: Signing.request(account.dialect, account.authorization, hasKey: false).text
        )
    }

    /// A binding that is listed as switched off can't be charged: it counts as gone.
    package func readCheck(_ answer: MessageAnswer, of fingerprint: String, _ settings: AccountSettings)
        -> CredentialListing
    {
        switch answer {
        case .notSent(let reason), .noAnswer(let reason): return .unknown(reason: reason)
        case .answered(let status, let body):
            guard let account = try? SberPaySettings.of(settings) else { return .unknown(reason: "settings") }
            let read = Answer(status: status, body: body, .getBindings, account.dialect)
            if status == 200, read.code == Self.nothingFound { return .notListed }
            switch read.kind {
            case .ok: break
            case .notFound: return .notListed
            case .configuration, .callerBug, .conflict, .transient, .throttled, .details, .unknown:
                return .unknown(reason: read.reason)
            }
            guard let items = read.body?["bindings"]?.items else { return .unknown(reason: "no list of bindings") }
            return Self.listing(items, fingerprint)
        }
    }

    private static func listing(_ items: [Json], _ fingerprint: String) -> CredentialListing {
        var isReadable = true
        for item in items where item["bindingStatus"]?.text != "0" {
            // An id that could not be kept tells of no binding that it is another one.
            guard let found = item["bindingId"].flatMap(StatusReading.fingerprint) else {
                isReadable = false
                continue
            }
            if found == fingerprint { return .listed }
        }
        return isReadable ? .notListed : .unknown(reason: "a binding without an id")
    }

    /// The gateway's code for a client without bindings.
    private static let nothingFound: Int64 = 2
}
