import Http

/// The page that a problem's `type` leads to: what its code says, what it proves about money, and what to do.
struct ProblemPage {
    let meaning: ProblemMeaning

    var response: HttpResponse {
        HttpResponse.html(200, html)
            .with("Cache-Control", "public, max-age=300")
            .with(
                "Content-Security-Policy",
                "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            )
            .with("Referrer-Policy", "no-referrer")
    }

    /// Every text comes from the catalogue.
    private var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(meaning.code)</title>
        <style>
        body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1.5rem; }
        h1 { font: 600 1.5rem/1.2 ui-monospace, monospace; overflow-wrap: anywhere; }
        h2 { font-size: 1rem; margin-bottom: 0; }
        @media (prefers-color-scheme: dark) { body { background: #111; color: #eee; } }
        </style>
        </head>
        <body>
        <main>
        <h1>\(meaning.code)</h1>
        <h2>What it says</h2>
        <p>\(Self.escape(meaning.summary))</p>
        <h2>What it proves</h2>
        <p>\(Self.escape(meaning.consequence.rawValue))</p>
        <h2>What to do</h2>
        <p>\(Self.escape(meaning.remedy))</p>
        </main>
        </body>
        </html>

        """
    }

    private static func escape(_ text: String) -> String { ReturnPage.escape(text) }
}
