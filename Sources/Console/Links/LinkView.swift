import Api
import EventSourcing
import Http
import Kernel

/// The frame around a page for payers: no session, no script, and no way out but the provider and the merchant.
enum LinkLayout {
    static func response(
        _ title: String,
        _ language: Language,
        status: Int = 200,
        refresh: String? = nil,
        @HtmlBuilder _ content: () -> Html
    ) -> HttpResponse {
        var document = Html(literal: "<!doctype html>\n")
        document += tag("html", .of("lang", language.rawValue)) {
            tag("head") {
                void("meta", .of("charset", "utf-8"))
                void("meta", .of("name", "viewport"), .of("content", "width=device-width, initial-scale=1"))
                void("meta", .of("name", "robots"), .of("content", "noindex"))
                void("meta", .of("name", "color-scheme"), .of("content", "light dark"))
                tag("title") { title }
                void("link", .of("rel", "stylesheet"), .of("href", Assets.linkStyle.path))
                void("link", .of("rel", "icon"), .of("href", "data:,"))
            }
            tag("body") {
                tag("main", .class("pay")) { content() }
            }
        }
        let answer = HttpResponse.html(status, document.markup)
        return refresh.map { answer.with("Refresh", $0) } ?? answer
    }

    /// A refusal as a payer reads it: nothing of what was sent, nothing from inside.
    static func problem(_ problem: Problem, _ visit: LinkVisit) -> HttpResponse {
        let language = visit.language(nil)
        let (title, hint): (Text, Text) =
            switch problem.status {
            case 403: (.linkForeign, .linkForeignHint)
            case 404, 405, 414: (.linkNowhere, .linkNowhereHint)
            case 422: (.linkRefused, .linkNoCard)
            case 429: (.linkTooMany, .linkTooManyHint)
            case 500...: (.notNow, .notNowHint)
            default: (.refused, .refusedHint)
            }
        var answer = response(title(language), language, status: problem.status) {
            tag("h1") { title(language) }
            tag("p") { hint(language) }
        }
        answer.headers.take(problem.headers)
        return answer
    }
}

/// The page of a payment link as its payer reads it.
struct LinkView {
    private let page: PaymentLinkPage
    private let token: String
    private let visit: LinkVisit
    private let language: Language
    /// Why the payer is asked once more.
    private let failure: Text?

    /// Seconds after which the page looks again what became of the payment.
    private enum Pause {
        static let going = 1
        static let pending = 5
        static let unknown = 10
    }

    init(_ page: PaymentLinkPage, _ token: String, _ visit: LinkVisit, failure: Text?) {
        self.page = page
        self.token = token
        self.visit = visit
        self.failure = failure
        language = visit.language(page.language)
    }

    private func say(_ text: Text) -> String { text(language) }

    var response: HttpResponse {
        let status = failure == nil ? 200 : 422
        return LinkLayout.response(title, language, status: status, refresh: refresh) {
            head
            body
            languages
        }
    }

    private var title: String { "\(say(.linkPay)) · \(page.payee)" }

    /// Leads on to the provider, or looks for news: by the answer's header, since nothing runs on the page.
    private var refresh: String? {
        switch page.state {
        case .pending(_, let address?) where visit.isGoing: "0; url=\(address)"
        case .pending where visit.isGoing: "\(Pause.going)"
        case .pending: "\(Pause.pending)"
        case .unknown: "\(Pause.unknown)"
        case .open, .paid, .closed: nil
        }
    }

    private var formats: Formats { Formats(language: language, zone: .utc) }

    private var head: Html {
        tag("header", .class("pay-head")) {
            tag("p", .class("muted")) { "\(say(.linkPayee)) \(page.payee)" }
            tag("p", .class("figure")) { formats.money(page.amount.json) }
            if let description = page.description { tag("p", .class("pay-what")) { description } }
            if let end = page.expiresAt {
                tag("p", .class("hint")) {
                    "\(say(.linkUntil)) "
                    formats.moment(end.description)
                    " UTC"
                }
            }
        }
    }

    private var body: Html {
        switch page.state {
        case .open(let methods, let hasFailed): form(methods, hasFailed)
        case .paid: result(.linkPaid, .linkPaidHint)
        case .pending(_, let address):
            tag("section", .class("pay-result"), .of("role", "status")) {
                tag("h1") { say(visit.isGoing ? .linkGoing : .linkPending) }
                tag("p") { say(.linkPendingHint) }
                if let address {
                    tag("a", .class("button button-main"), .of("href", address), .of("rel", "noreferrer")) {
                        say(.linkContinue)
                    }
                }
            }
        case .unknown: result(.linkUnknown, .linkUnknownHint, leadsBack: false)
        case .closed(let status): result(Self.closed(status), .linkClosedHint)
        }
    }

    private static func closed(_ status: PaymentLinkStanding.Status) -> Text {
        switch status {
        case .deactivated: .linkDeactivated
        case .expired: .linkExpired
        case .exhausted: .linkExhausted
        case .open, .pending, .paid, .unreadable: .linkUnserved
        }
    }

    private func result(_ title: Text, _ hint: Text, leadsBack: Bool = true) -> Html {
        tag("section", .class("pay-result"), .of("role", "status")) {
            tag("h1") { say(title) }
            tag("p") { say(hint) }
            if leadsBack, let shop = page.returnUrl, WebAddress.isAbsolute(shop) {
                tag("a", .class("button button-main"), .of("href", shop), .of("rel", "noreferrer")) { say(.linkBack) }
            }
        }
    }

    // MARK: The choice

    private func form(_ methods: [String], _ hasFailed: Bool) -> Html {
        tag("form", .class("pay-form"), .of("method", "post"), .of("action", visit.address(token, in: language))) {
            if let failure {
                tag("p", .class("failure"), .of("role", "alert")) { say(failure) }
            } else if hasFailed {
                tag("p", .class("notice"), .of("role", "status")) { say(.linkFailed) }
            }
            hidden("form", page.form.compact)
            hidden("seal", page.seal)
            if let chosen = visit.chosen { hidden("lang", chosen.rawValue) }
            tag("h1") { say(.linkHow) }
            tag("div", .class("field")) {
                tag("label", .of("for", "f-email")) { say(.linkEmail) }
                void(
                    "input",
                    .id("f-email"),
                    .of("name", "email"),
                    .of("type", "email"),
                    .of("maxlength", String(Limits.emailBytes)),
                    .of("autocomplete", "email"),
                    .of("aria-describedby", "h-email"),
                    .flag("required")
                )
                tag("p", .class("hint"), .id("h-email")) { say(.linkEmailHint) }
            }
            for method in methods {
                tag(
                    "button",
                    .of("type", "submit"),
                    .of("name", "method"),
                    .of("value", method),
                    .class("button button-main")
                ) { Words.payerMethod[method].map(say) ?? method }
            }
            tag("p", .class("hint")) { say(.linkNoCard) }
        }
    }

    private var languages: Html {
        tag("nav", .class("languages"), .label(say(.linkLanguage))) {
            for other in Language.allCases {
                tag(
                    "a",
                    .of("href", visit.address(token, in: other)),
                    .of("lang", other.rawValue),
                    .of("aria-current", other == language ? "true" : nil)
                ) { other.name }
            }
        }
    }
}
