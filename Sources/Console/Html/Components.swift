import Http
import Kernel

/// The heading of a page with what belongs beside it.
func heading(_ title: String, _ more: String? = nil, @HtmlBuilder beside: () -> Html = { .empty }) -> Html {
    tag("div", .class("heading")) {
        tag("div") {
            tag("h1") { title }
            if let more { tag("p", .class("muted")) { more } }
        }
        tag("div", .class("beside")) { beside() }
    }
}

/// A part of a page under a title of its own.
func panel(_ title: String?, _ kind: String = "", @HtmlBuilder _ content: () -> Html) -> Html {
    tag("section", .class(kind.isEmpty ? "panel" : "panel \(kind)")) {
        if let title { tag("h2") { title } }
        content()
    }
}

/// Names and values.
func facts(_ pairs: [(name: String, value: Html?)]) -> Html {
    tag("dl", .class("facts")) {
        for pair in pairs {
            if let value = pair.value {
                tag("div") {
                    tag("dt") { pair.name }
                    tag("dd") { value }
                }
            }
        }
    }
}

/// What stands where nothing is yet: what would be here, and how to get it.
func emptyState(_ title: String, _ hint: String, @HtmlBuilder _ next: () -> Html = { .empty }) -> Html {
    tag("div", .class("empty")) {
        tag("p", .class("empty-title")) { title }
        tag("p") { hint }
        next()
    }
}

/// How much somebody has to care: grey is fine, amber waits, red is for a person.
enum Tone: String, Sendable {
    case fine, quiet, waits, person
}

func badge(_ text: String, _ tone: Tone) -> Html { tag("span", .class("badge badge-\(tone.rawValue)")) { text } }

/// Something that was said in code: an id, a word of the API.
func code(_ text: String?) -> Html? { text.map { text in tag("code") { text } } }

/// A column of a table.
struct Column: Sendable {
    enum Kind: String, Sendable {
        case text, number, currency, wide
    }

    let title: String
    let kind: Kind

    init(_ title: String, _ kind: Kind = .text) {
        self.title = title
        self.kind = kind
    }
}

/// A table whose rows are cells of its columns; it scrolls sideways by itself and never moves the page.
struct DataTable {
    let caption: String
    let columns: [Column]
    var rows: [[Html]] = []
    /// Whether the keys `j` and `k` go through its rows.
    var isWalked = false
    /// Whether the caption is for screen readers alone.
    var hidesCaption = true

    init(_ caption: String, _ columns: [Column], rows: [[Html]] = [], isWalked: Bool = false) {
        self.caption = caption
        self.columns = columns
        self.rows = rows
        self.isWalked = isWalked
    }

    var html: Html {
        tag("div", .class("table"), .of("role", "region"), .label(caption), .of("tabindex", "0")) {
            tag("table", .flag("data-walk", isWalked)) {
                tag("caption", .class("unseen")) { caption }
                tag("thead") {
                    tag("tr") {
                        for column in columns {
                            tag("th", .of("scope", "col"), .class(column.kind.rawValue)) { column.title }
                        }
                    }
                }
                tag("tbody") {
                    for row in rows {
                        tag("tr") {
                            for (column, cell) in zip(columns, row) {
                                tag("td", .class(column.kind.rawValue)) { cell }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A field of a form with its label and, where it helps, a hint.
struct Field {
    let name: String
    let label: String
    var type = "text"
    var value: String?
    var hint: String?
    var isNeeded = false
    var most = 255
    var mode: String?
    /// Tells it from fields of the same name in other forms of the page.
    var form = ""

    private var id: String { form.isEmpty ? name : "\(form)-\(name)" }

    var html: Html {
        tag("div", .class("field")) {
            tag("label", .of("for", "f-\(id)")) { label }
            void(
                "input",
                .id("f-\(id)"),
                .of("name", name),
                .of("type", type),
                .of("value", value),
                .of("maxlength", type == "text" || type == "search" || type == "password" ? String(most) : nil),
                .of("inputmode", mode),
                .flag("required", isNeeded),
                .of("autocomplete", type == "password" ? "current-password" : "off"),
                .of("aria-describedby", hint.map { _ in "h-\(id)" })
            )
            if let hint { tag("p", .class("hint"), .id("h-\(id)")) { hint } }
        }
    }
}

/// A field whose value is one of a few.
func choice(_ name: String, _ label: String, _ options: [(value: String, title: String)], _ chosen: String?) -> Html {
    tag("div", .class("field")) {
        tag("label", .of("for", "f-\(name)")) { label }
        tag("select", .id("f-\(name)"), .of("name", name)) {
            for option in options {
                tag("option", .of("value", option.value), .flag("selected", option.value == (chosen ?? ""))) {
                    option.title
                }
            }
        }
    }
}

func hidden(_ name: String, _ value: String) -> Html {
    void("input", .of("type", "hidden"), .of("name", name), .of("value", value))
}

func button(_ text: String, _ kind: String = "") -> Html {
    tag("button", .of("type", "submit"), .class(kind.isEmpty ? "button" : "button \(kind)")) { text }
}

func link(_ text: String, _ address: Address, _ kind: String? = nil) -> Html {
    tag("a", .href(address), .of("class", kind)) { text }
}

extension Visit {
    /// A form of this session: it proves where it comes from, and its command is made once however often it is sent.
    func sending(_ address: Address, _ kind: String = "form", @HtmlBuilder _ content: () -> Html) -> Html {
        tag("form", .class(kind), .of("method", "post"), .action(address)) {
            hidden(Self.formToken, session?.formTokens.first ?? "")
            hidden(Self.commandKey, "console-\(console.random.uuid(at: console.now))")
            content()
        }
    }

    /// What stands in a list that was narrowed to nothing.
    func nothingMatches(_ whole: Address) -> Html {
        emptyState(say(.noneFound), say(.noneFoundHint)) { link(say(.clear), whole, "button") }
    }

    /// A notice about what was just done, by the word in the address.
    func notice(_ words: [String: Text]) -> Html? {
        guard let word = parameter("done"), let text = words[word] else { return nil }
        return tag("p", .class("notice"), .of("role", "status")) { say(text) }
    }
}
