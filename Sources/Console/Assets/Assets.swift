import Api
import Crypto
import Http
import Kernel

/// What pages load: a stylesheet, a script and an icon out of the binary, each at an address that names its content.
enum Assets {
    struct Asset: Sendable {
        let path: String
        let type: String
        let bytes: [UInt8]

        fileprivate init(
            _ name: String,
            _ ending: String,
            _ type: String,
            _ bytes: [UInt8],
            below root: String = Address.root
        ) {
            path = "\(root)/assets/\(name)-\(Hex.encode(Digest.sha256(bytes)).prefix(16)).\(ending)"
            self.type = type
            self.bytes = bytes
        }
    }

    static let style = Asset("console", "css", "text/css; charset=utf-8", PackageResources.console_css)
    static let script = Asset("console", "js", "text/javascript; charset=utf-8", PackageResources.console_js)
    static let icon = Asset("icon", "svg", "image/svg+xml", PackageResources.icon_svg)

    /// The same style where payers are, who need not reach the console.
    static let linkStyle = Asset(
        "pay",
        "css",
        "text/css; charset=utf-8",
        PackageResources.console_css,
        below: PaymentLinkToken.path
    )

    /// The asset at a request's path; one that changed has another address, so that it may be kept for ever.
    static func answer(_ request: HttpRequest) -> HttpResponse? {
        guard let asset = [style, script, icon, linkStyle].first(where: { $0.path == request.path }),
            request.method == .get || request.method == .head
        else { return nil }
        return HttpResponse(status: 200, contentType: asset.type, body: asset.bytes)
            .with("Cache-Control", "public, max-age=31536000, immutable")
            .with("X-Content-Type-Options", "nosniff").with("Cross-Origin-Resource-Policy", "same-origin")
    }
}
