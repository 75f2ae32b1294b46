import Http
import Kernel

/// How a caller stands with the limits of his key and of his merchant, as the fields RateLimit-Policy and RateLimit tell it.
///
/// By draft-ietf-httpapi-ratelimit-headers-10: lists of policies by name; `q` requests in `w` seconds, of which `r` are left, and all again
/// in `t` seconds.
struct RequestQuotas: Sendable {
    var key: RateStanding?
    /// Of a merchant that has a limit.
    var merchant: RateStanding?

    func write(to headers: inout HttpHeaders) {
        guard let key else { return }
        guard let merchant else {
            headers.append("RateLimit-Policy", Self.policy("key", key))
            headers.append("RateLimit", Self.rest("key", key))
            return
        }
        let both = [("key", key), ("merchant", merchant)]
        headers.append("RateLimit-Policy", both.map { Self.policy($0.0, $0.1) }.joined(separator: ", "))
        headers.append("RateLimit", both.map { Self.rest($0.0, $0.1) }.joined(separator: ", "))
    }

    private static func policy(_ name: String, _ standing: RateStanding) -> String {
        "\"\(name)\";q=\(standing.limit.burst);w=\(standing.limit.window)"
    }

    private static func rest(_ name: String, _ standing: RateStanding) -> String {
        "\"\(name)\";r=\(standing.left);t=\(standing.seconds)"
    }
}
