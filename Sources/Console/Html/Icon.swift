/// Small drawings in the colour of the text beside them.
enum Icon {
    static let mark = Html(
        literal: """
            <svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><rect x="2" y="2" width="20" height="20" rx="6"/>\
            <path d="M7 15.5c2.6 0 2.6-4 5-4s2.4 4 5 4M7 10.5c2.6 0 2.6-3 5-3s2.4 3 5 3"/></svg>
            """
    )

    static let overview = line("M3 12h4l3 7 4-14 3 7h4")
    static let payments = line("M3 6h18v12H3zM3 10h18M7 15h4")
    static let open = line(
        "M12 8v5M12 16.5v.5M10.3 4 2.6 18a2 2 0 0 0 1.7 3h15.4a2 2 0 0 0 1.7-3L13.7 4a2 2 0 0 0-3.4 0z"
    )
    static let schedules = line("M4 6h16v14H4zM4 10h16M8 3v4M16 3v4")
    static let instruments = line("M3 7h18v11H3zM3 11h18M6 15h3M16 15h2")
    static let bills = line("M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6")
    static let reports = line("M4 20h16M7 16V10M12 16V5M17 16v-4")
    static let reconciliation = line("M4 7h11M4 12h7M4 17h5M13 16l3 3 5-7")
    static let accounts = line("M4 9h16M5 9l7-5 7 5M6 9v8M10 9v8M14 9v8M18 9v8M4 20h16")
    static let webhooks = line("M4 5h16v11H9l-5 4zM8 9h8M8 12h5")
    static let keys = line("M8 15a4 4 0 1 1 3.6-5.7H21v3h-2v3h-3v-3h-4.4A4 4 0 0 1 8 15zM8 11v.5")
    static let health = line("M12 20s-8-4.6-8-10.4A4.6 4.6 0 0 1 12 6.5a4.6 4.6 0 0 1 8 3.1C20 15.4 12 20 12 20z")

    private static func line(_ path: StaticString) -> Html {
        tag("svg", .class("icon"), .of("viewBox", "0 0 24 24"), .hidden) {
            tag("path", .of("d", "\(path)")) { Html.empty }
        }
    }
}
