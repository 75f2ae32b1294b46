import Crypto
package import Http
package import Kernel

/// The origin that browsers reach the daemon at, and what follows from it for cookies and forms.
package struct PublicOrigin: Sendable {
    /// Scheme, host and port, as in `https://pay.example.org`.
    private let text: String
    package let isSecure: Bool

    package init(_ publicUrl: String) {
        isSecure = publicUrl.hasPrefix("https://")
        let scheme = publicUrl.prefix { $0 != ":" }
        let host = publicUrl.dropFirst(scheme.count + 3).prefix { $0 != "/" }
        text = "\(scheme)://\(host)"
    }

    // MARK: Cookies

    /// Behind TLS no other host and no other path of this one can set the cookie.
    private var sessionName: String { isSecure ? "__Host-paystream-console" : "paystream-console" }
    private static let preferenceName = "paystream-preferences"

    /// The token of the session in a request's cookies.
    package func session(in headers: HttpHeaders) -> Secret? {
        guard let value = Self.cookie(sessionName, in: headers), value.utf8.count == Self.tokenCharacters else {
            return nil
        }
        return Secret(value)
    }

    /// Thirty-two random bytes in Base64.
    package static let tokenCharacters = 43

    package func cookie(session token: Secret) -> String {
        let value = token.withBytes { String(decoding: $0, as: UTF8.self) }
        return "\(sessionName)=\(value); \(attributes)"
    }

    /// Makes the browser forget the session.
    package var endedSession: String { "\(sessionName)=; Max-Age=0; \(attributes)" }

    private var attributes: String { "Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "") }

    package static func preferences(in headers: HttpHeaders) -> [(name: String, value: String)] {
        cookie(preferenceName, in: headers).flatMap { FormEncoding.unescape(Array($0.utf8), plusAsSpace: false) }
            .flatMap { FormEncoding.decode($0) } ?? []
    }

    package func cookie(preferences: [(name: String, value: String)]) -> String {
        let value = FormEncoding.escape(FormEncoding.encode(preferences))
        let secure = isSecure ? "; Secure" : ""
        return "\(Self.preferenceName)=\(value); Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax\(secure)"
    }

    private static func cookie(_ name: String, in headers: HttpHeaders) -> String? {
        for field in headers.all("Cookie") {
            for pair in field.split(separator: ";") {
                let halves = pair.drop { $0 == " " }.split(
                    separator: "=",
                    maxSplits: 1,
                    omittingEmptySubsequences: false
                )
                if halves.count == 2, halves[0] == name { return String(halves[1]) }
            }
        }
        return nil
    }

    // MARK: Forms

    /// Whether a request was sent by a page of ours.
    ///
    /// A browser names the origin of every form. That is ours, or the host that the request itself went to; `Sec-Fetch-Site`
    /// must not say otherwise. A request that names neither comes from no browser, and is refused like a foreign one.
    package func isOwn(_ headers: HttpHeaders) -> Bool {
        let site = headers["Sec-Fetch-Site"]
        if let site, site != "same-origin" { return false }
        guard let origin = headers["Origin"] else { return site != nil }
        guard headers.all("Origin").count == 1 else { return false }
        if origin == text { return true }
        guard let host = headers["Host"] else { return false }
        return origin == "http://\(host)" || origin == "https://\(host)"
    }
}

/// The token that a session's forms carry.
enum FormToken {
    package static func isSame(_ left: String, _ right: String) -> Bool {
        constantTimeEquals(Array(left.utf8), Array(right.utf8))
    }
}
