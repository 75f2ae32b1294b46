import Kernel

/// Figures by day as a drawing of the server, with the same figures as a table at hand.
struct Chart: Sendable {
    /// Figures of one kind, a value for each day.
    struct Series: Sendable {
        let title: String
        /// The colour, which is the same for the same thing everywhere.
        let colour: String
        let values: [Int64?]
    }

    let title: String
    let days: [CivilDate]
    let series: [Series]
    /// Whether values are drawn as a line over the days; otherwise as bars beside each other.
    var isLine = false
    /// The top of the drawing, where it is not the highest value.
    var top: Int64?
    let shown: @Sendable (Int64) -> String
    /// Where a day's bar leads.
    var target: (@Sendable (CivilDate) -> Address)?

    /// The height of the drawing, in its own units.
    private static let height: Int64 = 1000

    private var highest: Int64 { max(1, top ?? series.flatMap { $0.values.compactMap(\.self) }.max() ?? 1) }

    private func y(_ value: Int64) -> Int64 {
        let product = max(0, min(value, highest)).multipliedFullWidth(by: Self.height)
        return Self.height - Int64(highest.dividingFullWidth(product).quotient)
    }

    func html(_ visit: Visit) -> Html {
        tag("figure", .class("chart")) {
            tag("figcaption") {
                tag("strong", .class("chart-title")) { title }
                for one in series {
                    tag("span", .class("legend colour-\(one.colour)")) { one.title }
                }
            }
            tag("div", .class("plot")) {
                tag("span", .class("plot-top")) { shown(highest) }
                drawing
                tag("div", .class("axis"), .hidden) {
                    for day in axis { tag("span") { visit.formats.shortDay(day) } }
                }
            }
            tag("details") {
                tag("summary") { visit.say(.asTable) }
                table(visit)
            }
        }
    }

    /// The first day, the middle one and the last, as far as they differ.
    private var axis: [CivilDate] {
        guard let first = days.first, let last = days.last, days.count > 1 else { return days }
        return days.count > 4 ? [first, days[days.count / 2], last] : [first, last]
    }

    // MARK: Drawing

    private var drawing: Html {
        let width = max(1, days.count) * 12
        return tag(
            "svg",
            .of("viewBox", "0 0 \(width) \(Self.height)"),
            .of("preserveAspectRatio", "none"),
            .of("focusable", "false"),
            .hidden
        ) {
            for part in [1, 2, 3] {
                let line = Self.height * Int64(part) / 4
                tag(
                    "line",
                    .class("grid"),
                    .of("x1", "0"),
                    .of("x2", "\(width)"),
                    .of("y1", "\(line)"),
                    .of("y2", "\(line)")
                ) { Html.empty }
            }
            for (index, one) in series.enumerated() {
                if isLine { self.line(one) } else { bars(one, index) }
            }
        }
    }

    private func bars(_ one: Series, _ index: Int) -> Html {
        let width = 8 / max(1, series.count)
        return group {
            for (place, value) in one.values.enumerated() {
                if let value, value > 0 {
                    let top = y(value)
                    let bar = tag(
                        "rect",
                        .class("colour-\(one.colour)"),
                        .of("x", "\(place * 12 + 2 + index * width)"),
                        .of("y", "\(min(top, Self.height - 8))"),
                        .of("width", "\(width)"),
                        .of("height", "\(max(8, Self.height - top))")
                    ) { tag("title") { "\(days[place].text): \(shown(value))" } }
                    if let target {
                        tag("a", .href(target(days[place])), .of("tabindex", "-1")) { bar }
                    } else {
                        bar
                    }
                }
            }
        }
    }

    /// A line through the days that have a value; a day alone is a short stroke.
    private func line(_ one: Series) -> Html {
        var path = ""
        var isDown = false
        for (place, value) in one.values.enumerated() {
            guard let value else {
                isDown = false
                continue
            }
            let (x, y) = (place * 12 + 6, y(value))
            path += isDown ? "L\(x) \(y)" : "M\(x - 3) \(y)L\(x + 3) \(y)"
            isDown = true
        }
        return tag("path", .class("line colour-\(one.colour)"), .of("d", path)) { Html.empty }
    }

    // MARK: Table

    private func table(_ visit: Visit) -> Html {
        DataTable(
            title,
            [Column(visit.say(.day))] + series.map { Column($0.title, .number) },
            rows: days.enumerated().reversed().map { place, day in
                [target.map { link(visit.formats.day(day), $0(day)) } ?? Html(visit.formats.day(day))]
                    + series.map { one in Html(one.values[place].map(shown) ?? "–") }
            }
        ).html
    }
}

/// Counts of kinds as bars from left to right, each with its name and its figure beside it.
struct RankedBars: Sendable {
    struct Bar: Sendable {
        let title: String
        let colour: String
        let count: Int64
        let shown: String
        var target: Address?
    }

    let bars: [Bar]

    var html: Html {
        let most = max(1, bars.map(\.count).max() ?? 1)
        return tag("ul", .class("ranked")) {
            for bar in bars {
                tag("li") {
                    if let target = bar.target { link(bar.title, target) } else { tag("span") { bar.title } }
                    tag("svg", .of("focusable", "false"), .hidden) {
                        tag(
                            "rect",
                            .class("colour-\(bar.colour)"),
                            .of("width", MoneyBar.share(bar.count, most)),
                            .of("height", "100%"),
                            .of("rx", "3")
                        ) { Html.empty }
                    }
                    tag("strong") { bar.shown }
                }
            }
        }
    }
}
