import Http

/// The page that the payer's browser comes back to: it knows nothing, decides nothing and asks for nothing.
struct ReturnPage {
    /// An absolute `http` or `https` address; anything else is not linked.
    let shop: String?

    init(shop: String?) {
        let isWeb = shop.map { $0.hasPrefix("https://") || $0.hasPrefix("http://") } ?? false
        self.shop = isWeb ? shop : nil
    }

    var response: HttpResponse {
        HttpResponse.html(200, html)
            .with("Cache-Control", "no-store")
            .with(
                "Content-Security-Policy",
                "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors *"
            )
            .with("Referrer-Policy", "no-referrer")
    }

    /// The same where the payer goes on at once, to another page of ours.
    func leading(to address: String) -> HttpResponse {
        var answer = response.with("Location", address)
        answer.status = 303
        return answer
    }

    private var html: String {
        let link = shop.map { "<p><a href=\"\(Self.escape($0))\" rel=\"noreferrer\">Back to the shop</a></p>\n" } ?? ""
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            <title>Checking your payment</title>
            <style>
            body { font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1.5rem; }
            @media (prefers-color-scheme: dark) { body { background: #111; color: #eee; } a { color: #9cf; } }
            </style>
            </head>
            <body>
            <main>
            <h1>We are checking your payment</h1>
            <p>The shop learns the result from the payment provider. You can close this page.</p>
            \(link)</main>
            </body>
            </html>

            """
    }

    /// Text for an attribute or an element.
    static func escape(_ text: String) -> String {
        var out = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            case "'": out += "&#39;"
            default: out.unicodeScalars.append(character)
            }
        }
        return out
    }
}
