/// Markup that may be sent as it is: what a person or a provider wrote enters it as escaped text only.
///
/// Literal markup is a `StaticString`, which nothing that came in can be, so that a forgotten escape does not compile.
struct Html: Hashable, Sendable {
    private(set) var markup: String

    static let empty = Html(markup: "")

    private init(markup: String) { self.markup = markup }

    /// Markup that stands in the source of this program.
    init(literal: StaticString) { markup = "\(literal)" }

    /// Text of any origin.
    init(_ text: String) {
        markup = ""
        Self.escape(text, into: &markup)
    }

    var isEmpty: Bool { markup.isEmpty }

    static func += (left: inout Html, right: Html) { left.markup += right.markup }

    /// An element with its attributes and what it holds.
    init(_ name: StaticString, _ attributes: [Attribute], _ content: Html) {
        markup = "<\(name)"
        Self.write(attributes, into: &markup)
        markup += ">"
        markup += content.markup
        markup += "</\(name)>"
    }

    /// An element that holds nothing and is not closed.
    init(void name: StaticString, _ attributes: [Attribute]) {
        markup = "<\(name)"
        Self.write(attributes, into: &markup)
        markup += ">"
    }

    private static func write(_ attributes: [Attribute], into markup: inout String) {
        for attribute in attributes {
            guard let value = attribute.value else { continue }
            markup += " \(attribute.name)=\""
            escape(value, into: &markup)
            markup += "\""
        }
    }

    /// Escapes for elements and quoted attributes alike; characters that no document may hold are replaced.
    private static func escape(_ text: String, into markup: inout String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": markup += "&amp;"
            case "<": markup += "&lt;"
            case ">": markup += "&gt;"
            case "\"": markup += "&quot;"
            case "'": markup += "&#39;"
            case "\t", "\n": markup.unicodeScalars.append(scalar)
            // Control characters, and marks that turn the direction of what stands beside them.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                markup += "\u{FFFD}"
            default: markup.unicodeScalars.append(scalar)
            }
        }
    }
}

/// An attribute; its name stands in the source, its value may be of any origin.
struct Attribute: Sendable {
    let name: StaticString
    /// `nil` leaves the attribute out.
    let value: String?

    init(_ name: StaticString, _ value: String?) {
        self.name = name
        self.value = value
    }

    static func of(_ name: StaticString, _ value: String?) -> Attribute { Attribute(name, value) }
    static func `class`(_ value: String) -> Attribute { Attribute("class", value) }
    static func id(_ value: String) -> Attribute { Attribute("id", value) }
    static func label(_ value: String) -> Attribute { Attribute("aria-label", value) }
    /// A link leads to a page of ours and nowhere else.
    static func href(_ address: Address) -> Attribute { Attribute("href", address.text) }
    static func action(_ address: Address) -> Attribute { Attribute("action", address.text) }
    /// An attribute without a value, where it holds.
    static func flag(_ name: StaticString, _ holds: Bool = true) -> Attribute { Attribute(name, holds ? "" : nil) }
    static var hidden: Attribute { Attribute("aria-hidden", "true") }
}

/// Puts markup and text one behind the other; texts are escaped.
@resultBuilder
enum HtmlBuilder {
    static func buildExpression(_ html: Html) -> Html { html }
    static func buildExpression(_ text: String) -> Html { Html(text) }
    static func buildExpression(_ html: Html?) -> Html { html ?? .empty }
    static func buildBlock(_ parts: Html...) -> Html { join(parts) }
    static func buildOptional(_ part: Html?) -> Html { part ?? .empty }
    static func buildEither(first: Html) -> Html { first }
    static func buildEither(second: Html) -> Html { second }
    static func buildArray(_ parts: [Html]) -> Html { join(parts) }

    private static func join(_ parts: [Html]) -> Html {
        var all = Html.empty
        for part in parts { all += part }
        return all
    }
}

/// An element.
func tag(_ name: StaticString, _ attributes: Attribute..., @HtmlBuilder content: () -> Html) -> Html {
    Html(name, attributes, content())
}

/// An element that holds nothing.
func void(_ name: StaticString, _ attributes: Attribute...) -> Html { Html(void: name, attributes) }

/// Pieces without an element around them.
func group(@HtmlBuilder _ content: () -> Html) -> Html { content() }
