package import Http
package import ProviderKit

extension Adapter {
    /// The answer to a notification without anything in it.
    package func reply(_ verdict: NotificationVerdict) -> HttpResponse {
        reply(verdict, to: HttpRequest(method: .post, target: "/"))
    }
}
