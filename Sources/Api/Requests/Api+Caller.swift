import EventSourcing
package import Http
package import Kernel

/// Who asks, and whether he may.
extension Api {
    /// Takes a request from what a key, and all of its merchant's, may send: as far as this node knows.
    func count(_ caller: Caller, _ quotas: inout RequestQuotas) throws(Problem) {
        let key = limiter.take(caller.keyId, by: caller.limit, at: now)
        quotas.key = key
        if let pause = key.pause { throw .tooMany(pause, "This key sends more requests than it may.") }
        guard let limit = caller.merchantLimit else { return }
        let merchant = merchantLimiter.take(caller.merchant, by: limit, at: now)
        quotas.merchant = merchant
        if let pause = merchant.pause {
            throw .tooMany(pause, "The keys of this merchant send more requests together than they may.")
        }
    }

    /// Refuses a caller who asks from elsewhere, or whose key lacks the scope.
    func admit(_ found: Caller, _ request: HttpRequest, _ scope: Scope) throws(Problem) {
        guard found.mayAsk(from: request.peerAddress) else {
            throw Problem(.addressNotAllowed, "The API key may not be used from this address.")
        }
        guard found.scopes.contains(scope) else {
            throw Problem(
                .scopeMissing,
                "The API key lacks a scope.",
                members: [("scope", .string(scope.rawValue))]
            )
        }
        guard !found.isSuspended || scope == .read || scope == .audit else {
            throw Problem(.merchantSuspended, "The merchant is suspended: its keys look, and change nothing.")
        }
    }

    private static let challenge = HttpHeaders([("WWW-Authenticate", "Bearer realm=\"paystream\"")])
    /// The answer to a key that proves nobody.
    static let keyGone = Problem(.keyUnknown, "The API key is unknown, expired or revoked.", headers: challenge)

    /// Whose request it is, by its key, unless another entrance has proved that.
    func proved(_ request: HttpRequest, _ proven: Caller?) async throws(Problem) -> Caller {
        if let proven { return proven }
        let fields = request.headers.all("Authorization")
        guard fields.count == 1, let token = bearer(fields[0]) else {
            throw Problem(.keyMissing, "An API key is needed: Authorization: Bearer psk_….", headers: Self.challenge)
        }
        guard let found = try await caller(of: token) else { throw Self.keyGone }
        return found
    }

    /// The caller that a key proves; `nil` for an unknown, expired or revoked one.
    package func caller(of token: Secret) async throws(Problem) -> Caller? {
        do throws(StoreFailure) { return try await reader.tables.caller(token) } catch {
            throw .unavailable(error.detail)
        }
    }

    /// Takes the caller's place until the request is answered.
    func enter(_ caller: Caller, _ seen: inout RequestWatch.Seen) throws(Problem) {
        guard places.take(caller.merchant) else {
            throw .tooMany(.seconds(1), "This merchant has as many requests open as it may.")
        }
        seen.merchant = caller.merchant
    }

    func bearer(_ field: String) -> Secret? {
        let halves = field.split(separator: " ", maxSplits: 1)
        guard halves.count == 2, HttpHeaders.isSame(String(halves[0]), "Bearer") else { return nil }
        return Self.token(String(halves[1]))
    }

    /// A text that has the form of an API key.
    package static func token(_ text: String) -> Secret? {
        guard text.hasPrefix("psk_"), text.utf8.count <= Limits.identifierBytes else { return nil }
        return Secret(text)
    }
}
