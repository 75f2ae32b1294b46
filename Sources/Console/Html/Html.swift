/// Markup that may be sent as it is: what a person or a provider wrote enters it as escaped text only.
///
/// Literal markup is a `StaticString`, which nothing that came in can be, so that a forgotten escape does not compile.
package struct Html: Hashable, Sendable {
    package private(set) var markup: String

    package static let empty = Html(markup: "")

    private init(markup: String) { self.markup = markup }

    /// Markup that stands in the source of this program.
    package init(literal: StaticString) { markup = "\(literal)" }

    /// Text of any origin.
    package init(_ text: String) {
        markup = ""
        Self.escape(text, into: &markup)
    }

    package var isEmpty: Bool { markup.isEmpty }

    package static func += (left: inout Html, right: Html) { left.markup += right.markup }

    /// An element with its attributes and what it holds.
    package init(_ name: StaticString, _ attributes: [Attribute], _ content: Html) {
        markup = "<\(name)"
        Self.write(attributes, into: &markup)
        markup += ">"
        markup += content.markup
        markup += "</\(name)>"
    }

    /// An element that holds nothing and is not closed.
    package init(void name: StaticString, _ attributes: [Attribute]) {
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
package struct Attribute: Sendable {
    package let name: StaticString
    /// `nil` leaves the attribute out.
    package let value: String?

    package init(_ name: StaticString, _ value: String?) {
        self.name = name
        self.value = value
    }

    package static func of(_ name: StaticString, _ value: String?) -> Attribute { Attribute(name, value) }
    package static func `class`(_ value: String) -> Attribute { Attribute("class", value) }
    package static func id(_ value: String) -> Attribute { Attribute("id", value) }
    package static func label(_ value: String) -> Attribute { Attribute("aria-label", value) }
    /// A link leads to a page of ours and nowhere else.
    package static func href(_ address: Address) -> Attribute { Attribute("href", address.text) }
    package static func action(_ address: Address) -> Attribute { Attribute("action", address.text) }
    /// An attribute without a value, where it holds.
    package static func flag(_ name: StaticString, _ holds: Bool = true) -> Attribute {
        Attribute(name, holds ? "" : nil)
    }
    package static var hidden: Attribute { Attribute("aria-hidden", "true") }
}

/// Puts markup and text one behind the other; texts are escaped.
@resultBuilder
package enum HtmlBuilder {
    package static func buildExpression(_ html: Html) -> Html { html }
    package static func buildExpression(_ text: String) -> Html { Html(text) }
    package static func buildExpression(_ html: Html?) -> Html { html ?? .empty }
    package static func buildBlock(_ parts: Html...) -> Html { join(parts) }
    package static func buildOptional(_ part: Html?) -> Html { part ?? .empty }
    package static func buildEither(first: Html) -> Html { first }
    package static func buildEither(second: Html) -> Html { second }
    package static func buildArray(_ parts: [Html]) -> Html { join(parts) }

    private static func join(_ parts: [Html]) -> Html {
        var all = Html.empty
        for part in parts { all += part }
        return all
    }
}

/// An element.
package func tag(_ name: StaticString, _ attributes: Attribute..., @HtmlBuilder content: () -> Html) -> Html {
    Html(name, attributes, content())
}

/// An element that holds nothing.
package func void(_ name: StaticString, _ attributes: Attribute...) -> Html { Html(void: name, attributes) }

/// Pieces without an element around them.
package func group(@HtmlBuilder _ content: () -> Html) -> Html { content() }
