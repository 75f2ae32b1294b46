import Api
import Http
import Kernel

/// The frame around every page: what the merchant's people see first and last.
struct Layout {
    let visit: Visit
    let title: String
    /// Which part of the console is open.
    var section: Section?
    /// How often the page looks for news by itself, in seconds; `nil` where nothing is under way.
    var refresh: Int?

    init(_ visit: Visit, _ title: String, _ section: Section? = nil, refresh: Int? = nil) {
        self.visit = visit
        self.title = title
        self.section = section
        self.refresh = refresh
    }

    func response(_ status: Int = 200, @HtmlBuilder _ content: () -> Html) -> HttpResponse {
        var document = Html(literal: "<!doctype html>\n")
        let theme = visit.reading.theme == .auto ? nil : visit.reading.theme.rawValue
        document += tag("html", .of("lang", visit.language.rawValue), .of("data-theme", theme)) {
            head
            tag("body", .of("data-refresh", refresh.map(String.init))) {
                tag("a", .class("skip"), .of("href", "#main")) { visit.say(.skipToContent) }
                if visit.session != nil { bar }
                tag("div", .class(visit.session == nil ? "shell shell-plain" : "shell")) {
                    if visit.session != nil { navigation }
                    tag("main", .id("main"), .of("tabindex", "-1")) { content() }
                }
                if visit.session != nil { foot }
                tag("span", .id("end"), .flag("hidden")) { Html.empty }
            }
        }
        return HttpResponse.html(status, document.markup)
    }

    private var head: Html {
        tag("head") {
            void("meta", .of("charset", "utf-8"))
            void("meta", .of("name", "viewport"), .of("content", "width=device-width, initial-scale=1"))
            void("meta", .of("name", "robots"), .of("content", "noindex"))
            void("meta", .of("name", "color-scheme"), .of("content", "light dark"))
            tag("title") { "\(title) · Paystream" }
            void("link", .of("rel", "stylesheet"), .of("href", Assets.style.path))
            // Nothing is painted before its content is all there: a table that is half read has other columns. Browsers
            // take an element for there once it begins, so that the one that is waited for stands behind all others.
            void("link", .of("rel", "expect"), .of("href", "#end"), .of("blocking", "render"))
            void("link", .of("rel", "icon"), .of("href", Assets.icon.path), .of("type", "image/svg+xml"))
            tag("script", .of("src", Assets.script.path), .flag("defer")) { Html.empty }
        }
    }

    // MARK: Around the page

    private var bar: Html {
        tag("header", .class("bar")) {
            tag("a", .class("brand"), .href(Address()), .label("Paystream")) {
                Icon.mark
                tag("span") { "Paystream" }
            }
            tag(
                "form",
                .class("find"),
                .action(Address("payments", "find")),
                .of("method", "get"),
                .of("role", "search")
            ) {
                void(
                    "input",
                    .id("find"),
                    .of("name", "q"),
                    .of("type", "search"),
                    .flag("required"),
                    .of("maxlength", "255"),
                    .of("autocomplete", "off"),
                    .of("spellcheck", "false"),
                    .of("aria-keyshortcuts", "/")
                )
                tag("label", .of("for", "find")) { visit.say(.findPayment) }
                tag("kbd", .hidden) { "/" }
            }
            tag("a", .class("who"), .href(Address("preferences"))) {
                tag("span", .class("who-merchant")) { visit.session?.caller.merchantName ?? "" }
                tag("span", .class("who-key")) { visit.session?.caller.name ?? "" }
            }
        }
    }

    private var navigation: Html {
        tag("nav", .class("sections"), .label(visit.say(.sections))) {
            tag("ul") {
                for entry in Section.allCases where visit.may(entry.scope) {
                    tag("li") {
                        tag("a", .href(entry.address), .of("aria-current", entry == section ? "page" : nil)) {
                            entry.icon
                            tag("span") { visit.say(entry.title) }
                        }
                    }
                }
            }
        }
    }

    private var foot: Html {
        tag("footer", .class("foot")) {
            tag("p") {
                "\(visit.say(.timesIn)) "
                tag("a", .href(Address("preferences"))) { visit.reading.zone.name }
            }
            tag("p", .class("keys")) {
                tag("kbd") { "/" }
                " \(visit.say(.keySearch)) "
                tag("kbd") { "j" }
                " "
                tag("kbd") { "k" }
                " \(visit.say(.keyRows)) "
                tag("kbd") { "?" }
                " \(visit.say(.keyHelp))"
            }
        }
    }
}
