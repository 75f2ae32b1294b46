import Kernel

/// From what was authorised to what was given back, as one bar, with the same figures in a list below it.
struct MoneyBar {
    private let visit: Visit
    private let amounts: Json
    private let currency: String

    init(_ visit: Visit, _ payment: Json) {
        self.visit = visit
        amounts = payment["amounts"] ?? [:]
        currency = amounts["currency"]?.text ?? ""
    }

    private struct Part {
        let name: String
        let title: Text
        let amount: Int64
    }

    private func sum(_ name: String) -> Int64 { amounts[name]?.integer ?? 0 }

    /// What the money is now, part by part; together all that was ever authorised or taken.
    private var parts: [Part] {
        let back = sum("refunded") + sum("chargedBack") + sum("disputed")
        return [
            Part(name: "kept", title: .captured, amount: max(0, sum("captured") - back)),
            Part(name: "held", title: .held, amount: sum("held")),
            Part(name: "transferred", title: .transferred, amount: sum("transferred")),
            Part(name: "refunded", title: .refunded, amount: sum("refunded")),
            Part(name: "disputed", title: .disputed, amount: sum("disputed")),
            Part(name: "lost", title: .chargedBack, amount: sum("chargedBack")),
            Part(name: "released", title: .released, amount: sum("released") + sum("holdExpired")),
        ].filter { $0.amount > 0 }
    }

    var html: Html? {
        let parts = parts
        let whole = parts.reduce(0) { $0 + $1.amount }
        guard whole > 0 else { return nil }
        var start: Int64 = 0
        var bar = Html.empty
        for part in parts {
            bar += tag(
                "rect",
                .class("part-\(part.name)"),
                .of("x", Self.share(start, whole)),
                .of("width", Self.share(part.amount, whole)),
                .of("height", "100%")
            ) { Html.empty }
            start += part.amount
        }
        return tag("figure", .class("money")) {
            tag("svg", .class("money-bar"), .of("role", "img"), .label(text(parts)), .of("focusable", "false")) { bar }
            tag("figcaption") {
                for part in parts {
                    tag("span", .class("legend part-\(part.name)")) {
                        "\(visit.say(part.title)) "
                        tag("strong") { visit.formats.amount(part.amount, currency) }
                    }
                }
                tag("span", .class("unit")) { currency }
            }
        }
    }

    private func text(_ parts: [Part]) -> String {
        parts.map { "\(visit.say($0.title)) \(visit.formats.amount($0.amount, currency)) \(currency)" }
            .joined(separator: ", ")
    }

    /// A share of a whole in percent with two digits behind the point.
    static func share(_ part: Int64, _ whole: Int64) -> String {
        let product = max(0, part).multipliedFullWidth(by: 10_000)
        let hundredths = max(1, whole).dividingFullWidth(product).quotient
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)%"
    }
}
