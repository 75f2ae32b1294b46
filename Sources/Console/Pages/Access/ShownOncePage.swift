import Http

/// A secret that was made just now: it stands on this page and on no other.
enum ShownOncePage {
    /// `secret` is `nil` where its command is not carried out yet, or its answer was lost.
    static func response(
        _ visit: Visit,
        _ section: Section,
        _ title: Text,
        secret: String?,
        note: Text? = nil,
        next: Address
    ) -> HttpResponse {
        Layout(visit, visit.say(title), section).response {
            heading(visit.say(title))
            panel(nil) {
                tag("p") { visit.say(secret == nil ? .secretNotShown : .secretShownOnce) }
                if let secret {
                    tag("pre", .class("secret"), .of("tabindex", "0"), .label(visit.say(title))) { secret }
                }
                if let note { tag("p", .class("hint")) { visit.say(note) } }
                tag("p", .class("row")) { link(visit.say(.goOn), next, "button button-main") }
            }
        }
    }
}
