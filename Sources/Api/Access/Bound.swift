import Http
import Kernel
import Payments
import Schedules

/// How much there can be of something that people make, and the code of what would be more.
package struct Bound: Sendable {
    package let what: String
    package let most: Int
    package let code: String

    private init(_ what: String, _ most: Int, _ code: ProblemCode) {
        (self.what, self.most, self.code) = (what, most, code.rawValue)
    }

    private init(_ what: String, _ most: Int, _ code: Rejection.Code) {
        (self.what, self.most, self.code) = (what, most, code.rawValue)
    }

    /// Every one of them, as the page about access lists them.
    package static let all: [Bound] = [
        Bound("keys of a merchant that are not revoked", Merchant.keysPerMerchant, .tooManyKeys),
        Bound("networks of a key", KeyForm.mostNetworks, ProblemCode.tooMany),
        Bound("changes of a merchant that wait for a second person", Merchant.openChanges, .tooManyChanges),
        Bound("accounts of a merchant, closed ones included", Routing.accountsPerMerchant, ProblemCode.tooMany),
        Bound("rules of a merchant's routing", RouteRules.rulesPerMerchant, ProblemCode.tooMany),
        Bound("webhook endpoints of a merchant", WebhookEndpoint.perMerchant, ProblemCode.webhookEndpointsMany),
        Bound("webhook endpoints, removed ones included", WebhookEndpoints.everMade, ProblemCode.webhookEndpointsMany),
        Bound("dunning policies of a merchant", Api.mostDunningPolicies, ProblemCode.tooMany),
        Bound("dates of a schedule that lists them", ScheduleRule.datesPerList, ProblemCode.tooMany),
    ]
}
