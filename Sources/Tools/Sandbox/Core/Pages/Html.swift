/// Text that goes into a page: markup is written as it is, values are escaped.
struct Html: Hashable, Sendable, ExpressibleByStringInterpolation {
    var text: String

    init(raw: String) { text = raw }
    init(stringLiteral value: String) { text = value }
    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    /// Interpolates values escaped, and other markup as it is.
    struct Interpolation: StringInterpolationProtocol {
        var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity * 2) }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ html: Html) { text += html.text }
        mutating func appendInterpolation(_ html: Html?) { text += html?.text ?? "" }
        mutating func appendInterpolation(_ list: [Html]) { for html in list { text += html.text } }
        mutating func appendInterpolation(_ value: String) { text += Html.escape(value) }
        mutating func appendInterpolation(_ value: Int) { text += String(value) }
        mutating func appendInterpolation(_ value: Int64) { text += String(value) }
    }

    static func escape(_ value: String) -> String {
        var out = ""
        out.reserveCapacity(value.utf8.count)
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            case "'": out += "&#39;"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    /// A whole page of the sandbox.
    static func page(title: String, language: String = "en", refreshSeconds: Int? = nil, _ body: Html) -> String {
        let refresh = refreshSeconds.map { Html("<meta http-equiv=\"refresh\" content=\"\($0)\">") }
        let whole: Html = """
            <!DOCTYPE html>
            <html lang="\(language)"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">\(refresh)
            <title>\(title)</title><style>\(Html(raw: style))</style></head>
            <body>\(body)</body></html>

            """
        return whole.text
    }

    /// A page with nothing to do on it.
    static func message(_ title: String, _ text: String) -> String {
        page(title: title, "<main><h1>\(title)</h1><p>\(text)</p></main>")
    }

    /// Buttons of a form, by the value that each sends.
    static func buttons<Step: RawRepresentable<String>>(_ steps: [Step], _ label: (Step) -> String) -> [Html] {
        steps.map { "<button name=\"action\" value=\"\($0.rawValue)\">\(label($0))</button>" }
    }

    private static let style = """
        :root{color-scheme:light dark;--ink:#1c2430;--soft:#5b6676;--line:#d8dee8;--paper:#fff;--ground:#f2f5f9;
        --accent:#1756a9;--good:#176b3a;--bad:#a3261b}
        @media(prefers-color-scheme:dark){:root{--ink:#e8edf4;--soft:#a3afbf;--line:#39445a;--paper:#1b2230;
        --ground:#121722;--accent:#7fb2f5;--good:#6fd39a;--bad:#ff9d92}}
        *{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);
        font:16px/1.5 system-ui,sans-serif}main{max-width:34rem;margin:2rem auto;padding:1.5rem 2rem;
        background:var(--paper);border:1px solid var(--line);border-radius:.75rem}main.wide{max-width:78rem}
        h1{font-size:1.4rem;margin:.2rem 0 1rem}h2{font-size:1.1rem;margin:1.8rem 0 .5rem}
        .amount{font-size:2rem;font-weight:600;margin:0}.soft{color:var(--soft);font-size:.9rem;margin:.2rem 0}
        .note{border-left:.25rem solid var(--accent);padding:.4rem .8rem;background:var(--ground);margin:1rem 0}
        pre{overflow-x:auto;padding:.6rem .8rem;background:var(--ground)}
        .good{color:var(--good)}.bad{color:var(--bad)}fieldset{border:1px solid var(--line);border-radius:.5rem;
        margin:1rem 0;padding:.5rem 1rem}legend{padding:0 .4rem;color:var(--soft)}label{display:block;padding:.25rem 0}
        input[type=text]{width:100%;padding:.5rem;border:1px solid var(--line);border-radius:.4rem;font:inherit;
        background:var(--paper);color:inherit}button,a.button{display:inline-block;margin:.25rem .35rem .25rem 0;
        padding:.5rem 1rem;border:1px solid var(--accent);border-radius:.5rem;background:transparent;
        color:var(--accent);font:inherit;cursor:pointer;text-decoration:none}button.main,a.button.main{
        background:var(--accent);color:var(--paper);font-weight:600}button:focus-visible,a:focus-visible,
        input:focus-visible{outline:3px solid var(--accent);outline-offset:2px}table{border-collapse:collapse;
        width:100%;font-size:.9rem}th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid var(--line);
        vertical-align:top;overflow-wrap:anywhere}th{color:var(--soft);font-weight:600}td.number,th.number{
        text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}a{color:var(--accent)}
        """
}
