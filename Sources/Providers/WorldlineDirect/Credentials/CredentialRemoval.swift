import Kernel
package import Payments
package import ProviderKit

/// A token is deleted at the provider, or asked for: `DELETE` and `GET /tokens/{tokenId}`.
extension WorldlineAdapter {
    package func planRemoval(_ removal: SavedCredential, _ settings: AccountSettings) throws(PlanFailure)
        -> RequestTemplate
    {
        try aboutToken("DELETE", removal, settings)
    }

    package func planCheck(_ credential: SavedCredential, _ settings: AccountSettings) throws(PlanFailure)
        -> RequestTemplate?
    {
        try aboutToken("GET", credential, settings)
    }

    /// The answer is about this token alone; what it holds of the card is not read.
    package func readCheck(_ answer: MessageAnswer, of fingerprint: String, _ settings: AccountSettings)
        -> CredentialListing
    {
        switch answer {
        case .notSent(let reason), .noAnswer(let reason): .unknown(reason: reason)
        case .answered(200, _): .listed
        case .answered(404, _), .answered(410, _): .notListed
        case .answered(let status, _): .unknown(reason: "HTTP \(status)")
        }
    }

    private func aboutToken(_ method: String, _ removal: SavedCredential, _ settings: AccountSettings)
        throws(PlanFailure) -> RequestTemplate
    {
        let account = try WorldlineSettings.planning(settings)
        let made = Call.template(method, "/tokens/", account)
        var content = made.content.members ?? JsonObject([])
        content["segment"] = removal.token
        return RequestTemplate(method: made.method, url: made.url, content: .object(content), signing: made.signing)
    }

    /// A token that the provider does not know can't be charged.
    package func readRemoval(_ answer: MessageAnswer, _ settings: AccountSettings) -> RemovalOutcome {
        switch answer {
        case .notSent(let reason), .noAnswer(let reason): .unknown(reason: reason)
        case .answered(200...299, _), .answered(404, _), .answered(410, _): .removed
        case .answered(let status, _) where status == 409 || status == 429 || status >= 500:
            .unknown(reason: "HTTP \(status)")
        case .answered(let status, let body):
            .refused(code: (try? Json(body))?["errorId"]?.text.map { String($0.prefix(64)) } ?? "HTTP \(status)")
        }
    }
}
