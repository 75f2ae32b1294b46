import Kernel

/// The frame of every provider's overview: whose it is, the way to the others, and a payment to try.
enum SandboxFrame {
    /// A provider as its overview names it.
    enum Provider: String, CaseIterable {
        case ecommpay
        case portmone = "Portmone"
        case dolyame = "Dolyame"
        case sberPay = "SberPay"
        case worldline = "Worldline"

        var path: String { self == .ecommpay ? "/sandbox" : "/\(rawValue.lowercased())/sandbox" }

        fileprivate var title: String { "Sandbox: \(rawValue)" }

        /// The mode of the payment to try: one that is captured later where the provider takes nothing else.
        private var mode: String { self == .dolyame ? "authorize" : "sale" }

        /// The smallest payment there, as a backend asks the development daemon for it.
        fileprivate var payment: String {
            let (amount, details) =
                switch self {
                case .ecommpay: (("EUR", 1999), #"{"payer": {"email": "payer@example.org"}}"#)
                case .portmone: (("UAH", 1999), #"{"payer": {"email": "payer@example.org"}}"#)
                case .dolyame: (("RUB", 700_000), #"{"items": [{"name": "Lamp", "price": "7000.00"}]}"#)
                case .sberPay: (("RUB", 19_900), #"{"payer": {"email": "payer@example.org"}}"#)
                case .worldline: (("EUR", 1999), #"{"payer": {"email": "payer@example.org"}}"#)
                }
            return """
                . ./.paystream/dev.env
                api() { curl -sS -H "Authorization: Bearer $PAYSTREAM_KEY" -H "Content-Type: application/json" "$@"; }
                ID=$(api "$PAYSTREAM_URL/v1/payments" -H "Idempotency-Key: try-$(date +%s)" -d '{
                  "account": "\(rawValue.lowercased())-demo", "mode": "\(mode)", "description": "A payment to try",
                  "amount": {"value": \(amount.1), "currency": "\(amount.0)"},
                  "details": \(details)
                }' | python3 -c 'import json, sys; print(json.load(sys.stdin)["id"])')
                sleep 1; api "$PAYSTREAM_URL/v1/payments/$ID/next-action"     # open its url in this browser
                """
        }
    }

    /// An overview; `payments` is how many the provider knows.
    static func overview(_ provider: Provider, payments: Int, _ body: Html) -> String {
        let ways = Provider.allCases.map { other -> Html in
            other == provider
                ? "<strong>\(other.rawValue)</strong> " : "<a href=\"\(other.path)\">\(other.rawValue)</a> "
        }
        let empty: Html = payments == 0 ? "<p class=\"note\">\(provider.rawValue) has no payment yet.</p>" : ""
        return Html.page(
            title: provider.title,
            """
            <main class="wide"><nav>\(ways)</nav><h1>\(provider.title)</h1>\(empty)\(body)
            <h2>A payment to try</h2><p class="soft">Beside a running <code>paystream dev</code>, in its folder:</p>
            <pre>\(provider.payment)</pre></main>
            """
        )
    }

    static func table(_ heads: [String], _ rows: [[String]]) -> Html {
        table(heads, rows.map { $0.map { Html("\($0)") } })
    }

    /// A table, or a word where it has no rows; columns whose names end with a `#` hold numbers.
    static func table(_ heads: [String], _ rows: [[Html]]) -> Html {
        guard !rows.isEmpty else { return "<p class=\"soft\">None.</p>" }
        func look(_ index: Int) -> Html { heads[index].hasSuffix("#") ? " class=\"number\"" : "" }
        let head = heads.indices.map { index -> Html in
            "<th scope=\"col\"\(look(index))>\(heads[index].filter { $0 != "#" })</th>"
        }
        let body = rows.map { row -> Html in
            let cells = row.indices.map { Html("<td\(look($0))>\(row[$0])</td>") }
            return "<tr>\(cells)</tr>"
        }
        return "<table><thead><tr>\(head)</tr></thead><tbody>\(body)</tbody></table>"
    }
}
